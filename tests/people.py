"""The people in the tests: Amina reports, Renu and Otto review, Edda edits, Niko has an account and no rights."""

from __future__ import annotations

from django.contrib.auth.models import Group, User

from corrections.models import ReaderName


def _staff(name: str, *groups: str) -> User:
    user = User.objects.create_user(name.lower(), password=f"{name}-password", is_staff=bool(groups))
    user.groups.set(Group.objects.filter(name__in=groups))
    if groups:
        ReaderName.objects.create(user=user, name=f"{name} R.")
    return user


def renu() -> User:
    """A reviewer, who appears in the log as Renu R."""
    return _staff("Renu", "Reviewers")


def otto() -> User:
    """Another reviewer."""
    return _staff("Otto", "Reviewers")


def edda() -> User:
    """An editor."""
    return _staff("Edda", "Editors")


def niko() -> User:
    """Somebody with an account and no rights."""
    return _staff("Niko")

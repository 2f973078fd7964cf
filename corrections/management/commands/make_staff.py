"""manage.py make_staff: an account for a reviewer or an editor."""

from __future__ import annotations

import secrets
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import Group, User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from corrections.models import ReaderName
from corrections.submissions import visible

GROUPS = ("Reviewers", "Editors")


class NotMade(Exception):
    """The account can not be made; the message says why."""


def make_staff(name: str, group: str, public_name: str) -> str:
    """Make an account in a group, and give its password, which is kept nowhere. Raises NotMade. Five queries."""
    try:
        UnicodeUsernameValidator()(name)
    except ValidationError as error:
        raise NotMade(" ".join(error.messages)) from error
    if not visible(public_name) or len(public_name) > 100:
        raise NotMade("A public name can be seen, and has at most 100 characters.")
    password = secrets.token_urlsafe(15)
    with transaction.atomic():
        if User.objects.filter(username=name).exists():
            raise NotMade(f"There is an account “{name}” already. `changepassword {name}` gives it a new password.")
        if ReaderName.objects.filter(name=public_name).exists():
            raise NotMade(f"Somebody decides under the name “{public_name}” already.")
        user = User.objects.create_user(name, password=password, is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        ReaderName.objects.create(user=user, name=public_name)
    return password


class Command(BaseCommand):
    """Makes one account and prints its password, once. Exit code 1 if it can not be made; nothing is changed then."""

    help = "Make an account for a reviewer or an editor, and print its random password once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's words."""
        parser.add_argument("name", metavar="NAME", help="to sign in with")
        parser.add_argument(
            "--group", required=True, choices=GROUPS, help="an editor may also seal and close the intake"
        )
        parser.add_argument(
            "--public-name", required=True, metavar="NAME", help="under which the log names the account's decisions"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it, and print the password."""
        try:
            password = make_staff(options["name"], options["group"], options["public_name"])
        except NotMade as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{options['name']} ({options['group']}), password: {password}")
        self.stdout.write("It is not kept anywhere. Signing in is at /admin/.")

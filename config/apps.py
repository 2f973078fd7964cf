"""The project's own app: the ``database`` command and the deployment checks."""

from __future__ import annotations

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """Gives ``config`` a place among the apps, for its command and its checks; it has no models."""

    name = "config"

    def ready(self) -> None:
        """Register the checks."""
        from config import checks  # noqa: F401  (importing registers)

"""The archive: its records, importers, exporters and pages."""

from __future__ import annotations

from django.apps import AppConfig


class ArchiveConfig(AppConfig):
    """What Django needs to know of the archive."""

    name = "archive"

"""Corrections: what people say about the archive, and what was decided."""

from __future__ import annotations

from django.apps import AppConfig


class CorrectionsConfig(AppConfig):
    """What Django needs to know of the corrections."""

    name = "corrections"

#!/usr/bin/env python
"""Run one of Django's or Corrigenda's commands; the command decides which database role the process has."""

from __future__ import annotations

import os
import sys

from config.database import role_of


def main() -> None:
    """Set the role and the settings module, then hand over to Django."""
    os.environ["CORRIGENDA_ROLE"] = role_of(sys.argv)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()

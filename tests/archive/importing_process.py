"""An import in a process of its own, which stops at a given point and waits to be killed.

    python -m tests.archive.importing_process DATABASE FOLDER POINT

Prints "there" when it has got to the point: `reading` (the first dump is read; into an empty archive that is in the
midst of the transaction), or `committing` (all is written and nothing committed).
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"


def main(database: str, folder: str, point: str) -> None:
    """Import, and wait for ever at the point."""
    import django

    django.setup()
    from django.db import connection

    from archive.importers import run

    connection.settings_dict["NAME"] = database

    def there(*_: Any, **__: Any) -> Any:
        print("there", flush=True)
        time.sleep(600)

    if point == "committing":
        setattr(run, "relink", there)  # noqa: B010 - the module does not export what it imported
    run.import_archive([Path(folder)], run.Source.beside([Path(folder)]), there if point == "reading" else None)


if __name__ == "__main__":
    main(*sys.argv[1:])

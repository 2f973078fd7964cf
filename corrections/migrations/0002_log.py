"""The log is gapless, chained, append-only and complete, and the database says so."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from corrections import log_triggers


def list_fields(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Fill the database's copy of the list of correctable fields, which only the owner may write."""
    with editor.connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO corrections_field (kind, name, tbl, columns, selects) VALUES (%s, %s, %s, %s, %s)",
            log_triggers.field_rows(),
        )
        if settings.WEB_ROLE != settings.OWNER_ROLE:
            cursor.execute(f'REVOKE INSERT, UPDATE, DELETE ON corrections_field FROM "{settings.WEB_ROLE}"')


class Migration(migrations.Migration):
    dependencies = (("corrections", "0001_initial"),)

    operations = (
        migrations.RunSQL(log_triggers.COLUMNS, migrations.RunSQL.noop),
        migrations.RunPython(list_fields, migrations.RunPython.noop),
        *(
            migrations.RunSQL(sql, migrations.RunSQL.noop)
            for sql in (
                log_triggers.CELL,
                log_triggers.DECISION_IN_LINE,
                log_triggers.APPEND_ONLY,
                log_triggers.REPLAYING,
                log_triggers.CHANGE_IN_LINE,
                log_triggers.CHANGE_IN_LINE_TRIGGER,
                log_triggers.APPLIED,
                log_triggers.DECISION_WHOLE,
                log_triggers.DECISION_WHOLE_TRIGGER,
                log_triggers.LOGGED,
                log_triggers.BASE_LOGGED,
                log_triggers.logged_triggers(),
                log_triggers.REPORT_CLOSED,
            )
        ),
    )

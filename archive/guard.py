"""The SQL that lets the database say no: who may write the archive's tables, and what a record's kind must be.

Used by migrations only. `protect()` is called by every migration that makes an archive table.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from django.conf import settings
from django.db import migrations

from archive.models.records import RecordKind

# Every function here names its search path, or a temporary table could stand in for the one it asks.
# A statement-level trigger costs nothing per row (COPY of 500,000 rows: +1 %), also refuses statements that match
# no row, and unlike row triggers sees TRUNCATE. The setting alone opens nothing: the row must be of this transaction.
GUARD_FUNCTION = """
CREATE FUNCTION archive_guard() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE mode text := current_setting('corrigenda.mode', true);
BEGIN
  IF mode = 'import' AND EXISTS (SELECT FROM archive_importrun WHERE xid = pg_current_xact_id()) THEN
    RETURN NULL;
  ELSIF mode = 'decision'
     AND (TG_ARGV[0] = 'decided' AND TG_OP <> 'TRUNCATE' OR TG_ARGV[0] = 'named' AND TG_OP = 'INSERT')
     AND EXISTS (SELECT FROM corrections_decision WHERE xid = pg_current_xact_id()
                 AND (kind = 'decision' OR kind = 'seal' AND TG_TABLE_NAME = 'archive_base')) THEN
    RETURN NULL;
  END IF;
  RAISE '% on % needs an import or a decision in this transaction', TG_OP, TG_TABLE_NAME USING ERRCODE = '42501';
END $$;
"""

# A run may complete its own summary before it commits; afterwards it stands for ever.
APPEND_ONLY_FUNCTION = """
CREATE FUNCTION archive_append_only() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.xid = pg_current_xact_id() AND NEW.xid = OLD.xid AND NEW.id = OLD.id THEN
    RETURN NEW;
  END IF;
  RAISE '% on % is refused: it is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = '42501';
END $$;
"""


def function(sql: str, name: str) -> migrations.RunSQL:
    """An operation that makes a trigger function, and drops it on the way back."""
    return migrations.RunSQL(sql, f"DROP FUNCTION {name}();")


class Openness(StrEnum):
    """What a decision may do to a table; an import may write all of them."""

    DECIDED = "decided"
    """Change rows, each change being matched with the log by further triggers."""
    NAMED = "named"
    """Add rows, since a corrected cell may name something new."""
    IMPORTED = "imported"
    """Nothing."""


def protect(tables: Sequence[str], openness: Openness) -> list[migrations.RunSQL]:
    """One guard trigger per table, named `<table>_guard`."""
    return [
        migrations.RunSQL(
            f"CREATE TRIGGER {table}_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION archive_guard('{openness}');",
            f"DROP TRIGGER {table}_guard ON {table};",
        )
        for table in tables
    ]


def belongs_to_its_record(table: str, kind: RecordKind) -> migrations.RunSQL:
    """The composite foreign key: a detail row's record exists and is of the row's kind."""
    name = f"{table}_is_a_{kind}"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (record_id, kind) "
        "REFERENCES archive_record (id, kind) DEFERRABLE INITIALLY DEFERRED;",
        f"ALTER TABLE {table} DROP CONSTRAINT {name};",
    )


def grants(read_only: Sequence[str]) -> migrations.RunSQL:
    """What the web role may do: read and write rows (the guard stands behind), never own, never TRUNCATE.

    `read_only` tables it may only read. Default privileges cover the tables of later migrations.
    """
    role, tables = f'"{settings.WEB_ROLE}"', ", ".join(read_only)
    return migrations.RunSQL(
        f"""
        DO $$ BEGIN
          IF '{settings.WEB_ROLE}' <> current_user THEN
            GRANT USAGE ON SCHEMA public TO {role};
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role};
            GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role};
            ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role};
            ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role};
            REVOKE INSERT, UPDATE, DELETE ON django_migrations, {tables} FROM {role};
          END IF;
        END $$;
        """,
        migrations.RunSQL.noop,
    )

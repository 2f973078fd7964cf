"""The database says no: only imports and decisions write the archive; imports stay; kinds agree with records."""

from __future__ import annotations

from django.db import migrations

from archive.guard import (
    APPEND_ONLY_FUNCTION,
    GUARD_FUNCTION,
    Openness,
    belongs_to_its_record,
    function,
    grants,
    protect,
)
from archive.models.records import RecordKind

DETAIL_TABLES = {
    "archive_paper": RecordKind.PAPER,
    "archive_dataset": RecordKind.DATASET,
    "archive_task": RecordKind.TASK,
    "archive_method": RecordKind.METHOD,
    "archive_leaderboard": RecordKind.LEADERBOARD,
    "archive_result": RecordKind.RESULT,
    "archive_codelink": RecordKind.CODE,
}

DECIDED_TABLES = (
    *DETAIL_TABLES,
    "archive_record",
    "archive_base",
    "archive_authorship",
    "archive_datasetlanguage",
    "archive_datasetmodality",
    "archive_datasettask",
    "archive_datasetvariant",
    "archive_papertask",
    "archive_resultmetric",
    "archive_taskarea",
    "archive_tasksynonym",
)

# What a corrected cell or a new row may name for the first time.
NAMED_TABLES = (
    "archive_area",
    "archive_author",
    "archive_framework",
    "archive_language",
    "archive_leaderboardmetric",
    "archive_modality",
    "archive_proceeding",
    "archive_repository",
)

IMPORTED_TABLES = (
    "archive_collection",
    "archive_collectionmembership",
    "archive_dataloader",
    "archive_papermethod",
    "archive_printedmethod",
    "archive_taskname",
    "archive_tasknode",
    "archive_tasktable",
    "archive_unreadablerecord",
    "archive_importedfile",
)

IMPORT_TABLES = ("archive_importrun", "archive_importedfile")


class Migration(migrations.Migration):
    dependencies = (("archive", "0001_initial"),)

    operations = (
        migrations.RunSQL(
            "ALTER TABLE archive_importrun ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();"
            "CREATE INDEX archive_importrun_xid ON archive_importrun (xid);",
            "ALTER TABLE archive_importrun DROP COLUMN xid;",
        ),
        migrations.RunSQL(
            "ALTER TABLE archive_record ADD CONSTRAINT archive_record_digest_is_sha256 "
            "CHECK (octet_length(digest) = 32), "
            "ADD CONSTRAINT archive_record_identity_is_16_bytes CHECK (octet_length(identity) = 16), "
            "ADD CONSTRAINT archive_record_digest_unless_task CHECK (digest IS NOT NULL OR kind = 'task');",
            "ALTER TABLE archive_record DROP CONSTRAINT archive_record_digest_is_sha256, "
            "DROP CONSTRAINT archive_record_identity_is_16_bytes, "
            "DROP CONSTRAINT archive_record_digest_unless_task;",
        ),
        *(belongs_to_its_record(table, kind) for table, kind in DETAIL_TABLES.items()),
        function(GUARD_FUNCTION, "archive_guard"),
        *protect(DECIDED_TABLES, Openness.DECIDED),
        *protect(NAMED_TABLES, Openness.NAMED),
        *protect(IMPORTED_TABLES, Openness.IMPORTED),
        function(APPEND_ONLY_FUNCTION, "archive_append_only"),
        migrations.RunSQL(
            "CREATE TRIGGER archive_importrun_append_only BEFORE UPDATE OR DELETE ON archive_importrun "
            "FOR EACH ROW EXECUTE FUNCTION archive_append_only();",
            "DROP TRIGGER archive_importrun_append_only ON archive_importrun;",
        ),
        grants(read_only=IMPORT_TABLES),
    )

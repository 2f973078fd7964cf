"""The SQL that holds the log: gapless and chained numbers, no forks, nothing rewritten, each change applied and logged.

Used by migrations only. `docs/policy.md` says in words what each of these refuses.
"""

from __future__ import annotations

from corrections.correctable import FIELDS, OPERATIONS

COLUMNS = """
ALTER TABLE corrections_decision ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  ADD CONSTRAINT corrections_decision_digests_are_sha256
    CHECK (octet_length(digest) = 32 AND octet_length(previous_digest) = 32);
ALTER TABLE corrections_change ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  ADD CONSTRAINT corrections_change_changes_something CHECK (after <> before),
  ADD CONSTRAINT corrections_change_has_its_values CHECK (
    sealed_by_id IS NULL AND before IS NOT NULL AND after IS NOT NULL
      AND before_salt IS NOT NULL AND after_salt IS NOT NULL
    OR sealed_by_id IS NOT NULL AND before IS NULL AND after IS NULL AND before_salt IS NULL AND after_salt IS NULL);
CREATE INDEX corrections_decision_xid ON corrections_decision (xid);
CREATE INDEX corrections_change_xid ON corrections_change (xid);
CREATE TABLE corrections_field (
  kind varchar(12) NOT NULL, name text NOT NULL, tbl text NOT NULL, columns text[] NOT NULL, selects text NOT NULL,
  PRIMARY KEY (kind, name));
"""

# The value of a cell as jsonb, JSON null where there is none; SQL NULL for a field that does not exist.
CELL = """
CREATE FUNCTION corrections_cell(record bigint, cell text) RETURNS jsonb LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE statement text; value jsonb;
BEGIN
  IF cell = 'exists' THEN
    RETURN to_jsonb(EXISTS (SELECT FROM archive_record r WHERE r.id = record));
  ELSIF cell LIKE 'metrics.%' THEN
    SELECT to_jsonb(v.value) INTO value FROM archive_resultmetric v
      JOIN archive_leaderboardmetric m ON m.id = v.metric_id
      WHERE v.result_id = record AND m.name = substr(cell, 9) ORDER BY m.position NULLS LAST, m.id LIMIT 1;
    RETURN coalesce(value, 'null');
  END IF;
  SELECT f.selects INTO statement FROM corrections_field f JOIN archive_record r ON r.kind = f.kind
    WHERE r.id = record AND f.name = cell;
  IF statement IS NULL THEN
    RETURN NULL;
  END IF;
  EXECUTE statement INTO value USING record;
  RETURN coalesce(value, 'null');
END $$;
"""

# Numbers without a gap, each entry naming the digest of the one before. The advisory lock is the caller's.
DECISION_IN_LINE = """
CREATE FUNCTION corrections_decision_in_line() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE last corrections_decision;
BEGIN
  SELECT * INTO last FROM corrections_decision ORDER BY number DESC LIMIT 1;
  IF NEW.number <> coalesce(last.number, 0) + 1 THEN
    RAISE 'entry % can not follow entry %', NEW.number, coalesce(last.number, 0) USING ERRCODE = '23514';
  ELSIF NEW.previous_digest <> coalesce(last.digest, decode(repeat('00', 32), 'hex')) THEN
    RAISE 'entry % does not name the digest of the entry before', NEW.number USING ERRCODE = '23514';
  ELSIF NEW.xid <> pg_current_xact_id() THEN
    RAISE 'entry % claims another transaction', NEW.number USING ERRCODE = '23514';
  ELSIF NEW.kind = 'import' AND NOT EXISTS (SELECT FROM archive_importrun WHERE xid = pg_current_xact_id()) THEN
    RAISE 'entry % is no import of this transaction', NEW.number USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER corrections_decision_in_line BEFORE INSERT ON corrections_decision
  FOR EACH ROW EXECUTE FUNCTION corrections_decision_in_line();
"""

# The log stands for ever, but for one thing: a seal of the same transaction may take texts out, and nothing else.
APPEND_ONLY = """
CREATE FUNCTION corrections_append_only() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE sealed text[] := TG_ARGV[0]::text[];
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.sealed_by_id IS NULL
     AND to_jsonb(NEW) - sealed = to_jsonb(OLD) - sealed
     AND EXISTS (SELECT FROM corrections_decision d
                 WHERE d.number = NEW.sealed_by_id AND d.kind = 'seal' AND d.xid = pg_current_xact_id())
     AND NOT EXISTS (SELECT FROM jsonb_each(to_jsonb(NEW)) AS c (key, value)
                     WHERE key = ANY (sealed) AND key <> 'sealed_by_id' AND value <> 'null') THEN
    RETURN NEW;
  END IF;
  RAISE '% on % is refused: the log is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = '42501';
END $$;
CREATE FUNCTION corrections_no_truncate() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RAISE 'TRUNCATE on % is refused: the log is append-only', TG_TABLE_NAME USING ERRCODE = '42501';
END $$;
CREATE TRIGGER corrections_decision_append_only BEFORE UPDATE OR DELETE ON corrections_decision
  FOR EACH ROW EXECUTE FUNCTION corrections_append_only(
    '{reason,reason_salt,quote,quote_salt,reading,reading_salt,sealed_by_id}');
CREATE TRIGGER corrections_change_append_only BEFORE UPDATE OR DELETE ON corrections_change
  FOR EACH ROW EXECUTE FUNCTION corrections_append_only('{before,before_salt,after,after_salt,sealed_by_id}');
CREATE TRIGGER corrections_decision_guard BEFORE TRUNCATE ON corrections_decision
  FOR EACH STATEMENT EXECUTE FUNCTION corrections_no_truncate();
CREATE TRIGGER corrections_change_guard BEFORE TRUNCATE ON corrections_change
  FOR EACH STATEMENT EXECUTE FUNCTION corrections_no_truncate();
"""

# A replay of the log, which only a role that may write an ImportRun can make, sets each cell to its last value.
REPLAYING = """
CREATE FUNCTION corrections_replaying() RETURNS bool LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT current_setting('corrigenda.mode', true) = 'import'
    AND EXISTS (SELECT FROM archive_importrun WHERE xid = pg_current_xact_id());
$$;
"""

# A change belongs to this transaction's decision, follows the cell's last one, and says truly what it replaces. That of
# a withholding leaves nothing in its cell.
CHANGE_IN_LINE = """
CREATE OR REPLACE FUNCTION corrections_change_in_line() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE cell jsonb := corrections_cell(NEW.record_id, NEW.field); last bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM corrections_decision WHERE number = NEW.decision_id AND xid = pg_current_xact_id()
                 AND kind = 'decision') OR NEW.xid <> pg_current_xact_id() THEN
    RAISE 'a change needs a decision of its own transaction' USING ERRCODE = '42501';
  ELSIF cell IS NULL THEN
    RAISE '% is not a field of record % that can be corrected', NEW.field, NEW.record_id USING ERRCODE = '23514';
  ELSIF NEW.before IS DISTINCT FROM cell AND NEW.field <> 'exists' AND NOT corrections_replaying() THEN
    RAISE 'change of %.% says it replaces %, the cell holds %', NEW.record_id, NEW.field, NEW.before, cell
      USING ERRCODE = '23514';
  ELSIF NEW.after NOT IN ('null', '[]') AND EXISTS (SELECT FROM corrections_decision WHERE number = NEW.decision_id
                                                    AND outcome = 'withheld') THEN
    RAISE 'withholding %.% leaves % in it', NEW.record_id, NEW.field, NEW.after USING ERRCODE = '23514';
  END IF;
  SELECT c.id INTO last FROM corrections_change c WHERE c.record_id = NEW.record_id AND c.field = NEW.field
    AND NOT EXISTS (SELECT FROM corrections_change n WHERE n.previous_id = c.id);
  IF NEW.previous_id IS DISTINCT FROM last THEN
    RAISE 'change of %.% does not follow the last one', NEW.record_id, NEW.field USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
"""
CHANGE_IN_LINE_TRIGGER = """
CREATE TRIGGER corrections_change_in_line BEFORE INSERT ON corrections_change
  FOR EACH ROW EXECUTE FUNCTION corrections_change_in_line();
"""

# At commit: what a change says is what the cell holds.
APPLIED = """
CREATE FUNCTION corrections_change_applied() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE cell jsonb := corrections_cell(NEW.record_id, NEW.field);
BEGIN
  IF cell IS DISTINCT FROM NEW.after AND NEW.sealed_by_id IS NULL
     AND NOT EXISTS (SELECT FROM corrections_change n WHERE n.previous_id = NEW.id) THEN
    RAISE 'change of %.% says %, the cell holds %', NEW.record_id, NEW.field, NEW.after, cell USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER corrections_change_applied AFTER INSERT ON corrections_change DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION corrections_change_applied();
"""

# At commit: an outcome that changes something comes with changes, another without; heavy ones have two readers. A
# withheld title takes along what rows and methods print of it, however many: its second reader confirms it later.
DECISION_WHOLE = """
CREATE OR REPLACE FUNCTION corrections_decision_whole() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE changes int; records int; heavy bool;
BEGIN
  SELECT count(*), coalesce(bool_or(field IN ('withdrawn', 'merged_into')), false), count(DISTINCT record_id)
      FILTER (WHERE NEW.outcome <> 'withheld' OR field NOT IN ('paper_title', 'source_title'))
    INTO changes, heavy, records FROM corrections_change WHERE decision_id = NEW.number;
  IF (changes > 0) <> (NEW.outcome IN ('accepted', 'accepted-with-changes', 'reverted')
                       OR NEW.outcome = 'withheld' AND NEW.duplicate_of_decision_id IS NULL) THEN
    RAISE 'decision % is “%” with % changes', NEW.number, NEW.outcome, changes USING ERRCODE = '23514';
  ELSIF (heavy OR records > 20) AND NEW.second_reader_id IS NULL THEN
    RAISE 'decision % needs a second reader', NEW.number USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
"""
DECISION_WHOLE_TRIGGER = """
CREATE CONSTRAINT TRIGGER corrections_decision_whole AFTER INSERT ON corrections_decision
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION corrections_decision_whole();
"""

# At commit: each altered column of the archive has its change. The argument lists columns that follow from others.
LOGGED = """
CREATE FUNCTION corrections_logged() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  o jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) ELSE '{}' END;
  n jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) ELSE '{}' END;
  rec bigint := coalesce(n->>TG_ARGV[1], o->>TG_ARGV[1])::bigint; bad text;
BEGIN
  IF TG_OP <> 'UPDATE' THEN
    SELECT 'exists' INTO bad WHERE NOT EXISTS (SELECT FROM corrections_change c WHERE c.xid = pg_current_xact_id()
      AND c.record_id = rec AND c.field = 'exists' AND c.after = to_jsonb(TG_OP = 'INSERT'));
  ELSE
    SELECT string_agg(k, ', ') INTO bad FROM jsonb_object_keys(n) k
    WHERE n->k IS DISTINCT FROM o->k AND NOT k = ANY (TG_ARGV[0]::text[])
      AND NOT EXISTS (SELECT FROM corrections_field f JOIN corrections_change c ON c.field = f.name
                      WHERE f.tbl = TG_TABLE_NAME AND k = ANY (f.columns)
                        AND c.xid = pg_current_xact_id() AND c.record_id = rec)
      -- a record made in this very transaction is complete only now
      AND NOT EXISTS (SELECT FROM corrections_change c WHERE c.xid = pg_current_xact_id()
                      AND c.record_id = rec AND c.field = 'exists');
  END IF;
  IF bad IS NOT NULL THEN
    RAISE '% of record %: no change in this transaction for %', TG_TABLE_NAME, rec, bad USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION corrections_list_logged() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  row jsonb := CASE WHEN TG_OP = 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
  rec bigint := (row->>TG_ARGV[0])::bigint; cell text := TG_ARGV[1];
BEGIN
  IF cell = 'metrics' THEN
    SELECT 'metrics.' || m.name INTO cell FROM archive_leaderboardmetric m WHERE m.id = (row->>'metric_id')::bigint;
  END IF;
  IF NOT EXISTS (SELECT FROM corrections_change c WHERE c.xid = pg_current_xact_id() AND c.record_id = rec
                 AND c.field IN (cell, 'exists')) THEN
    RAISE '% of record %: no change in this transaction for %', TG_TABLE_NAME, rec, cell USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
"""

# A base is what the cell's first change replaced; only a seal may empty it, and only an import give it another value.
BASE_LOGGED = """
CREATE FUNCTION corrections_base_logged() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM corrections_change c WHERE c.xid = pg_current_xact_id()
       AND c.record_id = NEW.record_id AND c.field = NEW.field AND c.previous_id IS NULL
       AND (c.before = NEW.value OR c.sealed_by_id IS NOT NULL))
     OR TG_OP = 'UPDATE' AND NEW.sealed AND NEW.value = 'null' AND EXISTS (
       SELECT FROM corrections_change c JOIN corrections_decision d ON d.number = c.sealed_by_id
       WHERE d.xid = pg_current_xact_id() AND c.record_id = NEW.record_id AND c.field = NEW.field) THEN
    RETURN NULL;
  END IF;
  RAISE '% on archive_base: the base of a cell is what its first change replaced', TG_OP USING ERRCODE = '23514';
END $$;
"""

# Nobody decides a report of their own, and an appeal goes to somebody else.
REPORT_CLOSED = """
CREATE FUNCTION corrections_report_closed() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE d corrections_decision; earlier corrections_decision;
BEGIN
  IF NEW.decision_id IS NOT DISTINCT FROM OLD.decision_id THEN
    RETURN NEW;
  ELSIF OLD.decision_id IS NOT NULL AND OLD.state <> 'appealed' THEN
    RAISE 'report % is decided by entry % already', OLD.id, OLD.decision_id USING ERRCODE = '23514';
  END IF;
  SELECT * INTO d FROM corrections_decision WHERE number = NEW.decision_id;
  IF NEW.filed_by_id IS NOT NULL AND (d.reader_id = NEW.filed_by_id OR d.second_reader_id = NEW.filed_by_id) THEN
    RAISE 'report %: nobody decides a report of their own', NEW.id USING ERRCODE = '42501';
  END IF;
  IF OLD.decision_id IS NOT NULL THEN
    SELECT * INTO earlier FROM corrections_decision WHERE number = OLD.decision_id;
    IF d.reader_id IN (earlier.reader_id, earlier.second_reader_id) THEN
      RAISE 'report %: an appeal is decided by somebody else', NEW.id USING ERRCODE = '42501';
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER corrections_report_closed BEFORE UPDATE ON corrections_report
  FOR EACH ROW EXECUTE FUNCTION corrections_report_closed();
"""

DERIVED = {
    "archive_record": ("revision", "name", "sort_key"),
    "archive_paper": (),
    "archive_dataset": (),
    "archive_task": (),
    "archive_method": (),
    "archive_leaderboard": (),
    "archive_result": (),
    "archive_codelink": (),
}
"""Columns of a table that a decision may write without a change of their own, since they follow from another cell."""

LISTS = {
    "archive_authorship": ("paper_id", "authors"),
    "archive_papertask": ("paper_id", "tasks"),
    "archive_datasetmodality": ("dataset_id", "modalities"),
    "archive_datasetlanguage": ("dataset_id", "languages"),
    "archive_datasettask": ("dataset_id", "tasks"),
    "archive_datasetvariant": ("dataset_id", "variants"),
    "archive_taskarea": ("task_id", "areas"),
    "archive_tasksynonym": ("task_id", "synonyms"),
    "archive_resultmetric": ("result_id", "metrics"),
}
"""Tables whose rows together are one cell: the column that names the record, and the field."""

# Deferred triggers queue an event per row; an import needs none, and would pay for them.
_WHEN = (
    "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
    "WHEN (current_setting('corrigenda.mode', true) IS DISTINCT FROM 'import')"
)


def logged_triggers() -> str:
    """The triggers that hold each archive table to the log."""
    statements = []
    for table, derived in DERIVED.items():
        key = "id" if table == "archive_record" else "record_id"
        statements.append(
            f"CREATE CONSTRAINT TRIGGER {table}_logged AFTER INSERT OR UPDATE OR DELETE ON {table} {_WHEN} "
            f"EXECUTE FUNCTION corrections_logged('{{{','.join(derived)}}}', '{key}');"
        )
    for table, (owner, field) in LISTS.items():
        statements.append(
            f"CREATE CONSTRAINT TRIGGER {table}_logged AFTER INSERT OR UPDATE OR DELETE ON {table} {_WHEN} "
            f"EXECUTE FUNCTION corrections_list_logged('{owner}', '{field}');"
        )
    statements.append(
        f"CREATE CONSTRAINT TRIGGER archive_base_logged AFTER INSERT OR UPDATE OR DELETE ON archive_base {_WHEN} "
        "EXECUTE FUNCTION corrections_base_logged();"
    )
    return "\n".join(statements)


def field_rows() -> list[tuple[str, str, str, list[str], str]]:
    """The rows of `corrections_field`, as the list of correctable fields has them."""
    return [
        (str(kind), field.name, field.table, list(field.columns), field.select)
        for kind, fields in FIELDS.items()
        for field in (*fields, *OPERATIONS)
        if field.name != "exists"
    ]

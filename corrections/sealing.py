"""Seals: a text or value taken out of the log for rights, a name change or personal data, without breaking the chain.

The digest, the kind and the seal's own number stay. Verification says "sealed": neither right nor a fault.
"""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from archive.models import Base, Record, SiteVersion
from corrections.chain import entry_digest, set_texts, take_turn
from corrections.decisions import Refused, as_json, public_name
from corrections.models import Change, Decision, EntryKind, Report


def seal(number: int, reason: str, editor: User, *, cells: Collection[tuple[str, str]] = ()) -> Decision:
    """Seal an entry: the values of the named (record key, field) cells it changed, or its own texts if none is named.

    A cell is sealed through all of its changes, since each one's "before" is another's "after"; so are the values that
    its reports carry. Raises Refused. The snapshot's value goes too, if the seal covers a corrected cell.
    """
    if not editor.is_active or not editor.has_perm("corrections.seal_decision"):
        raise Refused("Only an editor may seal.")
    if not reason.strip():
        raise Refused("A seal says why: rights, a name change, or personal data.")
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL corrigenda.mode = 'decision'")
        entry = Decision.objects.filter(number=number, kind=EntryKind.DECISION).select_for_update(of=("self",)).first()
        if entry is None:
            raise Refused(f"There is no decision #{number}.")
        if cells and not set(cells) <= set(entry.changes.values_list("record__key", "field")):
            raise Refused(f"#{number} did not change all of these cells.")
        made = _enter(number, reason.strip(), editor, sorted(cells))
        if cells:
            for key, field in cells:
                _seal_cell(made, key, field)
        else:
            _seal_texts(made, entry)
        SiteVersion.bump()
    return made


def _enter(number: int, reason: str, editor: User, cells: list[tuple[str, str]]) -> Decision:
    place, previous = take_turn()
    made = Decision(
        number=place,
        kind=EntryKind.SEAL,
        at=timezone.now(),
        reader=public_name(editor),
        reader_id=editor.pk,
        facts={"seals": number, "cells": [{"record": key, "field": field} for key, field in cells]},
        previous_digest=previous,
    )
    set_texts(made, reason=reason)
    made.digest = entry_digest(made, [])
    made.save(force_insert=True)
    return made


def _seal_texts(made: Decision, entry: Decision) -> None:
    changed = Decision.objects.filter(pk=entry.pk, sealed_by=None).update(
        reason=None, reason_salt=None, quote=None, quote_salt=None, reading=None, reading_salt=None, sealed_by=made
    )
    if not changed:
        raise Refused(f"The texts of #{entry.number} are sealed already.")


def _seal_cell(made: Decision, key: str, field: str) -> None:
    # By its id: across the relation, each of many cells would read the whole table.
    record = Record.objects.values_list("pk", flat=True).get(key=key)
    changes = Change.objects.filter(record=record, field=field, sealed_by=None)
    changed = changes.update(before=None, before_salt=None, after=None, after_salt=None, sealed_by=made)
    if not changed:
        raise Refused(f"{key}, {field}: sealed already.")
    Base.objects.filter(record=record, field=field).update(value=as_json(None), sealed=True)
    Report.objects.filter(record=record, field=field).update(value_seen=as_json(None), proposed=as_json(None))

"""The log, proved from the database alone: whole, in line, and the archive's corrected cells as it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from archive.exporters.dumps import one_moment
from archive.models import Base
from archive.verification import Checked, Fault, verify
from corrections.cells import read_cell
from corrections.chain import GENESIS, entry_digest, links_of, salted_digest
from corrections.models import Change, Decision


def verify_all(tell: Callable[[Checked], None] = lambda checked: None) -> list[Fault]:
    """Check the archive and the log; `tell` hears of each check as it ends. Gives every fault, named.

    Reads everything once, in one read-only moment.
    """
    with one_moment():
        return verify(tell) + verify_log(tell)


def verify_log(tell: Callable[[Checked], None] = lambda checked: None) -> list[Fault]:
    """Check the log alone, and the cells it speaks of: as fast as there are decisions, whatever the archive's size."""
    faults = []
    for checked in (_chain(), _texts(), _cells(), _bases()):
        tell(checked)
        faults.extend(checked.faults)
    return faults


def _chain() -> Checked:
    check, faults, count = "log: chain of entries", [], 0
    previous, expected = GENESIS, 1
    for entry in Decision.objects.order_by("number").iterator(chunk_size=500):
        count += 1
        subject = f"#{entry.number}"
        if entry.number != expected:
            faults.append(Fault(check, subject, f"the entry follows #{expected - 1}: numbers are missing"))
        if bytes(entry.previous_digest) != previous:
            faults.append(Fault(check, subject, "it does not name the digest of the entry before"))
        if entry_digest(entry, links_of(entry)) != bytes(entry.digest):
            faults.append(Fault(check, subject, "its digest does not cover what it says"))
        previous, expected = bytes(entry.digest), entry.number + 1
    return Checked(check, count, faults)


def _salted(row: Decision | Change, names: tuple[str, ...], subject: str, check: str) -> Iterator[Fault]:
    for name in names:
        salt, digest = getattr(row, f"{name}_salt"), bytes(getattr(row, f"{name}_digest"))
        if salt is not None and salted_digest(bytes(salt), getattr(row, name)) != digest:
            yield Fault(check, subject, f"its {name} does not hash to the digest in the chain")


def _texts() -> Checked:
    """Every text and value of the log against its salted digest; sealed ones are neither right nor wrong."""
    check, count, sealed = "log: texts and values", 0, 0
    faults: list[Fault] = []
    for entry in Decision.objects.order_by("number").iterator(chunk_size=500):
        count += 1
        sealed += entry.sealed_by_id is not None
        faults += _salted(entry, ("reason", "quote", "reading"), f"#{entry.number}", check)
    for change in Change.objects.select_related("record").order_by("id").iterator(chunk_size=500):
        count += 1
        sealed += change.sealed_by_id is not None
        subject = f"#{change.decision_id} {change.record.key} {change.field}"
        faults += _salted(change, ("before", "after"), subject, check)
    return Checked(check, count, faults, sealed)


def _cells() -> Checked:
    """Every corrected cell holds what its last change says, and each change follows the one before it."""
    check, faults, count, sealed = "log: corrected cells", [], 0, 0
    for change in Change.objects.select_related("record", "previous").order_by("id").iterator(chunk_size=500):
        subject = f"{change.record.key} {change.field}"
        if change.previous and bytes(change.previous.after_digest) and not _follows(change):
            faults.append(
                Fault(
                    check, subject, f"#{change.decision_id} does not start from what #{change.previous.decision_id} set"
                )
            )
    for change in Change.objects.filter(next=None).select_related("record").order_by("id").iterator(chunk_size=500):
        count += 1
        if change.sealed_by_id is not None:
            sealed += 1
        elif read_cell(change.record, change.field) != change.after:
            subject = f"{change.record.key} {change.field}"
            faults.append(Fault(check, subject, f"it does not hold what #{change.decision_id} set"))
    return Checked(check, count, faults, sealed)


def _follows(change: Change) -> bool:
    previous = change.previous
    if previous is None or change.sealed_by_id is not None or previous.sealed_by_id is not None:
        return True
    return bool(change.before == previous.after)


def _bases() -> Checked:
    """Every corrected cell has its base, and every base a change."""
    check = "log: bases of corrected cells"
    changed = set(Change.objects.exclude(field="exists").values_list("record__key", "field"))
    based = set(Base.objects.values_list("record__key", "field"))
    faults = [
        Fault(check, f"{key} {name}", "corrected, but the snapshot's value is not kept")
        for key, name in changed - based
    ]
    faults += [Fault(check, f"{key} {name}", "has a base, but no entry corrects it") for key, name in based - changed]
    return Checked(check, len(based), faults)

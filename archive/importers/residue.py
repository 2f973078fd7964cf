"""What a record's columns do not say of its dump record, so that the export gives it back exactly.

The importer renders the parsed values as a dump record again and keeps the difference, key by key. For the final
dump's own form that is nothing; an older era's missing keys, "" for null, "True" for true, odd types and unknown
keys all end up here, and nothing can be lost by an oversight in a parser.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from archive.canonical import canonical_parsed as canonical
from archive.canonical import parse_exact
from archive.importers.reading import RawRecord


def residue(
    raw: Mapping[str, Any],
    rendered: Mapping[str, Any],
    *,
    printed: bytes | None = None,
    nonfinite: Mapping[str, str] | None = None,
) -> str:
    """Canonical JSON {"absent": [key], "nonfinite": {pointer: "NaN"}, "set": {key: value}} without empty parts, or "".

    `printed` is the canonical form of `raw` where the caller has it. Comparison is of canonical forms, since in
    Python 1, 1.0 and True are equal.
    """
    if not nonfinite and canonical(rendered) == (printed if printed is not None else canonical(raw)):
        return ""
    absent = sorted(key for key in rendered if key not in raw)
    differing = [
        canonical(key) + b":" + text
        for key, value in sorted(raw.items())
        if (text := canonical(value)) != (canonical(rendered[key]) if key in rendered else None)
    ]
    return _joined(absent, nonfinite, differing)


def residue_of(raw: RawRecord, rendered: Mapping[str, Any]) -> str:
    """The residue of a whole dump record."""
    nonfinite = dict(zip(raw.nonfinite, raw.constants, strict=True))
    return residue(raw.value or {}, rendered, printed=raw.canonical, nonfinite=nonfinite)


def printed_otherwise(extra: str, key: str, printed: Any) -> str:
    """The residue of a record that is now rendered with another value of `key` than the `printed` one."""
    parts = parse_exact(extra) if extra else {}
    absent, differing = parts.get("absent", []), parts.get("set", {})
    if key in absent or key in differing:
        return extra
    values = sorted({**differing, key: printed}.items())
    return _joined(
        absent, parts.get("nonfinite"), [canonical(name) + b":" + canonical(value) for name, value in values]
    )


def _joined(absent: Collection[str], nonfinite: Mapping[str, str] | None, differing: Collection[bytes]) -> str:
    # By hand: as one nested value it could be deeper than a canonical form may be.
    parts = [
        *([b'"absent":' + canonical(list(absent))] if absent else []),
        *([b'"nonfinite":' + canonical(dict(nonfinite))] if nonfinite else []),
        *([b'"set":{' + b",".join(differing) + b"}"] if differing else []),
    ]
    return (b"{" + b",".join(parts) + b"}").decode() if parts else ""


def restore(rendered: dict[str, Any], extra: str, without: Collection[str] = ()) -> dict[str, Any]:
    """The dump record: `rendered` as `residue` says it was printed. Changes and returns `rendered`.

    Keys in `without` stay as rendered: their value is no longer the one that was printed.
    """
    if extra:
        parts = parse_exact(extra)
        for key in parts.get("absent", ()):
            if key not in without:
                rendered.pop(key, None)
        rendered.update((key, value) for key, value in parts.get("set", {}).items() if key not in without)
    return rendered

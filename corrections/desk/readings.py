"""What a reader read at the source before seeing a proposal, kept in the session until the case is decided."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest

KEPT = 20
"""Cases whose readings a session keeps; the oldest go first."""

_PLACE = "desk_readings"


@dataclass(frozen=True)
class Reading:
    """The state of a case for one reader: what was read blind (None if nothing was), and whether they looked first."""

    text: str | None = None
    uncovered: bool = False

    @property
    def covers(self) -> bool:
        """Whether the proposal is still to be covered."""
        return self.text is None and not self.uncovered


def _name(key: str, field: str) -> str:
    return f"{key}?{field}"


def of(request: HttpRequest, key: str, field: str) -> Reading:
    """The reader's reading of a case."""
    kept = request.session.get(_PLACE, {}).get(_name(key, field))
    return Reading(**kept) if kept else Reading()


def record(request: HttpRequest, key: str, field: str, text: str) -> None:
    """Keep what was read before the proposal was seen. The first reading stands; after a look there is none."""
    if of(request, key, field).covers:
        _keep(request, _name(key, field), {"text": text, "uncovered": False})


def uncover(request: HttpRequest, key: str, field: str) -> None:
    """Note that the proposal was looked at before anything was read."""
    if of(request, key, field).covers:
        _keep(request, _name(key, field), {"text": None, "uncovered": True})


def forget(request: HttpRequest, key: str, field: str) -> None:
    """Drop the reading of a decided case."""
    kept = dict(request.session.get(_PLACE, {}))
    if kept.pop(_name(key, field), None) is not None:
        request.session[_PLACE] = kept


def _keep(request: HttpRequest, name: str, state: dict[str, object]) -> None:
    kept = {**request.session.get(_PLACE, {}), name: state}
    request.session[_PLACE] = dict(list(kept.items())[-KEPT:])

"""links-between-papers-and-code: a dump record to values, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from archive.importers import fields
from archive.importers.bulk import Ids, columns
from archive.importers.dump_files import DumpKind
from archive.importers.reading import Identified, RawRecord
from archive.importers.residue import residue_of
from archive.importers.session import Session, identity_of, name_columns
from archive.importers.slugs import slug_in, slug_of
from archive.models import CodeLink, Record, RecordKind, Repository

KIND = RecordKind.CODE


@dataclass(slots=True)
class CodeLinkValues:
    """What the columns of one link hold."""

    paper_url: str | None
    paper_title: str | None
    paper_arxiv_id: str | None
    paper_url_abs: str | None
    paper_url_pdf: str | None
    repo_url: str | None
    is_official: bool | None
    mentioned_in_paper: bool | None
    mentioned_in_github: bool | None
    framework: str | None

    def as_dump(self) -> dict[str, Any]:
        """The record in the final dump's form."""
        return {
            "paper_url": self.paper_url,
            "paper_title": self.paper_title,
            "paper_arxiv_id": self.paper_arxiv_id,
            "paper_url_abs": self.paper_url_abs,
            "paper_url_pdf": self.paper_url_pdf,
            "repo_url": self.repo_url,
            "is_official": self.is_official,
            "mentioned_in_paper": self.mentioned_in_paper,
            "mentioned_in_github": self.mentioned_in_github,
            "framework": self.framework,
        }


def parse(raw: fields.Raw) -> CodeLinkValues:
    """Read one record of any era. Never raises."""
    text, flag = fields.text, fields.flag
    return CodeLinkValues(
        paper_url=text(raw, "paper_url"),
        paper_title=text(raw, "paper_title"),
        paper_arxiv_id=text(raw, "paper_arxiv_id"),
        paper_url_abs=text(raw, "paper_url_abs"),
        paper_url_pdf=text(raw, "paper_url_pdf"),
        repo_url=text(raw, "repo_url"),
        is_official=flag(raw, "is_official"),
        mentioned_in_paper=flag(raw, "mentioned_in_paper"),
        mentioned_in_github=flag(raw, "mentioned_in_github"),
        framework=text(raw, "framework"),
    )


class RepositoryAddress(NamedTuple):
    """A repository's normalised address and its parts."""

    url: str
    host: str
    owner: str | None
    name: str | None


# On these hosts a repository is /owner/name whatever follows, and case does not matter.
_OWNER_AND_NAME = {"github.com", "gitlab.com", "bitbucket.org"}


def repository_of(url: str | None) -> RepositoryAddress | None:
    """The repository that a printed address names: https, no www, no trailing slash, no .git, no /tree/…; None if none.

    Case is folded where the host does not tell it apart, so near-duplicate spellings share one repository.
    """
    try:
        parts = urlsplit((url or "").strip())
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:  # such as a broken IPv6 host
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    path = parts.path.strip("/")
    if host in _OWNER_AND_NAME:
        owner, _, rest = path.lower().partition("/")
        name = rest.split("/", 1)[0].removesuffix(".git")
        if owner and name:
            return RepositoryAddress(f"https://{host}/{owner}/{name}", host, owner, name)
        path = path.lower()
    query = f"?{parts.query}" if parts.query else ""
    return RepositoryAddress(f"https://{host}/{path.removesuffix('.git')}{query}".rstrip("/"), host, None, None)


class Repositories:
    """The repositories of one import, by normalised address. Reads what the database holds at the first use."""

    def __init__(self, session: Session) -> None:
        self._session, self._next_id = session, Ids(Repository)
        self._ids: dict[str, int] | None = None

    def __call__(self, address: RepositoryAddress | None) -> int | None:
        """The primary key of a repository, made when it is new; None where no address is printed."""
        if address is None:
            return None
        if self._ids is None:
            self._ids = dict(Repository.objects.values_list("url", "id").iterator(chunk_size=10_000))
        key = self._ids.get(address.url)
        if key is None:
            key = self._ids[address.url] = self._next_id()
            self._session.bulk.rows(Repository).append((key, *address))
        return key


class Described(NamedTuple):
    """What else can be said of a link by itself."""

    paper: str | None
    """The slug of its paper's page."""
    slug: str
    """That, or one made of the paper's title."""
    named: str
    """The columns of its name and of what it is sorted by."""
    extra: str
    repository: RepositoryAddress | None
    printed: str
    """The columns from the paper's page to where the link is mentioned."""
    framework: str | None


def identify(raw: RawRecord) -> Identified:
    """How a record is known: by its paper and its repository. Never raises, no query."""
    value = raw.value or {}
    texts = (fields.text(value, key) for key in ("paper_url", "paper_url_abs", "paper_arxiv_id", "paper_title"))
    paper = next((text for text in texts if text), "")
    identity = identity_of(KIND, paper, fields.text(value, "repo_url") or "")
    return raw.ordinal, raw.digest, identity, "", False


def describe(raw: RawRecord) -> Described:
    """What can be said of a record by itself. Never raises, no query."""
    values = parse(raw.value or {})
    paper = slug_in(values.paper_url, "paper")
    return Described(
        paper,
        paper or slug_of(values.paper_title or "unnamed"),
        name_columns(values.repo_url or ""),
        residue_of(raw, values.as_dump()),
        repository_of(values.repo_url),
        columns(
            values.paper_url,
            values.paper_title,
            values.paper_arxiv_id,
            values.paper_url_abs,
            values.paper_url_pdf,
            values.repo_url,
            values.is_official,
            values.mentioned_in_paper,
            values.mentioned_in_github,
        ),
        values.framework,
    )


class CodeLinkWriter:
    """Takes the records of the dump one by one, after the papers."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.repositories = Repositories(session)
        self._numbers: dict[str, int] = {}
        if not session.first:
            keys = Record.objects.filter(kind=KIND).values_list("key", flat=True)
            for key in keys.iterator(chunk_size=10_000):
                paper, _, number = key.rpartition("/code/")
                self._numbers[paper] = max(self._numbers.get(paper, 0), int(number))
            papers = Record.objects.filter(kind=RecordKind.PAPER).values_list("identity", "id")
            for identity, paper_id in papers.iterator(chunk_size=10_000):
                session.papers.setdefault(bytes(identity), paper_id)

    def take(self, record: Identified, describe: Callable[[Any], Described], said: Any) -> None:
        """Write one record if it is new or changed. Its key names the paper's slug, in the archive or not.

        `describe` makes a `Described`, or as plain a tuple, of what is said of it.
        """
        session = self.session
        ordinal, digest, identity, _, _ = record
        seen = session.see(KIND, identity, digest, ordinal)
        if seen.same:
            return
        paper, slug, named, extra, repository, printed, framework = describe(said)
        paper_id = session.papers.get(identity_of(RecordKind.PAPER, paper)) if paper else None
        key = self._new_key(slug) if seen.new else session.key_of(seen)
        session.add_record(
            seen,
            KIND,
            key=key,
            named=named,
            dump=DumpKind.LINKS,
            ordinal=ordinal,
            digest=digest,
            extra=extra,
        )
        before = columns(seen.id, paper_id, int(key.rpartition("/")[2]), self.repositories(repository))
        after = columns(session.frameworks(framework) if framework else None)
        session.bulk.lines(CodeLink).append(f"{before}\t{printed}\t{after}\n")

    def finish(self) -> None:
        """Nothing waits."""

    def _new_key(self, slug: str) -> str:
        paper = f"paper/{slug}"
        number = self._numbers[paper] = self._numbers.get(paper, 0) + 1
        return f"{paper}/code/{number}"

"""The archive in the admin: to be looked at, by nobody to be changed. Only imports and decisions write it."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, Q, QuerySet, Value
from django.db.models.functions import MD5
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString

from archive.importers.slugs import sort_key
from archive.models import (
    Author,
    CodeLink,
    Dataset,
    ImportedFile,
    ImportRun,
    Leaderboard,
    Method,
    Paper,
    Record,
    RecordKind,
    Repository,
    Result,
    Task,
    UnreadableRecord,
)

MOST_LISTED = 1_000
"""Rows that a list goes through; a table may have a million, and nobody reads on from here."""
HELP = f"The beginning of a key or a name. At most {MOST_LISTED:,} are listed."


class CappedPaginator(Paginator):
    """Pages of the first rows, which never counts a whole table."""

    @cached_property
    def count(self) -> int:
        """The number of rows, at most `MOST_LISTED`. One query that stops there."""
        rows = self.object_list
        if not isinstance(rows, QuerySet):
            return len(rows)
        return rows.order_by()[:MOST_LISTED].count()


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows to be looked at by any staff; neither added, changed nor deleted by anyone, superusers included."""

    actions = None
    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 50
    ordering = ("pk",)
    sortable_by = ()

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody deletes."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """All staff may look: the archive is public."""
        return bool(request.user.is_active and getattr(request.user, "is_staff", False))

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Likewise."""
        return self.has_view_permission(request)


class FoundByNameAdmin(ReadOnlyAdmin):
    """Rows found by the beginning of their slug or name, which an index answers."""

    search_fields = ("sort_key",)
    search_help_text = HELP
    list_display = ("name", "slug")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The rows whose slug or name begins so."""
        text = search_term.strip()
        if not text:
            return queryset, False
        return queryset.filter(Q(slug__startswith=text) | Q(sort_key__startswith=sort_key(text))), False


def _records(text: str, kinds: list[RecordKind]) -> QuerySet[Record]:
    by_name = Q(kind__in=kinds, sort_key__startswith=sort_key(text))
    return Record.objects.filter(by_name | Q(kind__in=kinds, key__startswith=text.strip().strip("/")))


@admin.register(Record)
class RecordAdmin(ReadOnlyAdmin):
    """The spine: everything with an address."""

    list_display = ("key", "kind", "name", "revision", "quarantined", "withdrawn", "dropped_in")
    list_filter = ("kind", "withdrawn")
    list_select_related = ("merged_into",)
    search_fields = ("key",)
    search_help_text = HELP
    exclude = ("identity", "digest")
    readonly_fields = ("page",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The records whose key or name begins so."""
        if not search_term.strip():
            return queryset, False
        return queryset.filter(pk__in=_records(search_term, list(RecordKind)).values("pk")), False

    @admin.display(description="Page")
    def page(self, record: Record) -> SafeString:
        """A link to the record's page."""
        return format_html('<a href="{}">{}</a>', record.path, record.path)


class DetailAdmin(ReadOnlyAdmin):
    """A kind's own table, found by its record's key or name."""

    kind: RecordKind
    list_display: Any = ("key", "name")
    list_select_related: ClassVar[Any] = ("record",)
    search_fields = ("record__key",)
    search_help_text = HELP

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The rows whose record's key or name begins so."""
        if not search_term.strip():
            return queryset, False
        return queryset.filter(pk__in=_records(search_term, [self.kind]).values("pk")), False

    @admin.display(description="Key")
    def key(self, row: Any) -> str:
        """The record's key."""
        return str(row.record.key)

    @admin.display(description="Name")
    def name(self, row: Any) -> str:
        """The record's name."""
        return str(row.record.name)


@admin.register(Paper)
class PaperAdmin(DetailAdmin):
    """Papers."""

    kind = RecordKind.PAPER
    list_display = ("key", "name", "arxiv_id", "date")


@admin.register(Dataset)
class DatasetAdmin(DetailAdmin):
    """Datasets."""

    kind = RecordKind.DATASET
    list_display = ("key", "name", "homepage")


@admin.register(Task)
class TaskAdmin(DetailAdmin):
    """Tasks."""

    kind = RecordKind.TASK


@admin.register(Method)
class MethodAdmin(DetailAdmin):
    """Methods."""

    kind = RecordKind.METHOD


@admin.register(Leaderboard)
class LeaderboardAdmin(DetailAdmin):
    """Leaderboards."""

    kind = RecordKind.LEADERBOARD
    list_display = ("key", "dataset_name", "row_count")


@admin.register(Result)
class ResultAdmin(DetailAdmin):
    """Rows of leaderboards."""

    kind = RecordKind.RESULT
    list_display = ("key", "position", "model_name", "paper_title")


@admin.register(CodeLink)
class CodeLinkAdmin(DetailAdmin):
    """Links between papers and code."""

    kind = RecordKind.CODE
    list_display = ("key", "repo_url", "is_official")


@admin.register(Author)
class AuthorAdmin(FoundByNameAdmin):
    """Authors."""


@admin.register(Repository)
class RepositoryAdmin(ReadOnlyAdmin):
    """Repositories."""

    list_display = ("url", "host")
    search_fields = ("url",)
    search_help_text = f"The address, whole. At most {MOST_LISTED:,} are listed."

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The repository at that address, found as its unique index has it."""
        url = search_term.strip()
        if not url:
            return queryset, False
        return queryset.alias(digest=MD5("url")).filter(digest=MD5(Value(url)), url=url), False


@admin.register(ImportRun)
class ImportRunAdmin(ReadOnlyAdmin):
    """Imports."""

    ordering = ("-pk",)


@admin.register(ImportedFile)
class ImportedFileAdmin(ReadOnlyAdmin):
    """The dumps of each import."""

    ordering = ("-pk",)
    list_select_related = ("run",)


@admin.register(UnreadableRecord)
class UnreadableRecordAdmin(ReadOnlyAdmin):
    """Records that could not be read, kept as bytes."""

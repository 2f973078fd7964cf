"""Search: the text search configurations, what names are compared by, and the tables that searching reads."""

from __future__ import annotations

import django.contrib.postgres.search
import django.db.models.deletion
from django.contrib.postgres.operations import TrigramExtension, UnaccentExtension
from django.db import migrations, models

from archive.guard import Openness, protect

KINDS = [
    ("paper", "Paper"),
    ("dataset", "Dataset"),
    ("task", "Task"),
    ("method", "Method"),
    ("leaderboard", "Leaderboard"),
    ("result", "Result"),
    ("code", "Code"),
]
RANKS = [
    (0, "its name or title"),
    (1, "another name: full name, variant, synonym"),
    (2, "an acronym in its title or full name"),
]
TABLES = ("archive_searchdocument", "archive_searchtext", "archive_searchname", "archive_searchword")

# `corrigenda` keeps every word, since "it" and "all" may be what a title has; `corrigenda_text` leaves stop words,
# compounds and addresses out of running text. Neither stems: names are not English.
CONFIGURATIONS = """
CREATE TEXT SEARCH CONFIGURATION corrigenda (COPY = pg_catalog.simple);
ALTER TEXT SEARCH CONFIGURATION corrigenda
  ALTER MAPPING FOR word, numword, hword, hword_part, numhword, hword_numpart WITH unaccent, simple;
CREATE TEXT SEARCH DICTIONARY corrigenda_stop (TEMPLATE = pg_catalog.simple, STOPWORDS = english);
CREATE TEXT SEARCH CONFIGURATION corrigenda_text (COPY = corrigenda);
ALTER TEXT SEARCH CONFIGURATION corrigenda_text
  DROP MAPPING FOR email, url, host, url_path, file, sfloat, float, version, hword, asciihword, numhword;
ALTER TEXT SEARCH CONFIGURATION corrigenda_text
  ALTER MAPPING FOR asciiword, hword_asciipart WITH corrigenda_stop;
"""

# The default parser takes "and/or" for a file and the -3 of "GPT-3" for a number, so punctuation goes first.
# What hyphens and apostrophes join is also kept as one word: "multi-turn" is found as "multiturn".
FUNCTIONS = r"""
CREATE FUNCTION archive_search_spaced(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace($1, '[]!-/:-@[\\^_`{-~‐-―‘-‟…]+', ' ', 'g')
$$;
CREATE FUNCTION archive_search_words(text) RETURNS tsvector LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('public.corrigenda', archive_search_spaced($1))
    || CASE WHEN $1 ~ '\w[-‐‑''’]\w'
       THEN to_tsvector('public.corrigenda', archive_search_spaced(regexp_replace($1, '[-‐‑''’]', '', 'g')))
       ELSE '' END
$$;
CREATE FUNCTION archive_search_key(text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT left(regexp_replace(lower(unaccent($1)), '[]\s!-/:-@[\\^_`{-~‐-―‘-‟…]+', '', 'g'), 120)
$$;
"""
DROP_CONFIGURATIONS = """
DROP TEXT SEARCH CONFIGURATION corrigenda_text;
DROP TEXT SEARCH DICTIONARY corrigenda_stop;
DROP TEXT SEARCH CONFIGURATION corrigenda;
"""
DROP_FUNCTIONS = """
DROP FUNCTION archive_search_words(text);
DROP FUNCTION archive_search_spaced(text);
DROP FUNCTION archive_search_key(text);
"""

# Papers are nine of ten records: apart from the rest, a search among the few does not wade through the many.
INDEXES = {
    "archive_searchdocument_papers": "archive_searchdocument USING gin (words) WHERE kind = 'paper'",
    "archive_searchdocument_others": "archive_searchdocument USING gin (words) WHERE kind <> 'paper'",
    "archive_searchtext_papers": "archive_searchtext USING gin (words) WHERE kind = 'paper'",
    "archive_searchtext_others": "archive_searchtext USING gin (words) WHERE kind <> 'paper'",
    "archive_searchname_alike": "archive_searchname USING gin (key gin_trgm_ops) WHERE kind <> 'paper'",
    "archive_author_words": "archive_author USING gin (to_tsvector('public.corrigenda', archive_search_spaced(name)))",
}


def record_key(name: str) -> models.OneToOneField:
    return models.OneToOneField(
        db_constraint=False,
        on_delete=django.db.models.deletion.PROTECT,
        primary_key=True,
        related_name=name,
        serialize=False,
        to="archive.record",
    )


class Migration(migrations.Migration):
    dependencies = (("archive", "0002_guard"),)

    operations = (
        TrigramExtension(),
        UnaccentExtension(),
        migrations.RunSQL(CONFIGURATIONS, DROP_CONFIGURATIONS),
        migrations.RunSQL(FUNCTIONS, DROP_FUNCTIONS),
        migrations.CreateModel(
            name="SearchDocument",
            fields=[
                ("record", record_key("search_document")),
                ("kind", models.CharField(choices=KINDS, max_length=12)),
                ("revision", models.IntegerField(help_text="The record's revision that this was made of.")),
                (
                    "popularity",
                    models.FloatField(help_text="ln(1 + n): n papers, rows or repositories, by kind; see `indexing`."),
                ),
                ("span", models.SmallIntegerField(help_text="Distinct words of the title.")),
                (
                    "words",
                    django.contrib.postgres.search.SearchVectorField(
                        help_text="Weight A: name or title; B: other names; C: authors as printed."
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SearchText",
            fields=[
                ("record", record_key("search_text")),
                ("kind", models.CharField(choices=KINDS, max_length=12)),
                ("popularity", models.FloatField(help_text="As in SearchDocument.")),
                ("words", django.contrib.postgres.search.SearchVectorField()),
            ],
        ),
        migrations.CreateModel(
            name="SearchName",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "record", "key", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("key", models.CharField(db_collation="C", max_length=120)),
                ("kind", models.CharField(choices=KINDS, max_length=12)),
                ("rank", models.SmallIntegerField(choices=RANKS)),
                ("popularity", models.FloatField(help_text="As in SearchDocument.")),
                (
                    "record",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="search_names",
                        to="archive.record",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["key"], name="archive_searchname_key"),
                    models.Index(
                        condition=models.Q(("kind", "paper"), _negated=True),
                        fields=["key"],
                        name="archive_searchname_short",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SearchWord",
            fields=[
                ("word", models.CharField(db_collation="C", max_length=60, primary_key=True, serialize=False)),
                (
                    "frequency",
                    models.IntegerField(
                        help_text="Records with it in title or names when the list was last made anew."
                    ),
                ),
            ],
        ),
        *(
            migrations.RunSQL(f"CREATE INDEX {name} ON {definition};", f"DROP INDEX {name};")
            for name, definition in INDEXES.items()
        ),
        # Derived, yet guarded like the archive: a decision refreshes what it changes, and nothing else writes here.
        *protect(TABLES, Openness.DECIDED),
    )

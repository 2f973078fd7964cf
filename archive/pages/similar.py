"""Datasets like a dataset: those that share most of its tasks, modalities and languages, each with what it shares."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from archive.models import Dataset
from archive.pages.base import described, documented

SHOWN = 8
NAMED = 4
"""Of each kind that is shared, the names that the page spells out; the JSON has all."""
SIMILAR_NOTE = (
    "Worked out here, not in the archive: datasets that share tasks, modalities or languages with this one as they "
    "stand now. What few datasets have counts most; nothing is said of what is in the data."
)

# What is shared weighs ln(all datasets / those that have it): nothing where all have it, most where hardly any has.
_SIMILAR = """
    WITH own AS (
      (SELECT DISTINCT ON (t.task_id) 'task' AS kind, t.task_id AS term, t.position, n.name
       FROM archive_datasettask t JOIN archive_taskname n ON n.id = t.name_id
       WHERE t.dataset_id = %(dataset)s ORDER BY t.task_id, t.position)
      UNION ALL
      (SELECT DISTINCT ON (t.modality_id) 'modality', t.modality_id, t.position, m.name
       FROM archive_datasetmodality t JOIN archive_modality m ON m.id = t.modality_id
       WHERE t.dataset_id = %(dataset)s ORDER BY t.modality_id, t.position)
      UNION ALL
      (SELECT DISTINCT ON (t.language_id) 'language', t.language_id, t.position, l.name
       FROM archive_datasetlanguage t JOIN archive_language l ON l.id = t.language_id
       WHERE t.dataset_id = %(dataset)s ORDER BY t.language_id, t.position)
    ), shared AS (
      SELECT own.*, t.dataset_id FROM own JOIN archive_datasettask t ON t.task_id = own.term WHERE own.kind = 'task'
      UNION
      SELECT own.*, t.dataset_id FROM own JOIN archive_datasetmodality t ON t.modality_id = own.term
      WHERE own.kind = 'modality'
      UNION
      SELECT own.*, t.dataset_id FROM own JOIN archive_datasetlanguage t ON t.language_id = own.term
      WHERE own.kind = 'language'
    ), weighed AS (
      SELECT *, ln((SELECT count(*) FROM archive_dataset)::float / count(*) OVER (PARTITION BY kind, term)) AS weight
      FROM shared
    )
    SELECT r.name, r.key,
      coalesce(array_agg(w.name ORDER BY w.position) FILTER (WHERE w.kind = 'task'), '{}'),
      coalesce(array_agg(w.name ORDER BY w.position) FILTER (WHERE w.kind = 'modality'), '{}'),
      coalesce(array_agg(w.name ORDER BY w.position) FILTER (WHERE w.kind = 'language'), '{}')
    FROM weighed w JOIN archive_record r ON r.id = w.dataset_id JOIN archive_dataset d ON d.record_id = r.id
    WHERE r.id <> %(dataset)s AND r.quarantined = '' AND NOT r.withdrawn AND r.merged_into_id IS NULL
      AND r.dropped_in IS NULL
    GROUP BY r.id, d.num_papers ORDER BY sum(w.weight) DESC, d.num_papers DESC NULLS LAST, r.id LIMIT %(most)s
"""


@documented
class SimilarDataset:
    """A dataset that shares something with another, and what."""

    dataset: str = described("Address on this site of the dataset.")
    name: str = described("Its name.")
    shared_tasks: Sequence[str] = described("Tasks of both, by the names printed with the page's dataset.")
    shared_modalities: Sequence[str] = described("Modalities of both.")
    shared_languages: Sequence[str] = described("Languages of both.")

    @property
    def why(self) -> Sequence[tuple[str, Sequence[str], int]]:
        """What is shared: the kind in words, the first names, how many more. Kinds without any are left out."""
        kinds = (
            ("task", self.shared_tasks),
            ("modality", self.shared_modalities),
            ("language", self.shared_languages),
        )
        many = {"task": "tasks", "modality": "modalities", "language": "languages"}
        return [
            (many[kind] if len(names) > 1 else kind, names[:NAMED], len(names[NAMED:]))
            for kind, names in kinds
            if names
        ]


def similar_to(dataset: Dataset) -> list[SimilarDataset]:
    """The datasets that share most with one, at most SHOWN, as things stand now. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_SIMILAR, {"dataset": dataset.pk, "most": SHOWN})
        return [
            SimilarDataset(
                dataset=f"/{key}", name=name, shared_tasks=tasks, shared_modalities=modalities, shared_languages=spoken
            )
            for name, key, tasks, modalities, spoken in cursor.fetchall()
        ]

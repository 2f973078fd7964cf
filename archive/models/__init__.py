"""The archive's tables, one file per family; public names are re-exported here.

Submodules keep one direction of dependence: records and vocabularies, then tasks, methods, papers and datasets, then
leaderboards and code.
Nothing in this package imports `corrections`.
"""

from __future__ import annotations

from archive.models.code import CodeLink, Repository
from archive.models.datasets import (
    DataLoader,
    Dataset,
    DatasetLanguage,
    DatasetModality,
    DatasetTask,
    DatasetVariant,
)
from archive.models.imports import ImportedFile, ImportRun, UnreadableRecord
from archive.models.leaderboards import Leaderboard, LeaderboardMetric, Result, ResultMetric
from archive.models.methods import Collection, CollectionMembership, Method, PrintedMethod
from archive.models.papers import Authorship, Paper, PaperMethod, PaperTask
from archive.models.records import Base, DetailBase, Record, RecordKind, SiteVersion
from archive.models.search import NameRank, SearchDocument, SearchName, SearchText, SearchWord
from archive.models.tasks import Task, TaskArea, TaskName, TaskNode, TaskSynonym, TaskTable
from archive.models.vocabularies import Area, Author, Framework, Language, Modality, Proceeding

__all__ = [
    "Area",
    "Author",
    "Authorship",
    "Base",
    "CodeLink",
    "Collection",
    "CollectionMembership",
    "DataLoader",
    "Dataset",
    "DatasetLanguage",
    "DatasetModality",
    "DatasetTask",
    "DatasetVariant",
    "DetailBase",
    "Framework",
    "ImportRun",
    "ImportedFile",
    "Language",
    "Leaderboard",
    "LeaderboardMetric",
    "Method",
    "Modality",
    "NameRank",
    "Paper",
    "PaperMethod",
    "PaperTask",
    "PrintedMethod",
    "Proceeding",
    "Record",
    "RecordKind",
    "Repository",
    "Result",
    "ResultMetric",
    "SearchDocument",
    "SearchName",
    "SearchText",
    "SearchWord",
    "SiteVersion",
    "Task",
    "TaskArea",
    "TaskName",
    "TaskNode",
    "TaskSynonym",
    "TaskTable",
    "UnreadableRecord",
]

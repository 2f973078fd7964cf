"""What lists of tasks say of each."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from archive.pages.task_lists import CountedTask

register = template.Library()


@register.simple_tag
def task_counts(task: CountedTask) -> SafeString | str:
    """What there is of a task in a list, in small print; nothing where there is nothing."""
    parts = [
        f"{number:,} {thing}{'' if number == 1 else 's'}"
        for number, thing in (
            (task.leaderboards, "leaderboard"),
            (task.subtasks, "subtask"),
            (task.papers, "paper"),
        )
        if number
    ]
    return format_html('<span class="aside">{}</span>', " · ".join(parts)) if parts else ""

"""Indexes by which papers are filtered by their code and results. Nothing else."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("archive", "0005_list_indexes"),)

    operations = (
        migrations.AddIndex(
            model_name="codelink",
            index=models.Index(name="archive_codelink_by_paper", fields=["paper"], include=["record", "framework"]),
        ),
        migrations.AddIndex(
            model_name="codelink",
            index=models.Index(name="archive_codelink_by_framework", fields=["framework", "paper"], include=["record"]),
        ),
        migrations.AddIndex(
            model_name="result",
            index=models.Index(name="archive_result_by_paper", fields=["paper"], include=["record", "leaderboard"]),
        ),
    )

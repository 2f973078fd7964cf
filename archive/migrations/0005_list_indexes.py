"""Indexes that the lists need at full size. Nothing else."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = (("archive", "0004_search"),)

    operations = (
        migrations.AddIndex(
            model_name="record",
            index=models.Index(
                name="archive_record_hidden",
                fields=["kind", "id"],
                condition=~Q(quarantined="", withdrawn=False, merged_into=None),
            ),
        ),
        migrations.AddIndex(
            model_name="paper",
            index=models.Index(F("date").desc(nulls_last=True), "record", name="archive_paper_by_date"),
        ),
    )

"""A withholding is confirmed once; of two confirmations at the same moment PostgreSQL refuses the second."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = (("corrections", "0003_groups"),)

    operations = (
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.UniqueConstraint(
                name="corrections_decision_confirmed_once",
                fields=["duplicate_of_decision"],
                condition=Q(outcome="withheld"),
            ),
        ),
    )

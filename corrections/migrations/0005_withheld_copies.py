"""A withholding takes the copies of a text along, in however many records they stand; and it only empties."""

from __future__ import annotations

from django.db import migrations

from corrections import log_triggers


class Migration(migrations.Migration):
    dependencies = (("corrections", "0004_confirmed_once"),)

    operations = (
        migrations.RunSQL(log_triggers.CHANGE_IN_LINE, migrations.RunSQL.noop),
        migrations.RunSQL(log_triggers.DECISION_WHOLE, migrations.RunSQL.noop),
    )

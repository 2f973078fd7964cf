"""The table of Django's cache, which all server processes share and a crash may empty: it counts wrong passwords."""

from django.db import migrations


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.RunSQL(
            "CREATE UNLOGGED TABLE config_cache (cache_key varchar(255) PRIMARY KEY, value text NOT NULL, "
            "expires timestamptz NOT NULL); CREATE INDEX config_cache_expires ON config_cache (expires)",
            "DROP TABLE config_cache",
        )
    ]

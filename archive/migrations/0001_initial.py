import django.contrib.postgres.fields
import django.db.models.constraints
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Record",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("paper", "Paper"),
                            ("dataset", "Dataset"),
                            ("task", "Task"),
                            ("method", "Method"),
                            ("leaderboard", "Leaderboard"),
                            ("result", "Result"),
                            ("code", "Code"),
                        ],
                        max_length=12,
                    ),
                ),
                ("key", models.CharField(db_collation="C", max_length=260, unique=True)),
                ("name", models.TextField(help_text="The name shown, verbatim.")),
                (
                    "sort_key",
                    models.CharField(
                        db_collation="C",
                        help_text="The name normalised for sorting, the same on every server.",
                        max_length=100,
                    ),
                ),
                (
                    "identity",
                    models.BinaryField(
                        help_text="16-byte digest of what the dump knows the record by; a re-import finds it so.",
                        max_length=16,
                    ),
                ),
                ("dump", models.CharField(help_text="The dump that gave the record.", max_length=8)),
                (
                    "ordinal",
                    models.IntegerField(help_text="0-based position of the record, or of its top-level task, there."),
                ),
                (
                    "digest",
                    models.BinaryField(
                        help_text="sha256 of the record's canonical form; null if only mentioned.",
                        max_length=32,
                        null=True,
                    ),
                ),
                (
                    "extra",
                    models.TextField(
                        blank=True,
                        help_text="Canonical JSON of what the columns do not say of the dump record; '' if nothing.",
                    ),
                ),
                (
                    "revision",
                    models.IntegerField(
                        default=0, help_text="Counts the changes of this record after its first import."
                    ),
                ),
                (
                    "quarantined",
                    models.CharField(
                        blank=True, help_text="The rule that set the record aside; '' if none.", max_length=60
                    ),
                ),
                (
                    "dropped_in",
                    models.DateField(help_text="The first snapshot that no longer holds the record.", null=True),
                ),
                (
                    "withdrawn",
                    models.BooleanField(default=False, help_text="Withdrawn by a decision: its page is a tombstone."),
                ),
                (
                    "merged_into",
                    models.ForeignKey(
                        help_text="The record that took its place.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged",
                        to="archive.record",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["kind", "sort_key", "id"], name="archive_record_by_name"),
                    models.Index(fields=["kind", "ordinal", "id"], name="archive_record_in_order"),
                    models.Index(
                        condition=models.Q(("quarantined", ""), _negated=True),
                        fields=["kind", "ordinal"],
                        name="archive_record_set_aside",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["paper", "dataset", "task", "method", "leaderboard", "result", "code"])
                        ),
                        name="archive_record_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("key__regex", "^paper/[^/]+$"), ("kind", "paper")),
                            models.Q(("key__regex", "^dataset/[^/]+$"), ("kind", "dataset")),
                            models.Q(("key__regex", "^task/[^/]+$"), ("kind", "task")),
                            models.Q(("key__regex", "^method/[^/]+$"), ("kind", "method")),
                            models.Q(("key__regex", "^sota/[^/]+$"), ("kind", "leaderboard")),
                            models.Q(("key__regex", "^sota/[^/]+/row/[1-9][0-9]*$"), ("kind", "result")),
                            models.Q(("key__regex", "^paper/[^/]+/code/[1-9][0-9]*$"), ("kind", "code")),
                            _connector="OR",
                        ),
                        name="archive_record_key_is_the_path_of_its_kind",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ordinal__gte", 0)), name="archive_record_ordinal_not_negative"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("merged_into", models.F("id")), _negated=True),
                        name="archive_record_not_merged_into_itself",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("revision__gte", 0)), name="archive_record_revision_not_negative"
                    ),
                    models.UniqueConstraint(fields=("id", "kind"), name="archive_record_id_and_kind"),
                    models.UniqueConstraint(fields=("identity",), name="archive_record_identity_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Base",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "record", "field", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "record",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bases",
                        to="archive.record",
                    ),
                ),
                (
                    "field",
                    models.CharField(
                        help_text="The cell's name, as in the list of correctable fields.", max_length=200
                    ),
                ),
                ("value", models.JSONField(help_text="The snapshot's value; JSON null where the archive gives none.")),
                (
                    "sealed",
                    models.BooleanField(default=False, help_text="The value is sealed, and null here."),
                ),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="SiteVersion",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("version", models.BigIntegerField(default=1)),
                ("changed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="archive_siteversion_is_one_row")
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Proceeding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField(help_text="As printed.")),
                ("slug", models.CharField(db_collation="C", max_length=80, unique=True)),
                ("sort_key", models.CharField(db_collation="C", max_length=100)),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["sort_key", "id"], name="archive_proceeding_sorted")],
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.MD5("name"), name="archive_proceeding_name_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("slug", ""), _negated=True), name="archive_proceeding_has_a_slug"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Paper",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="%(class)s",
                        serialize=False,
                        to="archive.record",
                    ),
                ),
                (
                    "kind",
                    models.GeneratedField(
                        db_persist=True, expression=models.Value("paper"), output_field=models.CharField(max_length=12)
                    ),
                ),
                ("title", models.TextField(null=True)),
                ("abstract", models.TextField(null=True)),
                ("short_abstract", models.TextField(null=True)),
                ("arxiv_id", models.TextField(help_text="Without version.", null=True)),
                ("nips_id", models.TextField(null=True)),
                ("openreview_id", models.TextField(null=True)),
                ("url_abs", models.TextField(null=True)),
                ("url_pdf", models.TextField(null=True)),
                (
                    "proceeding",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="papers",
                        to="archive.proceeding",
                    ),
                ),
                ("date", models.DateField(null=True)),
                (
                    "date_precision",
                    models.CharField(blank=True, choices=[("day", "Day"), ("year", "Year")], max_length=4),
                ),
                ("conference_url_abs", models.TextField(null=True)),
                ("conference_url_pdf", models.TextField(null=True)),
                ("conference", models.TextField(help_text="A slug of the conference version of the paper.", null=True)),
                ("reproduces_paper", models.TextField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["-date", "record"], name="archive_paper_newest"),
                    models.Index(django.db.models.functions.text.MD5("url_abs"), name="archive_paper_by_url"),
                    models.Index(django.db.models.functions.text.MD5("arxiv_id"), name="archive_paper_by_arxiv_id"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("date__isnull", True), ("date_precision", "")),
                            models.Q(("date__isnull", False), ("date_precision", "day")),
                            models.Q(
                                ("date__day", 1),
                                ("date__isnull", False),
                                ("date__month", 1),
                                ("date_precision", "year"),
                            ),
                            _connector="OR",
                        ),
                        name="archive_paper_date_has_precision",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Method",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="%(class)s",
                        serialize=False,
                        to="archive.record",
                    ),
                ),
                (
                    "kind",
                    models.GeneratedField(
                        db_persist=True, expression=models.Value("method"), output_field=models.CharField(max_length=12)
                    ),
                ),
                ("name", models.TextField(null=True)),
                ("full_name", models.TextField(null=True)),
                ("description", models.TextField(null=True)),
                (
                    "paper_title",
                    models.TextField(help_text="Title of the paper that introduced it, as printed here.", null=True),
                ),
                ("paper_url", models.TextField(help_text="Address of that paper, as printed here.", null=True)),
                (
                    "introduced_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="introduced_methods",
                        to="archive.paper",
                    ),
                ),
                ("introduced_year", models.IntegerField(null=True)),
                ("source_url", models.TextField(null=True)),
                ("source_title", models.TextField(null=True)),
                ("code_snippet_url", models.TextField(null=True)),
                (
                    "num_papers",
                    models.IntegerField(help_text="The archive's own count; no list stands behind it.", null=True),
                ),
            ],
            options={
                "abstract": False,
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Collection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField()),
                ("area_id", models.TextField(help_text="The area's slug in the archive; may be empty.")),
                ("area", models.TextField(help_text="The area's name; may be empty.")),
                ("slug", models.CharField(db_collation="C", max_length=80, unique=True)),
                ("sort_key", models.CharField(db_collation="C", max_length=100)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("name", "area_id", "area"), name="archive_collection_once"),
                    models.CheckConstraint(
                        condition=models.Q(("slug", ""), _negated=True), name="archive_collection_has_a_slug"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="CollectionMembership",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "method", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "method",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="collections",
                        to="archive.method",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="members", to="archive.collection"
                    ),
                ),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="PrintedMethod",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.BinaryField(help_text="sha256 of the canonical form.", max_length=32, unique=True)),
                ("content", models.TextField(help_text="The copy, as canonical JSON.")),
                ("name", models.TextField(null=True)),
                ("full_name", models.TextField(null=True)),
                (
                    "method",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="printed_copies",
                        to="archive.method",
                    ),
                ),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Author",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField(help_text="As printed.")),
                ("slug", models.CharField(db_collation="C", max_length=80, unique=True)),
                ("sort_key", models.CharField(db_collation="C", max_length=100)),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["sort_key", "id"], name="archive_author_sorted")],
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.MD5("name"), name="archive_author_name_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("slug", ""), _negated=True), name="archive_author_has_a_slug"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Area",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField(help_text="As printed.")),
                ("slug", models.CharField(db_collation="C", max_length=80, unique=True)),
                ("sort_key", models.CharField(db_collation="C", max_length=100)),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["sort_key", "id"], name="archive_area_sorted")],
                "constraints": [
                    models.UniqueConstraint(django.db.models.functions.text.MD5("name"), name="archive_area_name_once"),
                    models.CheckConstraint(
                        condition=models.Q(("slug", ""), _negated=True), name="archive_area_has_a_slug"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Modality",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField(help_text="As printed.")),
                ("slug", models.CharField(db_collation="C", max_length=80, unique=True)),
                ("sort_key", models.CharField(db_collation="C", max_length=100)),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["sort_key", "id"], name="archive_modality_sorted")],
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.MD5("name"), name="archive_modality_name_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("slug", ""), _negated=True), name="archive_modality_has_a_slug"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Language",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField(help_text="As printed.")),
                ("slug", models.CharField(db_collation="C", max_length=80, unique=True)),
                ("sort_key", models.CharField(db_collation="C", max_length=100)),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["sort_key", "id"], name="archive_language_sorted")],
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.MD5("name"), name="archive_language_name_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("slug", ""), _negated=True), name="archive_language_has_a_slug"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Framework",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField(help_text="As printed.")),
                ("slug", models.CharField(db_collation="C", max_length=80, unique=True)),
                ("sort_key", models.CharField(db_collation="C", max_length=100)),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["sort_key", "id"], name="archive_framework_sorted")],
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.MD5("name"), name="archive_framework_name_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("slug", ""), _negated=True), name="archive_framework_has_a_slug"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Task",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="%(class)s",
                        serialize=False,
                        to="archive.record",
                    ),
                ),
                (
                    "kind",
                    models.GeneratedField(
                        db_persist=True, expression=models.Value("task"), output_field=models.CharField(max_length=12)
                    ),
                ),
                ("name", models.TextField()),
                ("description", models.TextField(null=True)),
                ("source_title", models.TextField(help_text="Title of the task's source link.", null=True)),
                ("source_url", models.TextField(null=True)),
            ],
            options={
                "abstract": False,
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="TaskName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.TextField()),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="names", to="archive.task"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(django.db.models.functions.text.MD5("name"), name="archive_taskname_once")
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="TaskArea",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "task", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="areas",
                        to="archive.task",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                (
                    "area",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="tasks", to="archive.area"
                    ),
                ),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="TaskSynonym",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "task", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="synonyms",
                        to="archive.task",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                ("name", models.TextField()),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="TaskNode",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "name",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="nodes", to="archive.taskname"
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="children",
                        to="archive.tasknode",
                    ),
                ),
                (
                    "root",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="descendants",
                        to="archive.tasknode",
                    ),
                ),
                (
                    "position",
                    models.IntegerField(help_text="Place among its siblings; of a root, its ordinal in the dump."),
                ),
                (
                    "digest",
                    models.BinaryField(
                        help_text="Of a root: sha256 of the whole top-level record's canonical form.",
                        max_length=32,
                        null=True,
                    ),
                ),
                (
                    "extra",
                    models.TextField(blank=True, help_text="How this occurrence's own fields differ from the task's."),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("parent", "position"), name="archive_tasknode_place_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("digest__isnull", False), ("parent__isnull", True), ("root__isnull", True)),
                            models.Q(("digest__isnull", True), ("parent__isnull", False), ("root__isnull", False)),
                            _connector="OR",
                        ),
                        name="archive_tasknode_root_has_the_digest",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Dataset",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="%(class)s",
                        serialize=False,
                        to="archive.record",
                    ),
                ),
                (
                    "kind",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Value("dataset"),
                        output_field=models.CharField(max_length=12),
                    ),
                ),
                ("name", models.TextField(null=True)),
                ("full_name", models.TextField(null=True)),
                ("homepage", models.TextField(null=True)),
                ("description", models.TextField(null=True)),
                ("short_description", models.TextField(null=True)),
                ("parent_dataset", models.TextField(null=True)),
                ("image", models.TextField(null=True)),
                ("audio", models.TextField(null=True)),
                ("thumbnail", models.TextField(null=True)),
                ("default_image", models.TextField(null=True)),
                ("verified_image", models.TextField(null=True)),
                ("default_youtube_link", models.TextField(null=True)),
                (
                    "paper_title",
                    models.TextField(help_text="Title of the paper that introduced it, as printed here.", null=True),
                ),
                (
                    "paper_url",
                    models.TextField(help_text="Address of that paper: the archive's own, or any other.", null=True),
                ),
                (
                    "introduced_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="introduced_datasets",
                        to="archive.paper",
                    ),
                ),
                ("introduced_date", models.DateField(null=True)),
                (
                    "introduced_date_precision",
                    models.CharField(blank=True, choices=[("day", "Day"), ("year", "Year")], max_length=4),
                ),
                ("warning", models.TextField(null=True)),
                (
                    "num_papers",
                    models.IntegerField(help_text="The archive's own count; no list stands behind it.", null=True),
                ),
                ("mention_count", models.IntegerField(null=True)),
                ("license_name", models.TextField(null=True)),
                ("license_url", models.TextField(null=True)),
                ("verified_name", models.TextField(null=True)),
                ("verified_paper_title", models.TextField(null=True)),
                ("verified_paper_url", models.TextField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("introduced_date__isnull", True), ("introduced_date_precision", "")),
                            models.Q(("introduced_date__isnull", False), ("introduced_date_precision", "day")),
                            models.Q(
                                ("introduced_date__day", 1),
                                ("introduced_date__isnull", False),
                                ("introduced_date__month", 1),
                                ("introduced_date_precision", "year"),
                            ),
                            _connector="OR",
                        ),
                        name="archive_dataset_date_has_precision",
                    )
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Leaderboard",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="%(class)s",
                        serialize=False,
                        to="archive.record",
                    ),
                ),
                (
                    "kind",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Value("leaderboard"),
                        output_field=models.CharField(max_length=12),
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="leaderboards", to="archive.task"
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="subdatasets",
                        to="archive.leaderboard",
                    ),
                ),
                (
                    "dataset_name",
                    models.TextField(help_text="As printed; may have stray blanks, may be missing.", null=True),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="leaderboards",
                        to="archive.dataset",
                    ),
                ),
                (
                    "dataset_matched",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("url", "its address"),
                            ("arxiv", "its arXiv id"),
                            ("title", "its title"),
                            ("name", "its name"),
                            ("variant", "one of its variants"),
                            ("decided", "a decision"),
                        ],
                        max_length=7,
                    ),
                ),
                ("description", models.TextField(null=True)),
                ("links", models.JSONField(help_text="The table's links, [{title, url}], as printed.")),
                ("citations", models.JSONField(help_text="The table's citations, [{title, url}], as printed.")),
                ("row_count", models.IntegerField(help_text="Rows in the newest snapshot: the N of a rank.")),
            ],
            options={
                "indexes": [
                    models.Index(
                        django.db.models.functions.text.MD5("dataset_name"), name="archive_leaderboard_by_name"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("row_count__gte", 0)), name="archive_leaderboard_counts_rows"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("dataset__isnull", True), ("dataset_matched", "")),
                            models.Q(("dataset__isnull", False), ("dataset_matched__in", ["name", "variant"])),
                            _connector="OR",
                        ),
                        name="archive_leaderboard_says_how_matched",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TaskTable",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "node",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="tables", to="archive.tasknode"
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="children",
                        to="archive.tasktable",
                    ),
                ),
                (
                    "position",
                    models.IntegerField(help_text="Place among the tables of its node, or of its parent table."),
                ),
                (
                    "leaderboard",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="occurrences",
                        to="archive.leaderboard",
                    ),
                ),
                (
                    "rows",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        help_text="The rows printed here, if not the leaderboard's own list.",
                        null=True,
                        size=None,
                    ),
                ),
                (
                    "extra",
                    models.TextField(
                        blank=True, help_text="How this occurrence differs from the leaderboard's own fields."
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("node", "parent", "position"), name="archive_tasktable_place_once", nulls_distinct=False
                    )
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Authorship",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "paper", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "paper",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="authorships",
                        to="archive.paper",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                (
                    "author",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="authorships",
                        to="archive.author",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["author", "paper"], name="archive_authorship_of_author")],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="PaperTask",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "paper", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "paper",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="archive.paper",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                (
                    "name",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="papers",
                        to="archive.taskname",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["name", "paper"], name="archive_papertask_of_name")],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="PaperMethod",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "paper", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "paper",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="methods",
                        to="archive.paper",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                (
                    "printed",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="papers",
                        to="archive.printedmethod",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["printed", "paper"], name="archive_papermethod_of_method")],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Repository",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "url",
                    models.TextField(
                        help_text="Normalised: https, lower-case host and path, no trailing slash, no .git."
                    ),
                ),
                ("host", models.TextField()),
                ("owner", models.TextField(null=True)),
                ("name", models.TextField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(django.db.models.functions.text.MD5("url"), name="archive_repository_once")
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="CodeLink",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="%(class)s",
                        serialize=False,
                        to="archive.record",
                    ),
                ),
                (
                    "kind",
                    models.GeneratedField(
                        db_persist=True, expression=models.Value("code"), output_field=models.CharField(max_length=12)
                    ),
                ),
                (
                    "paper",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="code_links",
                        to="archive.paper",
                    ),
                ),
                (
                    "number",
                    models.IntegerField(help_text="Given once within the paper, in archive order; never reused."),
                ),
                (
                    "repository",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="code_links",
                        to="archive.repository",
                    ),
                ),
                ("paper_url", models.TextField(null=True)),
                ("paper_title", models.TextField(null=True)),
                ("paper_arxiv_id", models.TextField(null=True)),
                ("paper_url_abs", models.TextField(null=True)),
                ("paper_url_pdf", models.TextField(null=True)),
                ("repo_url", models.TextField(help_text="As printed.", null=True)),
                ("is_official", models.BooleanField(null=True)),
                ("mentioned_in_paper", models.BooleanField(null=True)),
                ("mentioned_in_github", models.BooleanField(null=True)),
                (
                    "framework",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="code_links",
                        to="archive.framework",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["paper", "number"], name="archive_codelink_of_paper")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="archive_codelink_number_from_one"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DatasetModality",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "dataset", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="modalities",
                        to="archive.dataset",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                (
                    "modality",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="datasets", to="archive.modality"
                    ),
                ),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="DatasetLanguage",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "dataset", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="languages",
                        to="archive.dataset",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                (
                    "language",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="datasets", to="archive.language"
                    ),
                ),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="DatasetTask",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "dataset", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="archive.dataset",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="datasets", to="archive.task"
                    ),
                ),
                (
                    "name",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="datasets", to="archive.taskname"
                    ),
                ),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="DatasetVariant",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "dataset", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="variants",
                        to="archive.dataset",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                ("name", models.TextField()),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="DataLoader",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "dataset", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="data_loaders",
                        to="archive.dataset",
                    ),
                ),
                ("position", models.SmallIntegerField()),
                ("repo", models.TextField(null=True)),
                ("url", models.TextField(null=True)),
                ("frameworks", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="ImportRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("archive", models.CharField(help_text="Name of the archive, such as pwc-archive.", max_length=60)),
                ("title", models.CharField(help_text="How pages name the source.", max_length=120)),
                ("licence", models.CharField(max_length=60)),
                ("snapshot", models.DateField(help_text="The day on which the archive was frozen.")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "summary",
                    models.JSONField(default=dict, help_text="Counts by kind: added, changed, unchanged, dropped."),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("archive", ""), _negated=True), name="archive_importrun_is_named"
                    )
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="ImportedFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="files", to="archive.importrun"
                    ),
                ),
                ("dump", models.CharField(max_length=8)),
                ("names", models.JSONField(help_text="File names, in order; Parquet comes in shards.")),
                ("sha256", models.JSONField(help_text="Hexadecimal sha256 of each file, in the order of names.")),
                ("size", models.BigIntegerField(help_text="Bytes of all files together.")),
                ("records", models.IntegerField(help_text="Records in the dump, unreadable ones included.")),
                ("retrieved", models.DateField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("run", "dump"), name="archive_importedfile_once_a_run"),
                    models.CheckConstraint(
                        condition=models.Q(("records__gte", 0), ("size__gte", 0)), name="archive_importedfile_counts"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="UnreadableRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("dump", models.CharField(max_length=8)),
                ("ordinal", models.IntegerField(help_text="0-based position in the dump.")),
                ("source", models.BinaryField(help_text="The bytes as they stood in the dump.")),
                ("digest", models.BinaryField(help_text="sha256 of the bytes.", max_length=32)),
                ("problem", models.CharField(help_text="Why it could not be read.", max_length=200)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("dump", "ordinal", "digest"), name="archive_unreadable_once"),
                    models.CheckConstraint(
                        condition=models.Q(("problem", ""), _negated=True), name="archive_unreadable_says_why"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="LeaderboardMetric",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "leaderboard",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="metrics", to="archive.leaderboard"
                    ),
                ),
                ("position", models.SmallIntegerField(null=True)),
                ("name", models.TextField()),
                (
                    "direction",
                    models.CharField(
                        choices=[
                            ("higher", "higher is better"),
                            ("lower", "lower is better"),
                            ("unknown", "direction unknown"),
                        ],
                        max_length=7,
                    ),
                ),
                ("direction_source", models.CharField(help_text="Where the direction is known from.", max_length=12)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        models.F("leaderboard"),
                        django.db.models.functions.text.MD5("name"),
                        models.F("position"),
                        name="archive_leaderboardmetric_once",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("direction__in", ["higher", "lower", "unknown"])),
                        name="archive_leaderboardmetric_direction_known",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Result",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="%(class)s",
                        serialize=False,
                        to="archive.record",
                    ),
                ),
                (
                    "kind",
                    models.GeneratedField(
                        db_persist=True, expression=models.Value("result"), output_field=models.CharField(max_length=12)
                    ),
                ),
                (
                    "leaderboard",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="results",
                        to="archive.leaderboard",
                    ),
                ),
                (
                    "number",
                    models.IntegerField(help_text="Given once, in archive order at first import; never reused."),
                ),
                (
                    "position",
                    models.IntegerField(
                        help_text="1-based place in the newest snapshot; null if not in it.", null=True
                    ),
                ),
                ("model_name", models.TextField(null=True)),
                ("paper_title", models.TextField(help_text="As printed in the row.", null=True)),
                (
                    "paper_url",
                    models.TextField(help_text="As printed in the row: the paper's own address, not ours.", null=True),
                ),
                ("paper_date", models.DateField(null=True)),
                (
                    "paper_date_precision",
                    models.CharField(blank=True, choices=[("day", "Day"), ("year", "Year")], max_length=4),
                ),
                (
                    "paper",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="results",
                        to="archive.paper",
                    ),
                ),
                (
                    "paper_matched",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("url", "its address"),
                            ("arxiv", "its arXiv id"),
                            ("title", "its title"),
                            ("name", "its name"),
                            ("variant", "one of its variants"),
                            ("decided", "a decision"),
                        ],
                        max_length=7,
                    ),
                ),
                ("code_links", models.JSONField(help_text="[{title, url}], as printed.")),
                ("model_links", models.JSONField(help_text="[{title, url}], as printed.")),
                ("uses_additional_data", models.BooleanField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("leaderboard", "number"), name="archive_result_number_once"),
                    models.UniqueConstraint(
                        deferrable=django.db.models.constraints.Deferrable["DEFERRED"],
                        fields=("leaderboard", "position"),
                        name="archive_result_place_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="archive_result_number_from_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("position__gte", 1)), name="archive_result_position_from_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("paper__isnull", True), ("paper_matched", "")),
                            models.Q(
                                ("paper__isnull", False), ("paper_matched__in", ["url", "arxiv", "title", "decided"])
                            ),
                            _connector="OR",
                        ),
                        name="archive_result_says_how_matched",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("paper_date__isnull", True), ("paper_date_precision", "")),
                            models.Q(("paper_date__isnull", False), ("paper_date_precision", "day")),
                            models.Q(
                                ("paper_date__day", 1),
                                ("paper_date__isnull", False),
                                ("paper_date__month", 1),
                                ("paper_date_precision", "year"),
                            ),
                            _connector="OR",
                        ),
                        name="archive_result_date_has_precision",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="ResultMetric",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "result", "metric", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "result",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="values",
                        to="archive.result",
                    ),
                ),
                (
                    "metric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="values",
                        to="archive.leaderboardmetric",
                    ),
                ),
                ("value", models.TextField()),
                ("number", models.FloatField(null=True)),
            ],
            options={
                "indexes": [],
                "constraints": [],
            },
        ),
    ]

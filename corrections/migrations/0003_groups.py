"""The groups Reviewers and Editors. An editor may do what a reviewer may, and seal and withhold besides."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

REVIEWERS = {
    "decision": ("add", "view"),
    "change": ("view",),
    "report": ("view",),
    "proposal": ("add", "view"),
    "claim": ("add", "view", "delete"),
    "reasontext": ("add", "change", "view"),
}
EDITORS = {**REVIEWERS, "decision": ("add", "view", "seal", "withhold"), "switch": ("change", "view")}


def make_groups(apps: StateApps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Make both groups with their permissions, which Django itself would only make after all migrations."""
    group_model = apps.get_model("auth", "Group")
    permission_model = apps.get_model("auth", "Permission")
    type_model = apps.get_model("contenttypes", "ContentType")
    for name, rights in (("Reviewers", REVIEWERS), ("Editors", EDITORS)):
        group, _ = group_model.objects.get_or_create(name=name)
        for model, verbs in rights.items():
            content_type, _ = type_model.objects.get_or_create(app_label="corrections", model=model)
            for verb in verbs:
                permission, _ = permission_model.objects.get_or_create(
                    content_type=content_type, codename=f"{verb}_{model}", defaults={"name": f"Can {verb} {model}"}
                )
                group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = (
        ("corrections", "0002_log"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    )

    operations = (migrations.RunPython(make_groups, migrations.RunPython.noop),)

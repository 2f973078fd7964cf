"""Who comes in, and what the admin lets nobody do."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from archive.models import Record
from corrections.cells import read_cell
from corrections.decisions import decide
from corrections.models import Decision, ReaderName, Report, Switch
from tests.corrections.desk.acting import ACCEPT, address, report
from tests.corrections.desk.conftest import SignIn
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import a_metric, first


def desk_addresses() -> list[str]:
    """Every page of the desk."""
    return [
        "/admin/desk/",
        "/admin/desk/spam/",
        "/admin/desk/name/",
        "/admin/desk/proposals/",
        "/admin/desk/proposals/1/",
        "/admin/desk/decisions/1/",
        address(first("dataset"), "homepage"),
    ]


def test_the_signed_out_are_sent_to_sign_in(tiny: None) -> None:
    for url in desk_addresses():
        for answer in (Client().get(url), Client().post(url, {**ACCEPT})):
            assert answer.status_code == 302 and answer["Location"].startswith("/admin/login/?next="), url
    assert not Decision.objects.exists()


def test_an_account_without_the_right_gets_403(niko: User, sign_in: SignIn) -> None:
    client = sign_in(niko)
    for staff in (False, True):
        User.objects.filter(pk=niko.pk).update(is_staff=staff)
        for url in desk_addresses():
            assert client.get(url).status_code == client.post(url, {**ACCEPT}).status_code == 403, url
    assert not Decision.objects.exists()


def test_a_reviewer_who_left_gets_nowhere(renu: User, at_desk: Client) -> None:
    User.objects.filter(pk=renu.pk).update(is_active=False)
    assert at_desk.get("/admin/desk/").status_code == 302


def test_every_page_of_the_desk_answers_and_is_kept_by_no_cache(at_desk: Client, renu: User) -> None:
    decide(accepted(wanting(*a_metric(), "1")), renu)
    for url in desk_addresses():
        answer = at_desk.get(url)
        expected = 404 if "proposals/1" in url else 200
        assert answer.status_code == expected, url
        assert answer["Cache-Control"] == "private, no-store"
        assert "<style" not in answer.content.decode() and "style=" not in answer.content.decode()


def test_a_forged_post_is_refused(renu: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(renu)
    key = first("dataset")
    report(key)
    assert client.post(address(key), {"act": "claim"}).status_code == 403


class TestRevert:
    def test_a_decision_is_undone_by_a_new_one(self, at_desk: Client, renu: User) -> None:
        key, field = a_metric()
        old = read_cell(record(key), field)
        decide(accepted(wanting(key, field, "1")), renu)
        page = at_desk.get("/admin/desk/decisions/1/")
        data = {"act": "revert", "reason": "The paper was misread.", "idempotency_key": page.context["key"]}
        assert at_desk.post("/admin/desk/decisions/1/", {**data, "reason": " "}).status_code == 422
        for _ in range(2):
            assert at_desk.post("/admin/desk/decisions/1/", data).status_code == 303
        assert Decision.objects.count() == 2 and read_cell(record(key), field) == old
        assert "reverted by" in at_desk.get("/admin/desk/decisions/1/").content.decode()

    def test_a_later_decision_stands_in_the_way(self, at_desk: Client, renu: User) -> None:
        key, field = a_metric()
        for value in ("1", "2"):
            decide(accepted(wanting(key, field, value)), renu)
        page = at_desk.get("/admin/desk/decisions/1/")
        data = {"act": "revert", "reason": "My long reason.", "idempotency_key": page.context["key"]}
        answer = at_desk.post("/admin/desk/decisions/1/", data)
        assert answer.status_code == 409 and "My long reason." in answer.content.decode()
        assert read_cell(record(key), field) == "2"

    def test_sealing_is_for_editors(self, at_desk: Client, renu: User, edda: User, sign_in: SignIn) -> None:
        key = first("paper")
        decide(accepted(wanting(key, "title", "One")), renu)
        data = {"act": "seal", "reason": "A name change.", "cells": [f"{key}?title"]}
        assert at_desk.post("/admin/desk/decisions/1/", data).status_code == 409
        assert sign_in(edda).post("/admin/desk/decisions/1/", data).status_code == 303
        assert Decision.objects.get(number=2).kind == "seal"
        assert "sealed by #2" in at_desk.get("/admin/desk/decisions/1/").content.decode()


ARCHIVE = [model for model in apps.get_app_config("archive").get_models() if model in admin.site._registry]


class TestReadOnlyAdmin:
    def test_nothing_of_the_archive_can_be_written_by_a_superuser(self, tiny: None) -> None:
        boss = Client()
        boss.force_login(User.objects.create_superuser("boss"))
        assert len(ARCHIVE) >= 12
        for model in ARCHIVE:
            base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
            listed = boss.get(base)
            assert listed.status_code == 200, base
            assert 'name="action"' not in listed.content.decode()
            assert boss.get(f"{base}add/").status_code == 403, base
            row = model._default_manager.order_by("pk").first()
            if row is None:
                continue
            before = model._default_manager.filter(pk=row.pk).values().get()
            page = boss.get(f"{base}{row.pk}/change/")
            assert page.status_code == 200 and 'name="_save"' not in page.content.decode(), base
            assert boss.post(f"{base}{row.pk}/change/", {"name": "x"}).status_code == 403
            assert boss.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403
            boss.post(base, {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
            assert model._default_manager.filter(pk=row.pk).values().get() == before

    def test_a_list_finds_by_beginnings_and_counts_no_whole_table(self, at_desk: Client, tiny: None) -> None:
        key = first("paper")
        with CaptureQueriesContext(connection) as queries:
            page = at_desk.get("/admin/archive/paper/", {"q": key[:-2]})
        assert key in page.content.decode() and len(queries) <= 12
        counts = [q["sql"] for q in queries if "COUNT(" in q["sql"] and "archive_paper" in q["sql"]]
        assert counts and all("LIMIT 1000" in sql for sql in counts)
        assert key in at_desk.get("/admin/archive/record/", {"q": record(key).name[:8]}).content.decode()
        assert key not in at_desk.get("/admin/archive/record/", {"q": record(key).name[1:8]}).content.decode()

    def test_a_list_costs_the_same_whatever_its_length(self, at_desk: Client, tiny: None) -> None:
        counts = []
        for query in ({"q": key_of_a_row()}, {}):
            with CaptureQueriesContext(connection) as queries:
                at_desk.get("/admin/archive/result/", query)
            counts.append(len(queries))
        assert counts[0] == counts[1]

    @pytest.mark.parametrize("name", ["decision", "change", "report", "proposal"])
    def test_the_log_and_reports_can_only_be_looked_at(self, renu: User, tiny: None, name: str) -> None:
        boss = Client()
        boss.force_login(User.objects.create_superuser("boss"))
        report(first("dataset"), "homepage", "https://example.org/")
        decide(accepted(wanting(*a_metric(), "1")), renu)
        base = f"/admin/corrections/{name}/"
        assert boss.get(base).status_code == 200 and boss.get(f"{base}add/").status_code == 403
        row = apps.get_model("corrections", name).objects.order_by("pk").first()
        if row is not None:
            assert boss.get(f"{base}{row.pk}/change/").status_code == 200
            assert boss.post(f"{base}{row.pk}/change/", {"reason": "x"}).status_code == 403
            assert boss.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403

    def test_no_page_names_a_reporters_address(self, at_desk: Client) -> None:
        key = first("dataset")
        filed = report(key, "homepage", "https://example.org/", email="amina@private.example", name="Amina")
        urls = [address(key, "homepage"), "/admin/desk/", "/admin/desk/spam/", "/admin/", "/admin/corrections/report/"]
        urls.append(f"/admin/corrections/report/{filed.pk}/change/")
        for url in urls:
            assert "amina@private.example" not in at_desk.get(url).content.decode(), url
        assert not any(model._meta.model_name == "reporter" for model in admin.site._registry)


class TestSwitch:
    def test_an_editor_closes_the_intake_and_the_history_says_only_that(self, edda: User, sign_in: SignIn) -> None:
        client = sign_in(edda)
        page = client.get("/admin/corrections/switch/", follow=True)
        assert page.status_code == 200 and not Switch.objects.exists()
        data = {"message": "Back on Monday."}
        assert client.post("/admin/corrections/switch/1/change/", data).status_code == 302
        assert Switch.objects.get().intake_open is False
        entry = LogEntry.objects.get()
        assert "Monday" not in entry.object_repr + entry.change_message
        assert client.get("/admin/corrections/switch/add/").status_code == 403

    def test_it_is_not_for_reviewers(self, at_desk: Client) -> None:
        assert at_desk.get("/admin/corrections/switch/1/change/").status_code == 403


def signed_in(client: Client, name: str, password: str) -> bool:
    """Whether the admin's form lets somebody in."""
    response = client.post("/admin/login/?next=/admin/desk/", {"username": name, "password": password})
    return response.status_code == 302 and response["Location"] == "/admin/desk/"


class TestStaff:
    def made(self, *words: str, **options: Any) -> str:
        out = StringIO()
        call_command(*words, stdout=out, **options)
        return out.getvalue()

    def test_make_staff_makes_an_account_that_can_decide(self, tiny: None) -> None:
        told = self.made("make_staff", "vera", group="Reviewers", public_name="Vera")
        password = told.split("password: ")[1].split()[0]
        client = Client()
        assert signed_in(client, "vera", password) and len(password) >= 20
        assert client.get("/admin/desk/").status_code == 200
        assert ReaderName.objects.get().name == "Vera"
        assert not User.objects.get(username="vera").is_superuser

    @pytest.mark.parametrize(
        ("name", "public"), [("vera", "Other"), ("other", "Vera"), ("other", "\u200b"), ("a b", "Other")]
    )
    def test_make_staff_refuses_whole(self, tiny: None, name: str, public: str) -> None:
        self.made("make_staff", "vera", group="Editors", public_name="Vera")
        with pytest.raises(CommandError):
            self.made("make_staff", name, group="Editors", public_name=public)
        assert User.objects.count() == ReaderName.objects.count() == 1

    def test_the_demo_gets_its_two_once_and_nothing_else_does(self, tiny: None, settings: Any) -> None:
        from corrections.management.commands import make_demo_staff

        self.made("make_demo_staff")
        settings.DEBUG = True
        assert self.made("make_demo_staff") == "" and not User.objects.exists()  # tests/data/tiny is no demo
        with pytest.MonkeyPatch.context() as patch:
            from archive.models import ImportRun

            patch.setattr(make_demo_staff, "DEMO", ImportRun.objects.get().archive)
            settings.DEBUG = False
            self.made("make_demo_staff")
            assert not User.objects.exists()
            settings.DEBUG = True
            told = self.made("make_demo_staff")
            assert set(User.objects.values_list("username", flat=True)) == {"reviewer", "editor"}
            password = told.split("reviewer")[1].split()[0]
            assert signed_in(Client(), "reviewer", password)
            assert password not in self.made("make_demo_staff")


def test_a_reader_without_a_name_is_told_and_chooses_one(at_desk: Client, otto: User) -> None:
    ReaderName.objects.filter(user__username="renu").delete()
    key = first("dataset")
    report(key)
    assert "choose the public name" in at_desk.get(address(key)).content.decode()
    assert at_desk.post("/admin/desk/name/", {"name": "Otto R."}).status_code == 422
    assert at_desk.post("/admin/desk/name/", {"name": "\u3164"}).status_code == 422
    assert at_desk.post("/admin/desk/name/", {"name": "R. again"}).status_code == 303
    assert ReaderName.objects.get(user__username="renu").name == "R. again"
    assert Report.objects.count() == 1


def key_of_a_row() -> str:
    """The key of one row."""
    return Record.objects.filter(kind="result").order_by("id").values_list("key", flat=True)[0]

"""How pages and refusals are answered."""

from __future__ import annotations

import pytest
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import include, path

from archive.responses import Gone, Moved, reading
from archive.urls import twin
from archive.views import site


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a secret")


def withdrawn(request: HttpRequest) -> HttpResponse:
    raise Gone("Withdrawn by decision 7.")


def merged(request: HttpRequest) -> HttpResponse:
    raise Moved("/dataset/other")


def absent(request: HttpRequest) -> HttpResponse:
    raise Http404("The archive has no such <thing>.")


urlpatterns = [
    *twin("broken", broken, "broken"),
    *twin("withdrawn", withdrawn, "withdrawn"),
    *twin("merged", merged, "merged"),
    *twin("absent", absent, "absent"),
    # what the frame around a refusal links to
    path("", include("archive.urls")),
    path("", include("corrections.urls")),
]
handler404 = site.not_found
handler500 = site.failed


@pytest.fixture
def visitor() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.urls(__name__)
class TestRefusals:
    """One form for every error at a `.json` address, one page for every other."""

    @pytest.mark.parametrize(
        ("address", "status", "message"),
        [
            ("/absent", 404, "The archive has no such <thing>."),
            ("/nowhere", 404, "There is no such page."),
            ("/withdrawn", 410, "Withdrawn by decision 7."),
            ("/broken", 500, "Something went wrong here; it has been noted."),
        ],
    )
    def test_error(self, visitor: Client, address: str, status: int, message: str) -> None:
        plain = visitor.get(f"{address}.json")
        assert plain.status_code == status
        assert plain["Content-Type"] == "application/json"
        assert plain.json() == {"error": {"status": status, "message": message}}
        page = visitor.get(address)
        assert page.status_code == status
        assert page["Content-Type"] == "text/html; charset=utf-8"
        assert message.replace("<", "&lt;").replace(">", "&gt;") in page.content.decode()
        assert '<meta name="robots" content="noindex">' in page.content.decode()

    @pytest.mark.parametrize("debug", [True, False])
    def test_a_page_that_is_not_there_reads_the_same_while_developing(
        self, visitor: Client, settings: object, debug: bool
    ) -> None:
        settings.DEBUG = debug  # type: ignore[attr-defined]
        message = visitor.get("/absent.json").json()["error"]["message"]
        assert message == "The archive has no such <thing>."

    def test_our_own_errors_are_kept_by_no_cache(self, visitor: Client) -> None:
        assert visitor.get("/broken")["Cache-Control"] == "no-store"
        assert "a secret" not in visitor.get("/broken").content.decode()

    @pytest.mark.parametrize("method", ["post", "put", "delete", "options"])
    @pytest.mark.parametrize("address", ["/withdrawn", "/withdrawn.json"])
    def test_other_methods(self, visitor: Client, address: str, method: str) -> None:
        response = getattr(visitor, method)(address)
        assert response.status_code == 405
        assert response["Allow"] == "GET, HEAD"

    def test_merged_record_leads_on_in_the_same_form(self, visitor: Client) -> None:
        for ending in ("", ".json"):
            response = visitor.get(f"/merged{ending}")
            assert (response.status_code, response["Location"]) == (301, f"/dataset/other{ending}")


def test_a_bad_request_has_its_answer() -> None:
    response = site.bad_request(RequestFactory().get("/x.json"))
    assert response.status_code == 400
    assert response.content == b'{"error":{"status":400,"message":"The request can not be understood."}}'


def test_reading_keeps_the_view_s_name() -> None:
    assert reading(absent).__name__ == "absent"


@pytest.mark.django_db
@pytest.mark.usefixtures("tiny_archive")
class TestPages:
    """Headers of a page's two faces."""

    def test_each_face_names_the_other(self, client: Client) -> None:
        page = client.get("/dataset/salicon")
        assert page["Link"] == '</dataset/salicon.json>; rel="alternate"; type="application/json"'
        html = page.content.decode()
        assert '<link rel="alternate" type="application/json" href="/dataset/salicon.json"' in html
        assert '<link rel="canonical" href="http://testserver/dataset/salicon">' in html
        assert client.get("/dataset/salicon.json")["Link"] == '</dataset/salicon>; rel="canonical"'

    def test_json_is_open_to_scripts_of_other_sites(self, client: Client) -> None:
        response = client.get("/dataset/salicon.json")
        assert response["Content-Type"] == "application/json"
        assert response["Access-Control-Allow-Origin"] == "*"

    @pytest.mark.parametrize("address", ["/dataset/salicon", "/dataset/salicon.json"])
    def test_a_page_that_has_not_changed_is_not_sent_again(self, client: Client, address: str) -> None:
        first = client.get(address)
        again = client.get(address, headers={"if-none-match": first["ETag"]})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        assert again["Cache-Control"] == "public, no-cache"
        assert client.get(address, headers={"if-none-match": '"other"'}).status_code == 200

    def test_the_two_faces_have_different_tags(self, client: Client) -> None:
        assert client.get("/dataset/salicon")["ETag"] != client.get("/dataset/salicon.json")["ETag"]

    @pytest.mark.parametrize("address", ["/dataset/salicon", "/dataset/salicon.json"])
    def test_a_page_does_not_depend_on_who_asks(self, client: Client, address: str) -> None:
        response = client.get(address)
        assert not response.cookies
        assert "Vary" not in response

    def test_head_is_answered(self, client: Client) -> None:
        response = client.head("/dataset/salicon")
        assert (response.status_code, response.content) == (200, b"")

    def test_a_slash_at_the_end_leads_to_the_page(self, client: Client) -> None:
        response = client.get("/dataset/salicon/")
        assert (response.status_code, response["Location"]) == (301, "/dataset/salicon")

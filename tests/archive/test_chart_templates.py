"""Charts as drawn: well-formed SVG whatever the archive prints, named, without style of their own, with a table."""

from __future__ import annotations

import datetime
import re
from xml.etree import ElementTree

import pytest
from django.template.loader import render_to_string
from django.test import Client

from archive import charts
from archive.pages.dataset_years import DatasetsByYear, ModalityByYear, YearOfDatasets
from archive.pages.over_time import DatedValue, LeftOut, MetricOverTime
from archive.templatetags.charts import dataset_charts, in_words, metric_chart, time_chart, year_chart

HOSTILE = "</svg><script>alert(1)</script> \"'& ünï 模型"
SVG = "{http://www.w3.org/2000/svg}"


def told(names: tuple[str, ...] = ("A", "B", "C"), direction: str = "higher") -> MetricOverTime:
    return MetricOverTime(
        metric=names[0],
        direction=direction,
        direction_sentence=f"{direction} is better",
        known_from="a table of known metrics",
        points=[
            DatedValue(
                row=f"/sota/x/row/{number}",
                model=name,
                date=datetime.date(2015 + number, 3, 1),
                date_precision="year" if number == 1 else "day",
                value=f"{number}.5 %",
                number=number + 0.5,
                extreme_so_far=True,
            )
            for number, name in enumerate(names)
        ],
        left_out=[LeftOut(row="/sota/x/row/9", model=names[0], value=names[0], reason="no-number", sentence="None.")],
    )


def drawn(html: str) -> list[ElementTree.Element]:
    """The charts in a piece of HTML, each read as XML."""
    return [ElementTree.fromstring(found) for found in re.findall(r'<svg class="chart.*?</svg>', html, re.S)]


def named_by(svg: ElementTree.Element, attribute: str) -> str:
    texts = {each.get("id"): each.text for each in svg if each.tag in (f"{SVG}title", f"{SVG}desc")}
    return " ".join(texts[name] or "" for name in (svg.get(attribute) or "").split())


class TestMetric:
    def test_points_link_to_their_rows_and_say_what_they_are(self) -> None:
        html = render_to_string("archive/charts/_metric.html", metric_chart(told()))
        (svg,) = drawn(html)
        links = list(svg.iter(f"{SVG}a"))
        assert [link.get("href") for link in links] == [f"/sota/x/row/{number}" for number in range(3)]
        assert links[1].findtext(f"{SVG}title") == "1.5 %, B, 2016, highest until then"
        assert svg.get("role") == "group"
        assert named_by(svg, "aria-labelledby") == "A over time"
        assert named_by(svg, "aria-describedby") == in_words(told())

    def test_the_words_have_first_last_and_best(self) -> None:
        assert in_words(told()) == (
            "3 rows, from 0.5 % (A, 1 March 2015) to 2.5 % (C, 1 March 2017). The highest is "
            "2.5 % (C, 1 March 2017); higher is better."
        )

    def test_only_the_extreme_are_tab_stops(self) -> None:
        told_ = told()
        points = [
            told_.points[0],
            *(DatedValue(**{**vars(point), "extreme_so_far": False}) for point in told_.points[1:]),
        ]
        html = render_to_string(
            "archive/charts/_metric.html", metric_chart(MetricOverTime(**{**vars(told_), "points": points}))
        )
        (svg,) = drawn(html)
        assert sorted(str(link.get("tabindex")) for link in svg.iter(f"{SVG}a")) == ["-1", "-1", "None"]

    def test_hostile_names_stay_text(self) -> None:
        html = render_to_string("archive/charts/_metric.html", metric_chart(told((HOSTILE, HOSTILE))))
        (svg,) = drawn(html)
        assert "<script" not in html
        assert named_by(svg, "aria-labelledby") == f"{HOSTILE} over time"

    def test_what_is_left_out_is_listed(self) -> None:
        html = render_to_string("archive/charts/_metric.html", metric_chart(told()))
        assert "1 row not in the chart, and why" in html
        assert 'href="/sota/x/row/9"' in html

    def test_one_point_is_no_chart(self) -> None:
        html = render_to_string("archive/charts/_metric.html", metric_chart(told(("A",))))
        assert drawn(html) == []
        assert "fewer than two rows" in html

    def test_marks_stay_in_the_picture(self) -> None:
        chart = time_chart(told())
        places = [place for point in chart.points for place in (point.x, point.y)]
        assert all(0 <= place <= 100 for place in places)


class TestYears:
    def test_a_count_by_year(self) -> None:
        html = render_to_string(
            "archive/charts/_years.html",
            year_chart(HOSTILE, {2019: 3, 2025: 4}, "paper", "papers", datetime.date(2025, 7, 28)),
        )
        (svg,) = drawn(html)
        assert svg.get("role") == "img"
        assert named_by(svg, "aria-labelledby") == f"{HOSTILE} From 3 papers in 2019 to 4 in 2025; most in 2025: 4."
        assert [bar.get("class") for bar in svg.iter(f"{SVG}rect")] == ["chart__bar", "chart__bar chart__bar--partial"]
        assert "2025 ends with the snapshot of" in html

    def test_datasets_by_year_have_one_chart_per_modality_and_a_table(self) -> None:
        years = [YearOfDatasets(year=2019, datasets=3), YearOfDatasets(year=2020, datasets=1)]
        modality = ModalityByYear(name=HOSTILE, url="/datasets/modality/x", years=years[:1])
        by_year = DatasetsByYear(years=years, modalities=[modality, modality], undated=7)
        html = render_to_string("archive/charts/_datasets.html", dataset_charts(by_year))
        found = drawn(html)
        assert len(found) == 3
        ids = re.findall(r'\bid="([^"]+)"', html)
        assert len(ids) == len(set(ids))
        assert "7 give no date" in html
        assert re.sub(r"<[^>]+>", " ", html.partition("<tbody>")[2]).split()[:8] == [
            "2020",
            "1",
            "0",
            "0",
            "2019",
            "3",
            "3",
            "3",
        ]


@pytest.mark.django_db
@pytest.mark.usefixtures("tiny_archive")
class TestPages:
    def test_a_leaderboard_says_the_same_in_both_faces(self, client: Client) -> None:
        addresses = [each["leaderboard"] for each in client.get("/sota.json").json()["leaderboards"]]
        charted = 0
        for address in addresses:
            told = client.get(f"{address}.json").json()["metric_over_time"]
            html = client.get(address).content.decode()
            charted += (found := len(drawn(html)))
            assert found == (told is not None and len(told["points"]) >= 2)
            if told:
                rows = client.get(f"{address}.json").json()["results"]
                assert len(told["points"]) + len(told["left_out"]) == len(rows)
        assert charted

    @pytest.mark.parametrize("address", ["/task/machine-translation", "/method/transformer"])
    def test_papers_by_year_add_up(self, client: Client, address: str) -> None:
        page = client.get(f"{address}.json").json()
        total = page["papers_total"] if "papers_total" in page else page["papers_count"]
        assert sum(each["papers"] for each in page["papers_by_year"]) == total > 0

    def test_the_front_page_counts_datasets_by_year(self, client: Client) -> None:
        page = client.get("/index.json").json()
        told = page["datasets_by_year"]
        (datasets,) = (count["number"] for count in page["counts"] if count["key"] == "datasets")
        assert sum(year["datasets"] for year in told["years"]) + told["undated"] == datasets
        by_name = {way["name"]: way["number"] for way in page["modalities"]}
        for modality in told["modalities"]:
            assert sum(year["datasets"] for year in modality["years"]) <= by_name[modality["name"]]


def test_charts_hold_no_style_and_no_colour() -> None:
    chart = time_chart(told())
    html = render_to_string("archive/charts/_over_time.svg", {"chart": chart, "id": "x"})
    assert re.findall(r"style=|fill=|stroke=|#[0-9a-f]{3,6}\b|on\w+=", html) == []
    assert isinstance(chart, charts.TimeChart)

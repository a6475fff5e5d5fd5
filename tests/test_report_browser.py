"""The report in a real browser: Debian's chromium, driven by playwright."""

import re
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from pypmeans import DPMeans, PYPMeans
from pypmeans.datasets import load_demo
from pypmeans.report import ClusteringReport

pytest.importorskip("jinja2")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(
        CHROMIUM is None,
        reason="no chromium here: apt-get install chromium to test the report in it",
    ),
]
PATIENCE = 180_000  # milliseconds, for machines that do much else
EVIL_NAME = "<script>alert(1)</script>"
EVIL_ID = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        # A container has no room for the sandbox, and the pages are our own.
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def demo(browser, tmp_path_factory):
    """The page of the demo data and what it shows."""
    X = load_demo().data[::3]
    report = ClusteringReport(PYPMeans().fit(X), X, title="Demo")
    path = tmp_path_factory.mktemp("demo") / "report.html"
    report.write_html(path)
    watched = Watched(browser, path)
    return SimpleNamespace(
        watched=watched, page=watched.page, summary=report.summary, counts=counts_of(report.summary)
    )


@pytest.fixture
def page(demo):
    """The page of the demo data as it is when opened."""
    demo.page.emulate_media(media="screen", color_scheme="light")
    demo.page.set_viewport_size({"width": 1280, "height": 800})
    if demo.page.locator("#reset").is_enabled():
        demo.page.locator("#reset").click()
    demo.page.wait_for_selector(f"html[data-drawn='{demo.summary['chosen']}']")
    yield demo.page
    demo.watched.check()


class Watched:
    """An open file, with account of errors, requests and dialogs: there must be none."""

    def __init__(self, browser, path):
        self.path, self.said, self.requests = path, [], []
        self.page = page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-drawn]")

    def check(self):
        self.page.wait_for_timeout(100)
        assert self.said == []
        assert set(self.requests) == {self.path.as_uri()}


@pytest.fixture
def open_page(browser):
    opened = []

    def opener(path):
        opened.append(Watched(browser, path))
        return opened[-1].page

    yield opener
    for watched in opened:
        watched.check()
        watched.page.close()


def counts_of(summary):
    return [stop["n_clusters"] for stop in summary["stops"]]


def n_clusters_shown(page):
    """The number of clusters, in the three places that say it."""
    fact = int(page.inner_text("#fact-clusters").replace(",", ""))
    assert page.inner_text("#state").startswith(f"{fact} cluster")
    assert page.locator("#cluster-rows tr:not(.gap)").count() == fact
    return fact


COLOURS = """() => {
  const { width, height } = document.getElementById("points");
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(document.getElementById("points"), 0, 0);
  const pixels = copy.getImageData(0, 0, width, height).data;
  const count = {};
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i + 3] < 255) continue;
    const colour = pixels.slice(i, i + 3).join();
    count[colour] = (count[colour] || 0) + 1;
  }
  const { colors } = JSON.parse(document.getElementById("data").textContent);
  const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).join();
  return colors.map((hex, i) => i).filter((i) => count[parts(colors[i])] > 5);
}"""


def colours_on_map(page):
    """Which of the colours of clusters the points have."""
    return set(page.evaluate(COLOURS))


def colours_of(stop):
    return {look % 6 for look in stop["looks"]}


def place_of_first_row(page):
    """Where on the screen the first row of the map is."""
    page.evaluate("document.getElementById('map').scrollIntoView({ block: 'center' })")
    return page.evaluate(
        """() => {
          const { xaxis, yaxis } = document.getElementById("map")._fullLayout;
          const { x, y } = JSON.parse(document.getElementById("data").textContent).map;
          const { left, top } = document.getElementById("points").getBoundingClientRect();
          return [left + xaxis._offset + xaxis.d2p(x[0]), top + yaxis._offset + yaxis.d2p(y[0])];
        }"""
    )


def test_it_opens_from_disk_with_no_error_and_no_request(page):
    assert n_clusters_shown(page) == 16
    assert colours_on_map(page) == set(range(6))
    for name in ("map", "sizes", "threshold", "path", "objective"):
        assert page.locator(f"#{name} .main-svg").count() > 0, name
    assert page.locator("#profile-rows tr").count() == 16


def test_the_slider_changes_the_clusters_on_the_map_and_in_the_table(page, demo):
    for stop in (0, 3, len(demo.counts) - 1):
        page.locator("#scale").fill(str(stop))
        page.wait_for_selector(f"html[data-drawn='{stop}']")
        assert n_clusters_shown(page) == demo.counts[stop]
        assert colours_on_map(page) == colours_of(demo.summary["stops"][stop])
        points = page.locator("#sizes .scatterlayer .trace").first.locator(".point")
        assert points.count() == demo.counts[stop]


def test_arrow_keys_move_the_slider(page, demo):
    page.locator("#scale").focus()
    start = demo.summary["chosen"]
    page.keyboard.press("ArrowLeft")
    assert n_clusters_shown(page) == demo.counts[start - 1]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert n_clusters_shown(page) == demo.counts[start + 1]
    page.keyboard.press("Home")
    assert n_clusters_shown(page) == 1
    spoken = page.get_attribute("#scale", "aria-valuetext")
    assert spoken.startswith("1 cluster (scale")
    assert page.get_attribute("#state", "aria-live") == "polite"


def test_everything_can_be_reached_by_the_tab_key(page):
    page.reload()  # the key begins where the focus was
    page.wait_for_selector("html[data-drawn]")
    reached = []
    while "scroll" not in reached and len(reached) < 40:
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            """() => {
              const at = document.activeElement;
              return [at.id || at.className, getComputedStyle(at).outlineStyle];
            }"""
        )
        assert outline != "none", name
        reached.append(name)
    assert reached[:4] == ["skip", "coarser", "scale", "finer"]
    assert "scroll" in reached


def test_one_cluster_is_shown_alone_and_back(page):
    button = page.get_by_role("button", name="cluster 3, show alone")
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert colours_on_map(page) == {3}
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    assert colours_on_map(page) == set(range(6))


def test_pointing_at_a_row_names_it(page):
    page.mouse.move(*place_of_first_row(page))
    assert re.fullmatch(r"row \d+\ncluster 0 of 228 rows", page.inner_text("#tip"))


def test_names_and_ids_from_the_data_are_text(open_page, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) + np.repeat([0, 9, 30], 20)[:, None]
    names = [EVIL_NAME, "<b>bold</b> &amp; <a href='x'>link</a>", "plain"]
    path = tmp_path / "evil.html"
    ClusteringReport(
        PYPMeans().fit(X), X, feature_names=names, ids=[EVIL_ID] * 60, columns=(0, 1),
        title=EVIL_NAME, notes=[EVIL_NAME],
    ).write_html(path)  # fmt: skip
    page = open_page(path)
    page.keyboard.press("Tab")
    assert page.title() == EVIL_NAME
    assert page.inner_text("h1") == EVIL_NAME
    assert page.text_content("#map .xtitle") == EVIL_NAME
    assert page.text_content("#map .ytitle") == names[1]
    assert page.locator("#map .ytitle a, #map .ytitle tspan[style*=bold]").count() == 0
    assert EVIL_NAME in page.inner_text("#profile-head")
    assert EVIL_NAME in page.inner_text("#cluster-rows")
    assert EVIL_ID in page.inner_text("#cluster-rows")
    assert page.locator("img").count() == 0
    page.mouse.move(*place_of_first_row(page))
    assert page.inner_text("#tip").startswith(EVIL_ID)


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_pictures_follow_the_colour_scheme(page, scheme):
    brightness = """(element, property) => {
      const parts = getComputedStyle(element)[property].match(/[\\d.]+/g).slice(0, 3).map(Number);
      return (parts[0] + parts[1] + parts[2]) / 3;
    }"""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        f"""(dark) => {{
          const brightness = {brightness};
          const ink = brightness(document.querySelector("#sizes .xtick text"), "fill");
          const paper = brightness(document.body, "backgroundColor");
          return dark ? ink > 180 && paper < 60 : ink < 60 && paper > 180;
        }}""",
        arg=scheme == "dark",
    )


def test_paper_gets_the_chosen_state_and_no_controls(page):
    page.emulate_media(color_scheme="dark")
    page.locator("#scale").fill("0")
    page.emulate_media(media="print")
    assert not page.locator("#scale").is_visible()
    assert page.locator("#state").is_visible()
    assert page.inner_text("#state").startswith("1 cluster")
    assert len(page.pdf()) > 20_000


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_sticks_out_sideways(page, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.wait_for_function("(most) => document.documentElement.scrollWidth <= most", arg=width)


def test_without_a_path_the_page_has_no_slider(open_page, tmp_path):
    X = load_demo().data[:, :1]
    path = tmp_path / "fixed.html"
    ClusteringReport(DPMeans(lam=1.0).fit(X), X).write_html(path)
    page = open_page(path)
    assert page.locator("#scale").count() == 0
    assert "no slider" in page.inner_text("#state")


def test_a_report_of_100_000_rows_is_small_and_opens(open_page, tmp_path):
    # Many rows and long ids; how fast it opens is measured by benchmarks/report_size.py.
    rng = np.random.default_rng(0)
    center = rng.choice(
        400, 100_000, p=np.arange(1, 401) ** -1.0 / np.sum(np.arange(1, 401) ** -1.0)
    )
    X = np.stack(np.divmod(center, 20), axis=1) + 0.05 * rng.normal(size=(100_000, 2))
    model = DPMeans(lam=0.4, algorithm="paper").fit(X)
    report = ClusteringReport(model, X, ids=[f"customer number {i}" for i in range(100_000)])
    report.write_html(tmp_path / "large.html")
    assert (tmp_path / "large.html").stat().st_size < 12e6
    page = open_page(tmp_path / "large.html")
    assert "of 100,000 rows are shown" in page.inner_text("figcaption >> nth=0")
    assert page.inner_text("#fact-clusters") == str(model.n_clusters_)

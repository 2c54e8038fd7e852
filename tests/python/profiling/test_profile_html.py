"""`quern profile --html`: the page in a headless Chromium, clicked through as a person would, and the data that it shows."""

import json
import os
import re

import browser
import numpy as np
import pytest
import quern as qn
from programs import ROOT, quern
from quern.tools.profile import html

PROGRAM = """\
import numpy as np
import cupy as cp

def smooth(u):
    return 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]

def step(u):
    v = u.copy()
    v[1:-1] = smooth(u)
    return v

u = cp.asarray(np.sin(np.linspace(0, 9, 1_000_000)))
kept = []
for i in range(60):
    u = step(u)
    if i % 12 == 0:
        kept.append(cp.sqrt(u * u + 1))
        cp.cuda.Stream.null.synchronize()
    if float(abs(u).max()) > 10:
        raise ValueError("<it> & </script> grows without bounds")
print(len(kept))
"""
SMOOTH, KEEP, LOOK, RAISE = 5, 17, 19, 20  # its lines


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    (folder / "waves.py").write_text(PROGRAM)
    done = quern("profile", "--html", folder / "waves.html", folder / "waves.py", QUERN_DEVICE="cpu")
    assert done.returncode == 0 and done.stdout == "5\n", done.stderr
    return folder / "waves.html"


@pytest.fixture(scope="module")
def seen(report):
    with browser.opened(report) as page:
        yield page
        assert page.errors == []


def show(page, view):
    page.click(f'nav button[data-view="{view}"]')
    assert page.ask("[...document.querySelectorAll('main section')].filter(s => !s.hidden).map(s => s.id)") == [view]
    assert page.errors == []


def row(page, line):
    """The cells of a line in the listing."""
    return page.ask("[...document.querySelectorAll('#source tr')].map(r => [...r.cells].map(c => c.textContent))"
                    f".find(cells => cells.length > 2 && cells.at(-2) === '{line}')")  # fmt: skip


def test_the_page_needs_no_network(report, seen):
    assert {url for url in seen.requests if not url.startswith("data:")} <= {"about:blank", report.as_uri()}
    assert os.path.exists(os.path.join(os.path.dirname(html.__file__), "report", "d3.LICENSE"))


def test_source_with_costs_in_the_margin(seen):
    assert seen.ask("document.title") == "quern profile: waves.py" and seen.text("h1").startswith("waves.py: ")
    show(seen, "source")
    device, host, waiting, _, launches, copies, *_ = row(seen, LOOK)
    assert re.fullmatch(r"[\d.]+ .?s", device) and re.fullmatch(r"[\d.]+ .?s", host) and waiting and int(launches) >= 60
    assert copies == "480 bytes to the host" and row(seen, RAISE)[-1].endswith('raise ValueError("<it> & </script> grows without bounds")')
    assert row(seen, SMOOTH)[0] and not row(seen, SMOOTH)[5]
    seen.click(f"tr.cost:nth-of-type({LOOK + 1})")
    told = seen.text("#line")
    assert f"waves.py:{LOOK}" in told and "60 copies to the host, 480 bytes, because" in told and "float(abs(u).max()) > 10" in told
    seen.click("#line button")
    assert seen.ask("document.querySelector('#line').hidden")


def test_the_timeline_zooms_and_describes(seen):
    show(seen, "timeline")
    span = "document.querySelector('#timeline .range').textContent"
    whole = seen.ask(span)
    assert whole.startswith("0 ns to ")
    box = seen.ask("(r => [r.x, r.y, r.width, r.height])(document.querySelector('#timeline canvas').getBoundingClientRect())")
    seen.wheel(box[0] + 700, box[1] + 5, -600)
    assert seen.ask(span) != whole
    ticks = seen.ask("document.querySelectorAll('#timeline .tick').length")
    assert ticks >= 3
    seen.click("#timeline .whole")
    assert seen.ask(span) == whole
    # The longest piece of work, by the page's own scale: a tooltip describes it, a click leads to its line.
    data = json.loads(seen.ask("document.getElementById('data').textContent"))
    assert [lane["kind"] for lane in data["lanes"]] == ["host", "device"]
    lane = data["lanes"][1]
    longest = int(np.argmax(lane["duration"]))
    middle = lane["start"][longest] + lane["duration"][longest] / 2
    x = box[0] + 150 + middle / data["span"] * (box[2] - 150 - 12)
    y = box[1] + data["lanes"][0]["rows"] * 16 + 8 + lane["row"][longest] * 16 + 8
    seen.move(x, y)
    assert data["names"][lane["name"][longest]] in seen.text("#tip")
    seen.click((x, y))
    line = data["lines"][lane["line"][longest]]
    assert f"waves.py:{line['line']}" in seen.text("#line")
    seen.click("#line a")  # to its source
    assert seen.ask("document.querySelector('tr.chosen').dataset.line") == str(lane["line"][longest])
    seen.click("#line button")


def test_flames_by_line(seen):
    show(seen, "flame")
    frames = "[...document.querySelectorAll('#flame g.frame text')].map(t => t.textContent)"
    assert any(f"waves.py:{LOOK}" in text for text in seen.ask(frames))
    seen.click('button[data-side="device"]')
    assert any(text.startswith("smooth (w") for text in seen.ask(frames)), seen.ask(frames)
    width = "Math.round(document.querySelectorAll('#flame g.frame rect')[1].getBoundingClientRect().width)"
    before = seen.ask(width)
    seen.click("#flame g.frame:nth-of-type(2) rect")
    assert seen.ask(width) > before
    seen.click("#flame g.frame:nth-of-type(1) rect")
    assert seen.ask(width) == before
    seen.click('button[data-side="host"]')


def test_memory_over_time(seen):
    show(seen, "memory")
    assert re.match(r"At the peak, [\d.]+ MB at ", seen.text("#memory h2"))
    owners = seen.text("#memory .owners table")
    assert f"waves.py:{KEEP}" in owners and "kept.append" in owners
    assert seen.ask("[...document.querySelectorAll('#memory path[fill]')].filter(p => p.getBBox().height > 0).length") >= 3
    seen.click("#memory .owners a")
    assert "waves.py:" in seen.text("#line")
    seen.click("#line button")


def test_work_by_name(seen):
    show(seen, "work")
    rows = seen.ask("[...document.querySelectorAll('#work tr')].map(r => [...r.cells].map(c => c.textContent))")
    kernel = next(cells for cells in rows if "absolute -> max" in cells[-1])
    assert rows[0][0] == "Time" and int(kernel[2]) >= 60 and float(kernel[4]) > 0 and float(kernel[5]) > 0 and float(kernel[6]) > 0
    assert "This machine can do " in seen.text("#work p")


def test_advice(seen):
    show(seen, "advice")
    assert "waves.py:" in seen.text("#advice") or "no rule fires" in seen.text("#advice")


def test_a_narrow_window(report):
    with browser.opened(report, 420, 700) as page:
        for view in ("timeline", "flame", "memory", "work", "advice", "source"):
            show(page, view)
        assert page.errors == []


def test_the_data(device):
    x = qn.array(np.ones(100_000))
    with qn.profile("mine") as p:
        for _ in range(20):
            y = x * 2 + 1
            qn.synchronize()
        float(y.sum())
    data = html.page_data(p)
    host, work = data["lanes"][0], data["lanes"][-1]
    assert host["kind"] == "host" and work["label"] == f"{device.name}, stream 1"
    assert sum(host["count"]) == len(p.recording.rows[p.recording.rows["kind"] != html.KINDS.index("release")])
    assert host["start"] == sorted(host["start"]) and min(host["start"]) >= 0
    assert sum(count for count, name in zip(work["count"], work["name"], strict=True) if "multiply" in data["names"][name]) == 20
    assert data["memory"]["peak"]["bytes"] == p.peak == sum(owner["bytes"] for owner in data["memory"]["peak"]["owners"])
    assert max(sum(held) for held in zip(*(o["bytes"] for o in data["memory"]["owners"]), strict=True)) == p.peak
    json.dumps(data)


def test_a_profile_of_nothing(tmp_path):
    with qn.profile() as p:
        pass
    p.save_html(tmp_path / "nothing.html")
    with browser.opened(tmp_path / "nothing.html") as page:
        for view in ("timeline", "flame", "memory", "work", "advice", "source"):
            show(page, view)
        assert page.errors == []


def test_many_events_are_drawn_together(monkeypatch):
    monkeypatch.setattr(html, "MOST_EVENTS", 500)
    names = html._Names()
    start = np.arange(100_000) * 1000
    name = np.where(np.arange(100_000) % 2, names("a"), names("b"))
    lane = html._lane("host", "host", start, np.full(100_000, 300), name, np.zeros(100_000, int), names)
    assert 400 <= len(lane["start"]) <= 500 and sum(lane["count"]) == 100_000
    assert {names.texts[name] for name in lane["name"]} == {"several calls"}
    assert lane["start"][-1] + lane["duration"][-1] == start[-1] + 300


def test_calls_at_the_same_time_lie_in_rows():
    assert html._rows([0, 1, 2, 10], [5, 3, 9, 12]) == [0, 1, 2, 0]
    assert max(html._rows([0] * 50, [9] * 50)) == html.MOST_ROWS - 1


def test_the_picture_in_the_documentation(report):
    path = os.path.join(ROOT, "docs", "profile.png")
    if os.environ.get("QUERN_RENEW_PICTURES"):
        with browser.opened(report, 1200, 620) as page:
            show(page, "timeline")
            x, y = page.center("#timeline canvas")
            for _ in range(2):
                page.wheel(x + 330, y, -240)
            show(page, "source")
            page.click(f"tr.cost:nth-of-type({LOOK + 1})")
            show(page, "timeline")
            page.picture(path)
    with open(path, "rb") as f:
        assert f.read(8) == b"\x89PNG\r\n\x1a\n"

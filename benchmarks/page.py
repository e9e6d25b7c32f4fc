"""The time to create and open the report page, compared with an empty page."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import irenic
from benchmarks.harness import Table, seconds

# Two frames after it is first drawn, the page is ready to use.
_READY = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
    () => done(performance.now()))))"""
_HOVER = """() => new Promise((done) => {
    const canvas = document.getElementById("map-canvas"), times = [];
    const box = canvas.getBoundingClientRect();
    let last = performance.now();
    const step = (i) => requestAnimationFrame(() => {
        times.push(performance.now() - last);
        last = performance.now();
        if (i === 60) return done(times.slice(1).sort((a, b) => a - b));
        canvas.dispatchEvent(new PointerEvent("pointermove", {
            clientX: box.left + box.width * (0.1 + 0.8 * i / 60),
            clientY: box.top + box.height * (0.1 + 0.8 * ((7 * i) % 60) / 60) }));
        step(i + 1);
    });
    step(0);
})"""

# Milliseconds per frame while the grid of the editor is scrolled by 10 rows per frame.
_SCROLL = """() => new Promise((done) => {
    const grid = document.querySelector(".edit-grid"), times = [];
    let last = performance.now();
    const step = (i) => requestAnimationFrame(() => {
        times.push(performance.now() - last);
        last = performance.now();
        if (i === 180) return done(times.slice(1).sort((a, b) => a - b));
        grid.scrollTop += 320;
        step(i + 1);
    });
    step(0);
})"""
# Milliseconds until conflicts are shown, until everything is checked, and for which the page could
# not react to keys at most.
_CHANGE = """async (row) => {
    const { port1, port2 } = new MessageChannel(), column = row % 10;
    const turn = () => new Promise((go) => { port1.onmessage = go; port2.postMessage(null); });
    const { version } = editor.status(), { text } = editor.table.now.rows[row].cells[column];
    const start = performance.now();
    let conflicts = 0, last = start, pause = 0;
    editor.actions.setCells([{ row, column, text: text === "-" ? "< 0.5" : "-" }]);
    for (let done = false; !done; ) {
        await turn();
        const now = performance.now(), status = editor.status();
        [pause, last] = [Math.max(pause, now - last), now];
        if (!conflicts && status.version !== version) conflicts = now - start;
        done = status.version !== version && status.done;
    }
    return [conflicts, last - start, pause];
}"""
_START = """async () => {
    window.editor = irenic.openEditor(document.querySelector("#editor"));
    await editor.settled();
    document.querySelector(".edit-grid").scrollIntoView();
}"""


def partition(n_rules: int, d: int) -> irenic.RuleSet:
    """Return rules that cover each case once: a cube, of which random parts are cut in two."""
    rng = np.random.default_rng(0)
    space = irenic.Space([irenic.Continuous(f"f{i}") for i in range(d)])
    boxes: list[dict[str, tuple[float, float]]] = [{}]
    while len(boxes) < n_rules:
        box = boxes.pop(int(rng.integers(len(boxes))))
        name = f"f{rng.integers(d)}"
        low, high = box.get(name, (-1.0, 1.0))
        cut = round(float(rng.uniform(low, high)), 4)
        if low < cut < high:
            boxes += [{**box, name: (low, cut)}, {**box, name: (cut, high)}]
        else:
            boxes.append(box)
    thens = rng.choice(list("ABCD"), n_rules)
    sides = [{n: _open(*ends) for n, ends in box.items()} for box in boxes]
    return irenic.RuleSet(
        [
            irenic.Rule(irenic.Region(space, each), then=str(then))
            for each, then in zip(sides, thens, strict=True)
        ],
        space,
    )


def _open(low: float, high: float) -> tuple[float | None, float | None]:
    return None if low == -1.0 else low, None if high == 1.0 else high


def edited(browser: Any, path: Path) -> tuple[list[float], float, list[list[float]]]:
    """Return seconds per frame while scrolling, and of those the work of the page; then seconds
    until conflicts are known after a change, until everything is, and the longest pause.
    """
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(path.as_uri())
    page.evaluate(_START)
    time.sleep(1)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})  # not that of other programs
    before = _work(session)
    frames = page.evaluate(_SCROLL)
    work = (_work(session) - before) / len(frames)
    changes = [page.evaluate(_CHANGE, row) for row in range(7, 19)]
    page.close()
    columns = [sorted(ms / 1e3 for ms in column) for column in zip(*changes, strict=True)]
    return [ms / 1e3 for ms in frames], work, columns


def _work(session: Any) -> float:
    """Return how many seconds the main thread of a page has worked."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def generate(n_rules: int, n_rows: int, d: int = 8) -> tuple[irenic.RuleSet, Any, Any]:
    """Return random rules with three conditions each, and labeled instances."""
    rng = np.random.default_rng(0)
    table = {f"f{i}": rng.normal(size=n_rows) for i in range(d)}
    space = irenic.Space([irenic.Continuous(f"f{i}") for i in range(d)])
    rules = []
    for _ in range(n_rules):
        lows = dict(zip(rng.choice(d, 3, replace=False), rng.normal(size=3), strict=True))
        sides = {f"f{i}": (low, low + 1.0) for i, low in lows.items()}
        then = str(rng.choice(list("ABCD")))
        rules.append(irenic.Rule(irenic.Region(space, sides), then=then))
    return irenic.RuleSet(rules, space, default="A"), table, rng.choice(list("ABCD"), n_rows)


def opened(browser: Any, path: Path) -> tuple[float, list[float]]:
    """Return the seconds until a page is ready, and per frame while the pointer moves."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(path.as_uri())
    ready = page.evaluate(_READY) / 1e3
    frames = [0.0]
    if page.locator("#map-canvas").count():
        page.locator("#map-canvas").scroll_into_view_if_needed()
        time.sleep(0.3)
        frames = [ms / 1e3 for ms in page.evaluate(_HOVER)]
    page.close()
    return ready, frames


def main() -> list[Table]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("\nThe page was not measured: playwright is not installed")
        return []
    browser_path = os.environ.get("IRENIC_BROWSER") or shutil.which("chromium")
    if browser_path is None:
        print("\nThe page was not measured: install chromium or set IRENIC_BROWSER")
        return []
    table = Table(
        "The report page: random rules with three conditions on 8 features",
        "rules x instances",
        "drawn",
        "size",
        "summary and page",
        "open and ready",
        "times an empty page",
        "frame while pointing, median",
        "frame while pointing, 95th percentile",
    )
    folder = Path(tempfile.mkdtemp())
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        empty = folder / "empty.html"
        empty.write_text("<!doctype html><title>empty</title><p>Nothing.")
        nothing = min(opened(browser, empty)[0] for _ in range(5))
        for n_rules, n_rows in ((20, 1_000), (200, 10_000), (200, 100_000), (2_000, 10_000)):
            rules, X, y = generate(n_rules, n_rows)
            took = seconds(lambda r=(rules, X, y): irenic.report(*r, budget=1).html, repeat=1)
            path = irenic.report(rules, X, y, budget=1).save(folder / "page.html")
            ready, frames = min(opened(browser, path) for _ in range(3))
            shown = min(n_rows, 10_000)
            size = f"{path.stat().st_size / 1e6:.2f} MB"
            middle, most = frames[len(frames) // 2], frames[int(len(frames) * 0.95)]
            table.add(
                f"{n_rules:,} x {n_rows:,}", shown, size, took, ready, ready / nothing, middle, most
            )
        editor = _editor_table(browser, folder)
        browser.close()
    shutil.rmtree(folder)
    return [table, editor]


def _editor_table(browser: Any, folder: Path) -> Table:
    table = Table(
        "The editor of the page: a partition of the space",
        "rules x features",
        "frame while scrolling, median",
        "95th percentile",
        "work per frame",
        "conflicts after a change, median",
        "everything after a change, median",
        "greatest",
        "longest pause of the page, median",
    )
    for n_rules, d in ((500, 10), (5_000, 10)):
        path = irenic.report(partition(n_rules, d), budget=1).save(folder / "editor.html")
        frames, work, (conflicts, everything, pauses) = edited(browser, path)
        table.add(
            f"{n_rules:,} x {d}",
            frames[len(frames) // 2],
            frames[int(len(frames) * 0.95)],
            work,
            conflicts[len(conflicts) // 2],
            everything[len(everything) // 2],
            everything[-1],
            pauses[len(pauses) // 2],
        )
    return table

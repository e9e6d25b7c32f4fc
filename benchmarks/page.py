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
        browser.close()
    shutil.rmtree(folder)
    return [table]

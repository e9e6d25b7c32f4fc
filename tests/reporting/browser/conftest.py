"""A browser for tests of the report page.

Playwright's API for plain code keeps an event loop running in its thread for as long as it is open,
which would break whatever runs a loop of its own in the same thread. So it lives in a thread of
its own, and tests hold stand-ins that do everything there.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from irenic.reporting.page import Report

NAMES = ("chromium", "chromium-browser", "google-chrome")
FIREFOX_NAMES = ("firefox-esr", "firefox")


class InThread:
    """A proxy of a Playwright object that runs everything in the browser's thread."""

    def __init__(self, thing, pool):
        self._thing, self._pool = thing, pool

    def __getattr__(self, name):
        return self._wrap(self._pool.submit(getattr, self._thing, name).result())

    def __call__(self, *arguments, **options):
        plain = [a._thing if isinstance(a, InThread) else a for a in arguments]
        return self._wrap(self._pool.submit(self._thing, *plain, **options).result())

    def _wrap(self, value):
        if isinstance(value, list):
            return [self._wrap(item) for item in value]
        theirs = type(value).__module__.startswith("playwright")
        return InThread(value, self._pool) if theirs or callable(value) else value


def leave(reason):
    """Skip the test, or fail if browsers are required."""
    (pytest.fail if os.environ.get("IRENIC_NEED_BROWSER") else pytest.skip)(reason)


def find_browser(variable="IRENIC_BROWSER", names=NAMES):
    """Return the path of a browser; without one, skip the test, or fail if it is required."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        leave("playwright is not installed")
    given = os.environ.get(variable)
    path = given or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        leave(f"no browser: none of {', '.join(names)} is there, and {variable} is not set")
    return path


@contextmanager
def launched(launch):
    """Start Playwright in a thread of its own, and a browser with it."""
    from playwright.sync_api import sync_playwright

    with ThreadPoolExecutor(1) as pool:
        driver = InThread(pool.submit(lambda: sync_playwright().start()).result(), pool)
        try:
            opened = launch(driver)
            yield opened
            opened.close()
        finally:
            driver.stop()


@pytest.fixture(scope="session")
def chromium():
    path = find_browser()
    with launched(
        lambda driver: driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
    ) as browser:
        yield browser


@pytest.fixture(scope="session")
def firefox(tmp_path_factory):
    """Firefox, which Playwright drives with WebDriver BiDi."""
    path = find_browser("IRENIC_FIREFOX", FIREFOX_NAMES)
    try:
        import websockets  # noqa: F401
    except ImportError:
        leave("websockets is not installed")
    start = tmp_path_factory.mktemp("firefox") / "firefox"
    command = shlex.join([sys.executable, str(Path(__file__).with_name("firefox_relay.py")), path])
    start.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    start.chmod(0o755)
    with launched(
        lambda driver: driver.firefox.launch(channel="moz-firefox", executable_path=start)
    ) as browser:
        yield browser


@pytest.fixture(scope="session")
def browser(chromium):
    """The browser of a test; test_firefox.py replaces it by Firefox."""
    return chromium


@pytest.fixture
def noise():
    """Errors and requests of pages, which must be empty at the end."""
    return []


@pytest.fixture
def page_of(browser, tmp_path, noise):
    """Open the page of a summary; at the end, check that it had no errors and no requests."""
    contexts = []

    def open_page(summary, **options):
        path = Report(summary).save(tmp_path / f"report{len(contexts)}.html")
        contexts.append(
            browser.new_context(**{"viewport": {"width": 1200, "height": 900}} | options)
        )
        page = contexts[-1].new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: noise.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: noise.append(f"error: {error}"))
        own = (path.as_uri(), "blob:")  # the worker of the editor is a part of the page
        asked = lambda request: request.url.startswith(own) or noise.append(request.url)  # noqa: E731
        page.on("request", asked)
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert noise == []

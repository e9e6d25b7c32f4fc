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
from collections import Counter
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


class Pages:
    """The pages that the tests of a module take turns with, as each new one costs a second.

    ``noise`` has the messages and errors of pages, and their requests of other addresses.
    """

    def __init__(self, browser):
        self.browser, self.noise = browser, []
        self.contexts, self.pages, self.addresses, self.shown = {}, {}, {}, {}

    def page(self, number, options):
        """Return the page with this number among those with the same options of a context."""
        key = number, repr(options)
        if key not in self.pages:
            self.pages[key] = self._new_page(key, dict(options))
        return key, self.pages[key]

    def _new_page(self, key, options):
        script = options.pop("script", None)
        if key[1] not in self.contexts:
            sized = {"viewport": {"width": 1200, "height": 900}} | options
            self.contexts[key[1]] = self.browser.new_context(**sized)
        page = self.contexts[key[1]].new_page()
        page.set_default_timeout(60_000)  # a busy machine may take long
        if script is not None:
            page.add_init_script(script)
        page.on("console", lambda message: self.noise.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        page.on("request", lambda request: self._check(key, request.url))
        return page

    def _check(self, key, url):
        # the worker of the editor is a part of the page, and frames of a notebook have no address
        if not url.startswith((self.addresses[key], "blob:", "about:")):
            self.noise.append(url)

    def close(self):
        for context in self.contexts.values():
            context.close()


@pytest.fixture(scope="module")
def pages(browser):
    pages = Pages(browser)
    yield pages
    pages.close()


@pytest.fixture
def noise(pages):
    """Errors and requests of pages, which must be empty at the end."""
    pages.noise.clear()
    return pages.noise


@pytest.fixture
def page_of(pages, tmp_path, noise):
    """Open the page of a summary, or a file or an address; each call in a test opens another page.

    Options are those of a context, or ``script``, which runs before those of the page. With
    ``keep``, a page that shows the same summary already is not opened again. At the end, the
    fixture checks that pages had no errors and no requests.
    """
    opened = Counter()

    def open_page(what, *, keep=False, **options):
        opened[repr(options)] += 1
        key, page = pages.page(opened[repr(options)], options)
        page.bring_to_front()  # behind another page, it would be drawn once a second
        if keep and pages.shown.get(key) is what:
            return page
        pages.shown[key] = what if keep else None
        if isinstance(what, dict):
            what = Report(what).save(tmp_path / f"report{opened.total()}.html")
        address = what.as_uri() if isinstance(what, Path) else what
        pages.addresses[key] = address
        page.goto(address)
        return page

    yield open_page
    assert noise == []

"""rules.edit() in JupyterLab: a rule is edited in one cell, and the next one has it."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import threading

import pytest

CELLS = [
    "import irenic\n"
    "text = 'IF age < 18 THEN free\\nIF age >= 18 THEN full'\n"
    "widget = irenic.loads(text, format='rules').edit()\n"
    "widget",
    "print(widget.rules)",
]


def notebook():
    cells = [
        {"cell_type": "code", "id": f"cell{k}", "source": source}
        | {"execution_count": None, "metadata": {}, "outputs": []}
        for k, source in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def lab(tmp_path):
    """The address of a notebook in JupyterLab, on this machine only."""
    command = os.environ.get("IRENIC_JUPYTER") or shutil.which("jupyter-lab")
    if command is None:
        pytest.skip("jupyterlab is not installed, and IRENIC_JUPYTER is not set")
    folder = tmp_path / "notebooks"
    folder.mkdir()
    (folder / "edit.ipynb").write_text(json.dumps(notebook()))
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    own = {name: str(tmp_path / name) for name in names}
    port, token = free_port(), secrets.token_urlsafe(16)
    options = [f"--port={port}", "--ip=127.0.0.1", f"--ServerApp.root_dir={folder}"]
    options += ["--no-browser", "--allow-root", f"--IdentityProvider.token={token}"]
    url = f"http://127.0.0.1:{port}"
    log = {"stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([command, *options], env=os.environ | own, **log) as server:
        for line in server.stderr:
            if f"{url}/lab" in line:  # it listens
                break
        log = threading.Thread(target=server.stderr.read)  # or the server would wait for it
        log.start()
        yield f"{url}/lab/tree/edit.ipynb?token={token}"
        server.terminate()
        log.join()


@pytest.mark.slow
def test_the_next_cell_has_the_rules_that_were_edited(lab, browser):
    page = browser.new_page(viewport={"width": 1300, "height": 1000})
    page.set_default_timeout(120_000)
    page.goto(lab)
    first, second = (page.locator(".jp-Notebook .jp-CodeCell").nth(k) for k in range(2))
    page.get_by_text("| Idle").first.wait_for()  # the kernel has started
    first.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    frame = page.frame_locator("iframe[title='Edit rules']")
    frame.locator("#cell-0-0").click()
    page.keyboard.type("under 16")
    page.keyboard.press("Enter")
    frame.get_by_role("button", name="Save", exact=True).click()
    frame.get_by_text("Saved.").wait_for()
    second.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    printed = second.locator(".jp-OutputArea-output pre").first
    printed.wait_for()
    assert "IF age < 16 THEN free" in printed.text_content()
    page.close()

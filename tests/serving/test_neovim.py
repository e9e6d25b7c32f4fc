"""``irenic lsp`` in Neovim, whose client is its own (Debian: apt install neovim)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not shutil.which("nvim"), reason="needs Neovim")

# start_client is in all versions from 0.5 on; the documentation shows what 0.11 has for it
SCRIPT = """
local command = { vim.env.IRENIC_PYTHON, "-m", "irenic", "lsp" }
local client = vim.lsp.start_client({ name = "irenic", cmd = command, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
local function show(count)
  vim.wait(60000, function() return #vim.diagnostic.get(0) == count end, 20)
  for _, each in ipairs(vim.diagnostic.get(0)) do
    print(string.format("%d:%d %s: %s\\n", each.lnum + 1, each.col + 1, each.code, each.message))
  end
  print("--\\n")
end
show(1)
vim.api.nvim_buf_set_lines(0, 2, 3, false, { ">= 18,full" })
show(0)
vim.cmd("qa!")
"""


def test_neovim_shows_findings_until_they_are_mended(tmp_path):
    (tmp_path / "fares.csv").write_text("age,fare\n< 18,free\n>= 17,full\n")
    (tmp_path / "show.lua").write_text(SCRIPT)
    shown = subprocess.run(
        ["nvim", "--clean", "--headless", "fares.csv", "-c", "luafile show.lua"],
        cwd=tmp_path,
        env={**os.environ, "IRENIC_PYTHON": sys.executable, "XDG_STATE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=150,
        check=True,
    )
    lines = [line for line in (shown.stdout + shown.stderr).splitlines() if line.strip()]
    assert lines == [
        "3:1 conflicts: lines 2 and 3: age = 17: rule 1 says free, rule 2 says full"
        " (wherever age = 17)",
        "--",
        "--",
    ]

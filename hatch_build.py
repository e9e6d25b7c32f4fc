"""Compile the kernels: a build hook for hatchling, and a script for a checkout.

The kernels are plain C without Python's headers, so one library serves all Python versions. On
x86-64 they are compiled once per level of instructions, and the fastest build that the processor
supports is chosen when the library is loaded. Without a C compiler, the build requires the package
ziglang, which contains one. The environment variable IRENIC_TARGET names another system to build
for, one of TARGETS, with zig; scripts/wheels builds for all of them.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

KERNELS = Path("src/irenic/kernels")
FLAGS = ["-std=c11", "-O3", "-shared", "-fvisibility=hidden"]
# The same results on every processor: no fused multiplication and addition.
FLAGS += ["-ffp-contract=off", "-fno-math-errno"]
LEVELS = {"base": "x86-64-v2", "v3": "x86-64-v3", "v4": "x86-64-v4"}
SUFFIXES = {"win32": ".dll", "darwin": ".dylib", "linux": ".so"}


class Target(NamedTuple):
    """A system that zig builds for."""

    platform: str
    machine: str
    zig: str
    tag: str


TARGETS = {
    "linux-x86_64": Target("linux", "x86_64", "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64"),
    "linux-aarch64": Target("linux", "aarch64", "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64"),
    "macos-x86_64": Target("darwin", "x86_64", "x86_64-macos.11.0", "macosx_11_0_x86_64"),
    "macos-arm64": Target("darwin", "arm64", "aarch64-macos.11.0", "macosx_11_0_arm64"),
    "windows-x86_64": Target("win32", "amd64", "x86_64-windows-gnu", "win_amd64"),
}


def target() -> Target:
    """Return what is built for: IRENIC_TARGET, or this system."""
    name = os.environ.get("IRENIC_TARGET", "")
    if not name:
        tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        tag = tag.replace("universal2", platform.machine())  # one kind of processor is built for
        return Target(sys.platform, platform.machine().lower(), "", tag)
    if name not in TARGETS:
        raise SystemExit(f"irenic: IRENIC_TARGET must be one of {', '.join(TARGETS)}, got {name!r}")
    return TARGETS[name]


def compiler() -> list[str]:
    """Return the command of the C compiler: CC, the system's, or zig's; empty if there is none."""
    if target().zig:
        return [sys.executable, "-m", "ziglang", "cc"] if find_spec("ziglang") else []
    if command := os.environ.get("CC", "").split():
        if not shutil.which(command[0]):
            raise SystemExit(f"irenic: CC names {command[0]!r}, which is not on the PATH")
        return command
    # compilers on Windows link runtimes that other machines may not have; zig does not
    for name in () if sys.platform == "win32" else ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    return [sys.executable, "-m", "ziglang", "cc"] if find_spec("ziglang") else []


def build(root: Path) -> list[Path]:
    """Compile all builds of the library in place and return their paths."""
    command = compiler()
    if not command:
        raise SystemExit(
            "irenic: no C compiler found; install gcc or clang, set CC, or pip install ziglang"
        )
    folder = root / KERNELS / "lib"
    folder.mkdir(exist_ok=True)
    suffix = SUFFIXES.get(target().platform, ".so")
    levels = LEVELS if target().machine in ("x86_64", "amd64") else {"base": ""}
    with ThreadPoolExecutor() as pool:
        jobs = [
            pool.submit(compile_one, command, root, folder / f"{name}{suffix}", level)
            for name, level in levels.items()
        ]
        return [job.result() for job in jobs]


def compile_one(command: list[str], root: Path, out: Path, level: str) -> Path:
    """Compile one build of the library for a level of instructions."""
    is_zig = "ziglang" in command
    system, _, zig, _ = target()
    flags = [*FLAGS, "-target", zig] if zig else list(FLAGS)
    if system != "win32":
        flags.append("-fPIC")
    if system == "darwin" and not zig:
        flags.append(f"-mmacosx-version-min={sysconfig.get_platform().split('-')[1]}")
    if system != "darwin" or zig:
        flags.append("-s")  # without debug information, which would contain paths
    if level:
        flags.append(f"-march={level.replace('-', '_') if is_zig else level}")
    sources = sorted(str(path) for path in (root / KERNELS / "c").glob("*.c"))
    sources = [source for source in sources if not source.endswith("wasm.c")]
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        new = Path(folder) / out.name
        run = subprocess.run(
            [*command, *flags, *sources, "-o", str(new), "-lm"], capture_output=True, text=True
        )
        if not run.returncode:
            new.replace(out)  # an earlier build stays if this one fails
    if run.returncode:
        raise SystemExit(
            f"irenic: {' '.join(command)} could not compile the kernels:\n{run.stderr}"
        )
    return out


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # run as a script
    BuildHookInterface = object


class KernelsHook(BuildHookInterface):
    """Puts the compiled kernels into the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what the build needs: a compiler, if the system has none."""
        return [] if compiler() else ["ziglang>=0.13"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernels before the wheel is assembled."""
        built = build(Path(self.root))
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{target().tag}"
        build_data["artifacts"] += [f"/{KERNELS.as_posix()}/lib/{path.name}" for path in built]


if __name__ == "__main__":
    for path in build(Path(__file__).parent):
        print(path)

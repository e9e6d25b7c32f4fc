"""The examples run, and do what they say."""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path

import pytest

from irenic import Region

EXAMPLES = Path(__file__).parent.parent / "examples"


def load(name, needs):
    """Return an example as a module; skip where what it is about is not installed."""
    if importlib.util.find_spec(needs) is None:
        pytest.skip(f"examples/{name}.py needs {needs}, which is not installed")
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- the evolutionary learners


def test_the_evolutionary_learners_print_rules_without_a_conflict(capsys):
    example = load("evolutionary_learner", needs="sklearn")
    learners = example.main(generations=8, steps=1_000, seed=0)
    printed = capsys.readouterr().out
    for learner in learners:
        assert len(learner.rules_.conflicts()) == 0
        assert len(learner.rules_) >= 2
        accuracy = printed.split(f"{type(learner).__name__}: test accuracy ")[1][:5]
        assert float(accuracy) > 0.85
        assert all(str(rule) in printed for rule in learner.rules_)


def test_the_evolutionary_learners_are_short_enough_to_read():
    lines = (EXAMPLES / "evolutionary_learner.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 60


# --- the gallery


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tariff", ["rule 4 says 9.9, rule 5 says 16.5", "5 < mass <= 8", "complete: True"]),
        (
            "credit_policy",
            ["proved: NEVER nothing", "refuted: NEVER grant", "if income = 2500"],
        ),
        ("triage", ["age < 65 and 40 <= pulse < 110", "complete: True", "56 cases"]),
        (
            "ssvc",
            ["complete: True", "72 rows became 26 rules", "no difference", "2 regions"],
        ),
        ("mended_forest", ["42 pairs contradict each other", "8 rules, 0 contradictions"]),
    ],
)
def test_examples_of_the_gallery_print_what_they_tell(name, says, capsys, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(pyplot, "show", pyplot.close)
    pytest.importorskip("pandas")
    monkeypatch.chdir(EXAMPLES)
    runpy.run_path(f"{name}.py", run_name="__main__")
    printed = capsys.readouterr().out
    for part in says:
        assert part in printed


# --- the figures


def test_the_figures_are_written_as_png_and_svg(tmp_path):
    example = load("paper_figures", needs="matplotlib")
    written = example.main(tmp_path / "figures")
    assert {path.name for path in written} == {
        f"{name}.{kind}"
        for name in ("rules", "region-f1-first", "region-f2-first")
        for kind in ("png", "svg")
    }
    for path in written:
        start = b"\x89PNG" if path.suffix == ".png" else b"<?xml"
        assert path.read_bytes().startswith(start)
        assert path.stat().st_size > 5_000


def test_the_figures_show_the_rules_the_instances_and_the_two_regions():
    example = load("paper_figures", needs="matplotlib")
    drawn = {name: figure.axes[0] for name, figure in example.figures().items()}
    boxes = {
        name: [tuple(map(float, patch.get_bbox().extents)) for patch in axes.patches]
        for name, axes in drawn.items()
    }
    rules = [(2, 5, 5, 9), (6.5, 5, 8.5, 7), (1, 1, 9, 3)]
    assert boxes["rules"] == rules
    assert boxes["region-f1-first"] == [*rules, (5, 7, 10, 10)]
    assert boxes["region-f2-first"] == [*rules, (5, 3, 6.5, 10)]
    for axes in drawn.values():
        dots = axes.collections[0].get_offsets().tolist()
        assert len(dots) == 7
        assert list(example.P1) in dots
        assert {"$r_1$", "$r_2$", "$r_3$", "$p_1$"} <= {text.get_text() for text in axes.texts}


def test_the_figures_have_the_colors_of_the_papers_text():
    example = load("paper_figures", needs="matplotlib")
    colors = pytest.importorskip("matplotlib.colors")
    for name, figure in example.figures().items():
        hues = [
            colors.rgb_to_hsv(patch.get_facecolor()[:3])[0] * 360
            for patch in figure.axes[0].patches
        ]
        assert 45 < hues[0] < 65, "r1 is yellow"
        assert 190 < hues[2] < 250, "r3, which has no instances below it, is blue"
        assert hues[1] < 40, "r2 is neither of these nor green"
        assert name == "rules" or 90 < hues[3] < 170, "the region is green"


def test_the_instances_of_the_figure_lie_as_the_paper_says():
    example = load("paper_figures", needs="matplotlib")
    covered = example.RULES.covering(list(map(list, example.INSTANCES))).any(axis=1)
    assert not covered[0]
    f1_free = Region(example.PLANE, {"f2": (5, 9)})
    assert dict(zip(example.PLANE.names, example.P1, strict=True)) in f1_free
    assert min(y for _, y in example.INSTANCES) >= 1, "none lies below the blue rectangle"

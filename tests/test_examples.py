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


def test_the_evolutionary_learners_print_rules_without_a_conflict(capsys):
    example = load("evolutionary_learner", needs="sklearn")
    learners = example.main(generations=4, steps=500, seed=0)
    printed = capsys.readouterr().out
    for learner in learners:
        assert len(learner.rules_.conflicts()) == 0
        assert len(learner.rules_) >= 2
        accuracy = printed.split(f"{type(learner).__name__}: test accuracy ")[1][:5]
        assert float(accuracy) > 0.85
        assert all(str(rule) in printed for rule in learner.rules_)
    text = (EXAMPLES / "evolutionary_learner.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 60  # short enough to read


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tariff", ["rule 4 says 9.9, rule 5 says 16.5", "5 < mass <= 8", "complete: True"]),
        ("credit_policy", ["proved: NEVER nothing", "refuted: NEVER grant", "if income = 2500"]),
        ("triage", ["age < 65 and 40 <= pulse < 110", "complete: True", "56 cases"]),
        ("ssvc", ["complete: True", "72 rows became 26 rules", "no difference", "2 regions"]),
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


# --- the figures of the paper


@pytest.fixture(scope="module")
def paper():
    return load("paper_figures", needs="matplotlib")


@pytest.fixture(scope="module")
def drawn(paper):
    return {name: figure.axes[0] for name, figure in paper.figures().items()}


def test_the_figures_are_written_as_png_and_svg(paper, tmp_path):
    written = paper.main(tmp_path / "figures")
    names = ("rules", "region-f1-first", "region-f2-first")
    assert {path.name for path in written} == {
        f"{n}.{kind}" for n in names for kind in ("png", "svg")
    }
    for path in written:
        start = b"\x89PNG" if path.suffix == ".png" else b"<?xml"
        assert path.read_bytes().startswith(start)
        assert path.stat().st_size > 5_000


def test_the_figures_show_the_rules_the_instances_and_the_two_regions(paper, drawn):
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
        assert list(paper.P1) in dots
        assert {"$r_1$", "$r_2$", "$r_3$", "$p_1$"} <= {text.get_text() for text in axes.texts}


def test_the_figures_have_the_colors_of_the_papers_text(drawn):
    colors = pytest.importorskip("matplotlib.colors")
    for name, axes in drawn.items():
        faces = [patch.get_facecolor()[:3] for patch in axes.patches]
        hues = [colors.rgb_to_hsv(face)[0] * 360 for face in faces]
        assert 45 < hues[0] < 65, "r1 is yellow"
        assert 190 < hues[2] < 250, "r3, which has no instances below it, is blue"
        assert hues[1] < 40, "r2 is neither of these nor green"
        assert name == "rules" or 90 < hues[3] < 170, "the region is green"


def test_the_instances_of_the_figure_lie_as_the_paper_says(paper):
    covered = paper.RULES.covering(list(map(list, paper.INSTANCES))).any(axis=1)
    assert not covered[0]
    f1_free = Region(paper.PLANE, {"f2": (5, 9)})
    assert dict(zip(paper.PLANE.names, paper.P1, strict=True)) in f1_free
    assert min(y for _, y in paper.INSTANCES) >= 1, "none lies below the blue rectangle"

"""Records of folds as a run keeps them, and the files of a folder, for several tests."""

from __future__ import annotations


def record(name="s", learner="tree 4", seed=0, fold=0, group="g", **measured):
    """Return the record of a fold."""
    heading = {"set": name, "group": group, "learner": learner, "seed": seed, "fold": fold}
    return heading | measured


def files(folder):
    """Return the bytes of all files below a folder by their relative path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }

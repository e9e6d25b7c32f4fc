"""The classifiers of irenic, whose models can be written, read and reported."""

from __future__ import annotations

from typing import Final, TypeAlias

from irenic.learn._classifier import RuleSetClassifier
from irenic.learn._michigan import MichiganClassifier
from irenic.learn._pittsburgh import PittsburghClassifier

Classifier: TypeAlias = RuleSetClassifier | MichiganClassifier | PittsburghClassifier
CLASSIFIERS: Final[dict[str, type[Classifier]]] = {
    "RuleSetClassifier": RuleSetClassifier,
    "MichiganClassifier": MichiganClassifier,
    "PittsburghClassifier": PittsburghClassifier,
}

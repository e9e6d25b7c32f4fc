"""
A learning classifier system of your own
========================================

The two learning classifier systems of irenic, and one of them with another operator.

CFSBE makes every rule and bounds every mutation, so rules need no repair, no penalty and no order.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from irenic import enlarge, plot
from irenic.systems import MichiganClassifier, PittsburghClassifier


class Widening(PittsburghClassifier):
    """A Pittsburgh learner in which some mutations move all bounds of a rule outward at once."""

    def mutate_rule(self, rules, rule, rows, rng):
        """Return a wider rule in one case of four, which still contradicts no other rule."""
        if rng.random() < 0.75:
            return super().mutate_rule(rules, rule, rows, rng)
        # The room contains the rule, so the mutation never loses a part of it.
        room = enlarge(rules, rule, order="random", random_state=rng)
        wider = rule.region.widen_bounds(room, share="random", random_state=rng)
        return rows.rated(wider, rule.then)

    def watch(self, generation, population):
        """Check that no rule set of any generation contradicts itself."""
        assert all(individual.rules.is_consistent for individual in population)


def main(generations=40, steps=5_000, seed=0):
    """Evolve rules for iris with each learner, print them, and return the fitted learners."""
    iris = load_iris(as_frame=True)
    X = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    y = iris.target_names[iris.target]
    X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=seed)
    learners = [
        PittsburghClassifier(generations=generations, random_state=seed),
        Widening(generations=generations, random_state=seed),
        MichiganClassifier(steps=steps, random_state=seed),
    ]
    for learner in learners:
        learner.fit(X, y)
        print(f"{type(learner).__name__}: test accuracy {learner.score(X_test, y_test):.3f}")
        print(f"{learner.rules_}\n{learner.certificate_}\n")
    return learners


if __name__ == "__main__":
    plot.regions(main()[0], x="petal length", y="petal width")
    plt.show()

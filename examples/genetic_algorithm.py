"""A genetic algorithm (DEAP) whose individuals are rule sets without contradictions.

CFSBE finds room for every new rule, so rule sets need no repair, no penalty and no order.
"""

import random

import numpy as np
from deap import algorithms, base, tools
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from irenic import Region, Rule, RuleSet, Space, enlarge
from irenic.model import CoverageMap


class Fitness(base.Fitness):
    weights = (1.0,)


class Individual(RuleSet):
    def __init__(self, rules=(), space=None, default=None):
        super().__init__(rules, space, default=default)
        self.fitness = Fitness()  # required by DEAP


def grow_rule(rules, X, y, rng):
    """Add a rule in the free region around a training case that no rule covers yet."""
    coverage = CoverageMap(rules, X)
    if not len(coverage.uncovered):
        return rules
    seed = coverage.pick(rng)
    then = y[seed]
    free = enlarge(rules, X.take([seed]), order="random", random_state=rng, consequent=then)
    # The region may be most of the space, so the rule is the box around a few cases of its class.
    cases = np.flatnonzero(free.contains(X) & (y == then))
    chosen = rng.choice(cases, rng.integers(1, len(cases) + 1), replace=False)
    rules.add(Rule(free.tighten(X.take([seed, *chosen])), then=then))
    return rules


def mutate(rules, X, y, rng):
    """Drop a rule, add a new one, or remove a condition as far as the other rules allow."""
    choice = rng.choice(["drop", "grow", "widen"])
    if choice == "grow" or not len(rules):
        return (grow_rule(rules, X, y, rng),)
    rule = rules.remove(int(rng.integers(len(rules))))
    if choice == "widen":
        point = rule.region.sample(1, random_state=rng)
        free = enlarge(rules, point, order="random", random_state=rng, consequent=rule.then)
        conditions = rule.region.conditions()
        conditions.pop(rng.choice(rules.space.names), None)
        rules.add(Rule(Region(rules.space, conditions) & free, then=rule.then))
    return (rules,)


def mate(one, two, rng):
    """Copy rules between two sets, unless they contradict a rule of the other set."""
    for child, donor in ((one, list(two)), (two, list(one))):
        for rule in donor:
            if rng.random() < 0.5 and not len(child.rivals_of(rule.region, rule.then)):
                child.add(rule)
    return one, two


def main(generations=40, seed=0, size=60):
    """Evolve rules for iris, print the best set, and return it with its test accuracy."""
    iris = load_iris()
    space = Space.infer(iris.data, names=[n.removesuffix(" (cm)") for n in iris.feature_names])
    labels = iris.target_names[iris.target].astype(object)
    train, test, y, y_test = train_test_split(iris.data, labels, stratify=labels, random_state=seed)
    X, rng = space.encode(train), np.random.default_rng(seed)
    random.seed(seed)  # the generator that DEAP uses

    toolbox = base.Toolbox()
    toolbox.register("clone", lambda rules: Individual(rules, space, rules.default))
    toolbox.register("mate", mate, rng=rng)
    toolbox.register("mutate", mutate, X=X, y=y, rng=rng)
    population = [Individual(space=space, default="virginica") for _ in range(size)]
    for individual in population:
        for _ in range(rng.integers(2, 7)):
            grow_rule(individual, X, y, rng)
    best = population[0]
    for _ in range(generations):
        for individual in population:
            assert len(individual.conflicts()) == 0
            # Charge half a case per condition to keep the rules readable.
            correct = np.sum(individual.predict(X) == y)
            individual.fitness.values = (correct - 0.5 * individual.n_conditions,)
        best = max([best, *population], key=lambda rules: rules.fitness)
        parents = [best, *tools.selTournament(population, size - 1, tournsize=3)]
        population = algorithms.varAnd(parents, toolbox, cxpb=0.4, mutpb=0.6)
    accuracy = np.mean(best.predict(test) == y_test)
    print(f"{best}\ntest accuracy {accuracy:.3f}, {len(best.conflicts())} conflicts")
    return best, accuracy


if __name__ == "__main__":
    main()

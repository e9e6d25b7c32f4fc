"""
The rules of another learner, mended
====================================

A random forest is a vote of trees. Its best leaves, read as rules, contradict each other: what one
calls malignant another calls benign. irenic shows where, and makes a set of them in which every
rule holds by itself.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import irenic
from irenic.formats import from_sklearn

data = load_breast_cancer(as_frame=True)
X, X_test, y, y_test = train_test_split(
    data.data, data.target_names[data.target], random_state=0, stratify=data.target
)
forest = RandomForestClassifier(5, max_leaf_nodes=3, random_state=0).fit(X, y)

# %%
# Each tree is a consistent rule set. Leaves of all trees together are not.
space = irenic.Space.infer(X)
leaves = irenic.RuleSet(
    [
        irenic.Rule.parse(str(rule), space)
        for i in range(len(forest.estimators_))
        for rule in from_sklearn(forest, index=i, readable=True)
    ],
    space,
)
print(len(leaves), "leaves,", len(leaves.conflicts()), "pairs contradict each other")
print(leaves.conflicts()[0])

# %%
# ``repair`` with data keeps what is worth most: rules are cut back where a more valuable one says
# something else.
mended = irenic.repair(leaves, "trim", X=X, y=y)
rules = irenic.merge(mended.rules).rules
print(len(rules), "rules,", len(rules.conflicts()), "contradictions")
print(rules)
irenic.plot.rules(rules, X, y)
plt.show()

# %%
# How much of the forest's accuracy is left, and how many cases does no rule decide?
predicted = rules.predict(X_test, default="benign")
print(f"forest {forest.score(X_test, y_test):.3f}, rules {(predicted == y_test).mean():.3f}")
print(f"{1 - rules.covering(X_test).any(axis=1).mean():.1%} of the cases have no rule")

"""
A credit policy
===============

A policy that decides on every application has to be more than free of contradictions: more income
must never hurt, and a change must do what it is meant to do and nothing else. Both can be proved.
"""

import matplotlib.pyplot as plt

import irenic
from irenic.proving import prove
from irenic.testing import counterfactual, why

policy = irenic.read("credit_policy.csv")
print(policy)

# %%
# Properties hold for all applications, or there is one that breaks them.
properties = [
    "NEVER grant WHERE overdue >= 1",
    "NEVER nothing",
    "decision INCREASES WITH income ORDER refuse, ask, grant",
    "decision DECREASES WITH debt ORDER refuse, ask, grant",
]
print(*prove(policy, properties), sep="\n")
irenic.plot.regions(policy, x="income", y="debt", at={"employed": "no", "overdue": 0})
plt.show()

# %%
# Somebody proposes to grant more: the limit of debt goes up for people with a high income.
proposal = policy.copy()
proposal.remove(2)
for text in (
    "IF 1200 <= income < 5000 AND debt > 20000 AND overdue < 3 THEN refuse",
    "IF income >= 5000 AND debt > 20000 AND overdue < 3 THEN grant",
):
    proposal.add(irenic.Rule.parse(text, policy.space))
print(irenic.diff(policy, proposal))

# %%
# The difference is what was asked for. But the proposal breaks two properties, and the applications
# that show it also show why: payments are overdue, and with less debt the decision was to ask.
print(*prove(proposal, properties), sep="\n")

# %%
# An applicant is refused, and asks why, and what would have to change.
applicant = {"income": 2300, "debt": 4000, "employed": "no", "overdue": 0}
print(why(policy, applicant))
print(counterfactual(policy, applicant))

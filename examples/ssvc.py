"""
SSVC: when to apply a patch
===========================

The `Stakeholder-Specific Vulnerability Categorization <https://certcc.github.io/SSVC/>`_ decides
how soon a deployer applies a patch, with a table of 72 rows, one for each combination of four
answers. The table (``ssvc_deployer.csv``, version 1.0.0) is that of the package certcc-ssvc.
"""

import matplotlib.pyplot as plt

import irenic

table = irenic.read("ssvc_deployer.csv")
print("consistent:", table.is_consistent, " complete:", table.is_complete)

# %%
# One row per combination is easy to check and hard to read. ``merge`` joins rows with the same
# priority into fewer rules that decide exactly the same:
short = irenic.merge(table).rules
print(len(table), "rows became", len(short), "rules")
print(irenic.diff(table, short))

# %%
# When is a patch applied immediately?
print(*(rule for rule in short if rule.then == "immediate"), sep="\n")
irenic.plot.regions(
    short,
    x="exploitation",
    y="human impact",
    at={"exposure": "open", "automatable": "yes"},
)
plt.show()

# %%
# A deployer wants to wait for the next cycle where attacks are known but cannot be automated.
# ``rivals_of`` finds the rows that say otherwise; the new rule takes their place.
change = irenic.Rule.parse(
    "IF exploitation in {poc} AND automatable in {no} THEN scheduled", table.space
)
changed = table.copy()
for i in sorted(table.rivals_of(change.region, change.then), reverse=True):
    changed.remove(int(i))
changed.add(change)
print("consistent:", changed.is_consistent, " complete:", changed.is_complete)

# %%
# The second difference is what was meant. The first is not: some patches that could be deferred now
# have to be scheduled.
print(irenic.diff(table, changed))

"""
A triage protocol
=================

A protocol (made up for this example) decides how soon a patient is seen. One group of patients is
not in it. Test cases on and next to every bound keep the next revision honest.
"""

import matplotlib.pyplot as plt

import irenic
from irenic.testing import make_cases

protocol = irenic.read("triage.csv")
for gap in irenic.gaps(protocol):
    print(gap)

# %%
# Patients under 65 with a slightly low saturation have no level. A picture of the two
# measurements shows the hole:
irenic.plot.regions(protocol, x="oxygen", y="pulse", at={"age": 40, "conscious": "yes"})
plt.show()

# %%
# The committee decides: soon, as for older patients. The rule may use the whole gap.
protocol.add(irenic.Rule(irenic.gaps(protocol)[0], then="soon"))
print("consistent:", protocol.is_consistent, " complete:", protocol.is_complete)

# %%
# Now two rules say the same for neighboring groups, and can be one.
merged = irenic.merge(protocol)
print(merged.rules)

# %%
# A few cases exercise every bound: on it, just below and just above.
cases, levels = make_cases(merged.rules)
print(len(cases), "cases, the first:", cases[0], levels[0])

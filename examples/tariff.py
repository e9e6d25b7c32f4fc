"""
A parcel tariff
===============

A price list of ten rows, as an office keeps it in a spreadsheet. Two rows give different prices for
a parcel of 2 kg, and an express parcel of 6 kg to Europe has no price at all. irenic finds both,
with a parcel to try, and mends them.
"""

import matplotlib.pyplot as plt

import irenic

tariff = irenic.read("tariff.csv")
print(tariff)

# %%
# Which parcels have two prices, and which have none?
print(*irenic.check(tariff), sep="\n")
irenic.plot.regions(tariff, x="mass", y="zone", at={"express": "yes"})
plt.show()

# %%
# Two rows for Europe include 2 kg. With ``"trim"``, one of them is cut back to what is free:
mended = irenic.repair(tariff, "trim")
print(*mended.changes, sep="\n")

# %%
# A price for the forgotten parcels is a decision for people. The region around one of them that no
# row covers is what a new row may use:
room = irenic.enlarge(mended.rules, {"zone": "europe", "mass": 6, "express": "yes"})
print(room)

# %%
# With that row, every parcel up to 31.5 kg has exactly one price.
rules = mended.rules.copy()
rules.add(irenic.Rule(room, then=39.0))
print("consistent:", rules.is_consistent, " complete:", rules.is_complete)

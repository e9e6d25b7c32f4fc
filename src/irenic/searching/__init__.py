"""Where a new rule can go, and where no rule is: CFSBE, CFSGS, the best region, gaps."""

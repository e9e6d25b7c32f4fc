"""Features, spaces, regions, rules and sets of them: what everything else works on."""

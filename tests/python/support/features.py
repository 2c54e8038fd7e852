"""How often the things that a generator of random programs is for occur in its programs.

A generator that has drifted away from what it was written for finds nothing and passes. So each has a table of features, patterns of
its programs' texts, and a test that none of them occurs in fewer than one program of twenty; `./quern test --long` shows the shares.
"""

import re

LEAST = 0.05


class Features:
    """Counts programs by what their texts have. ``patterns``: regular expressions by the features' names."""

    def __init__(self, name, patterns):
        self.name = name
        self.patterns = {feature: re.compile(pattern, re.M) for feature, pattern in patterns.items()}
        self.counts = dict.fromkeys(patterns, 0)
        self.programs = 0

    def add(self, text):
        self.programs += 1
        for feature, pattern in self.patterns.items():
            self.counts[feature] += bool(pattern.search(text))

    def check(self, capsys):
        """Prints the share of each feature; fails where one is rare."""
        shares = {feature: count / self.programs for feature, count in self.counts.items()}
        with capsys.disabled():
            print(f"\nfeatures of {self.name} ({self.programs}): " + ", ".join(f"{f} {share:.0%}" for f, share in shares.items()))
        rare = [feature for feature, share in shares.items() if share < LEAST]
        assert not rare, f"{self.name}: fewer than {LEAST:.0%} of {self.programs} programs have {', '.join(rare)}"

"""Probabilities of rules, gains and thresholds, one number at a time: slow, and easy to check."""

from __future__ import annotations


def slow_gains(soft, frequencies, label_weights, scale):
    """Return the gain of each consequent for each row."""
    gains = []
    for row in soft:
        gains.append([])
        for vector in frequencies:
            far = 0.0
            for have, p, weight in zip(row, vector, label_weights, strict=True):
                far += weight * (have - p) ** 2
            gains[-1].append(1.0 - far / scale)
    return gains


def slow_groups(masks, then):
    """Return sets of rules that have one code and are connected by overlaps."""
    groups = [{i} for i in range(len(then))]
    for i in range(len(then)):
        for j in range(i):
            overlap = all(int(a) & int(b) for a, b in zip(masks[i], masks[j], strict=True))
            if then[i] == then[j] and overlap:
                both = next(g for g in groups if i in g) | next(g for g in groups if j in g)
                groups = [g for g in groups if not g & both] + [both]
    return {frozenset(group) for group in groups}


def slow_f1(probabilities, decided, truth, weight, threshold):
    """Return the F1 over all labels of all rows, if labels from a threshold on are predicted."""
    both = predicted = true = 0.0
    for rule, row, w in zip(decided, truth, weight, strict=True):
        for p, have in zip(probabilities[rule], row, strict=True):
            predicted += w * (p >= threshold)
            true += w * have
            both += w * have * (p >= threshold)
    return 2.0 * both / (predicted + true) if predicted + true else 0.0


def slow_prior_rows(groups, overall, label_weights):
    """Return the ratio of the variances within and between groups, given as lists of rows."""
    n_rows = sum(len(rows) for rows in groups)
    within = apart = squares = 0.0
    for rows in groups:
        squares += len(rows) ** 2
        for label, weight in enumerate(label_weights):
            mean = sum(row[label] for row in rows) / len(rows)
            within += weight * sum((row[label] - mean) ** 2 for row in rows)
            apart += weight * len(rows) * (mean - overall[label]) ** 2
    within /= n_rows - len(groups)
    between = (apart - (len(groups) - 1) * within) / (n_rows - squares / n_rows)
    return min(max(1.0, within / between), n_rows) if between > 0 else n_rows

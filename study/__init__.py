"""The study: what the learner reaches, on which data, beside whom."""

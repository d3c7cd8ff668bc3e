"""Counting tokens: the only tiktoken and splintr import; vocabulary offline; no text counted twice.

A number is the same whatever engine runs, and says how it was counted (`Meter.name`,
`Meter.exact`).
"""

from baodai.tokens.calibration import Fit, fit
from baodai.tokens.engines import ENCODINGS, TokenCounter, counter_for
from baodai.tokens.estimate import ERROR as ESTIMATE_ERROR
from baodai.tokens.estimate import Estimator
from baodai.tokens.meter import Meter, surely_within

__all__ = [
    "ENCODINGS",
    "ESTIMATE_ERROR",
    "Estimator",
    "Fit",
    "Meter",
    "TokenCounter",
    "counter_for",
    "fit",
    "surely_within",
]

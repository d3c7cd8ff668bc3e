"""Strategy `errors`: error and failure lines with context first, then head and tail."""

from __future__ import annotations

from baodai.truncation.head_tail import HeadTail

STRATEGY = HeadTail("errors", errors_first=True)

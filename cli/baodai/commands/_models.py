"""What a model of the caller's needs from the surroundings: its key, a place for its answers."""

from __future__ import annotations

import os
from dataclasses import replace

from baodai.commands._recording import ledger_path
from baodai.config.build import options
from baodai.config.load import Settings
from baodai.pipeline import Options
from baodai.summarizers.openai import OpenAISummarizer

CACHE = "baodai-summaries"
"""The folder of accepted answers, beside the ledger."""


def equipped(settings: Settings) -> Options:
    """The options of a compaction, with the key and the cache of the summarizer's model.

    The key is read here and nowhere below, so that nothing else can write it down.
    """
    made = options(settings)
    writer = made.summarizer
    if not isinstance(writer, OpenAISummarizer):
        return made
    ledger = ledger_path(settings)
    beside = "" if ledger is None else str(ledger.parent / CACHE)
    key = os.environ.get(writer.key_env, "")
    return replace(made, summarizer=replace(writer, key=key, cache=writer.cache or beside))

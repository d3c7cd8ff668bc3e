"""Why an answer ended, in one word for all the words of the providers.

OpenAI: stop, length, tool_calls, content_filter; Responses: completed, incomplete reasons;
Anthropic: end_turn, max_tokens, tool_use, pause_turn, refusal, …; Google: STOP, MAX_TOKENS, SAFETY.
"""

from __future__ import annotations

from enum import StrEnum


class Stop(StrEnum):
    """Why an answer ended. `UNKNOWN` where a transcript does not say, or in a word of its own."""

    DONE = "done"
    TOOLS = "tools"
    CUT = "cut"
    REFUSED = "refused"
    OVERFLOW = "overflow"
    FAILED = "failed"
    UNKNOWN = "unknown"


_WORDS = {
    Stop.DONE: "stop end_turn stop_sequence completed complete finish eos done",
    Stop.TOOLS: "tool_calls tool_use tool_call tooluse function_call tool-calls pause_turn",
    Stop.CUT: "length max_tokens max_output_tokens incomplete model_length token_limit",
    Stop.REFUSED: "content_filter refusal safety recitation blocklist prohibited_content spii",
    Stop.OVERFLOW: "model_context_window_exceeded context_length_exceeded",
    Stop.FAILED: "error aborted failed cancelled malformed_function_call other",
}
_STOPS = {word: stop for stop, words in _WORDS.items() for word in words.split()}


def stop_of(reason: str) -> Stop:
    """Why an answer ended, from the word its format has for it."""
    return _STOPS.get(reason.strip().lower(), Stop.UNKNOWN)

"""Models and endpoints (BD4xx)."""

from __future__ import annotations

from baodai.errors.base import BaodaiError


class EndpointError(BaodaiError):
    """The endpoint that was named did not answer.

    It could not be reached, refused the key, or was busy longer than baodai waits. The message has
    its own words. Nothing of what was there before is changed.
    """

    code = "BD401"
    status = 5


class SummaryRefusedError(BaodaiError):
    """The summary of the model was not used, the extractive summarizer wrote that part instead.

    What a model writes passes a gate: it must be the record that was asked for, whole, shorter than
    what it stands for, in the conversation's language, naming turns that exist, with every live
    decision of the user, and without a number, path or identifier that the source lacks. What fails
    is asked again with the reasons, at most twice. History is never replaced by a summary that
    failed; the same holds where the endpoint does not answer. `baodai report model_calls` lists the
    attempts and why they were refused.
    """

    code = "BD402"
    status = 0
    level = "warning"

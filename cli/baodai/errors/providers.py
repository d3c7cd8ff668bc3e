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


class NotAnOverflowError(BaodaiError):
    """The recorded error is no context overflow, so nothing was compacted for it.

    `compact --overflow` takes the body of a refusal as the provider sent it, and its status where
    it stands beside it. Rate limits, quotas, output ceilings, busy servers and malformed histories
    look alike; compacting for them destroys history and fails again. The message names the class.
    """

    code = "BD403"
    status = 2


class FloorReachedError(BaodaiError):
    """Not even the last rung brings the transcript below what the provider allows.

    What must stay (system prompt, tool schemas, the user's decisions, the newest step) is larger.
    `--smallest` writes the smallest result all the same; a model with a larger window, a shorter
    system prompt or fewer tools help.
    """

    code = "BD404"
    status = 1

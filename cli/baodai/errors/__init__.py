"""Every error a user can meet: a stable code, an exit status, one sentence, one hint.

The docstring of a class is the long story that `baodai explain BDnnn` prints. Codes are never
reused. Families: BD1xx input, BD2xx configuration and names, BD3xx pipeline, BD4xx model and
provider, BD5xx stores, BD6xx recovery.
One file a family; all names are imported from here.
"""

from baodai.errors.base import (
    BaodaiError,
)
from baodai.errors.input import (
    DamagedRecordError,
    FileTooLargeError,
    MendedRecordError,
    NoConversationError,
    UnknownFormatError,
    UnreadableFileError,
)
from baodai.errors.pipeline import (
    DoesNotFitError,
    EditConflictError,
    GuaranteeBrokenError,
    LostDecisionError,
    NotSmallerError,
)
from baodai.errors.providers import (
    EndpointError,
    FloorReachedError,
    NotAnOverflowError,
    SummaryRefusedError,
)
from baodai.errors.settings import (
    NoPriceError,
    NoVocabularyError,
    OneConversationError,
    OutputClashError,
    OutputError,
    PriceFileError,
    SettingError,
    UnknownModelError,
    UnknownNameError,
    UnknownSettingError,
    UsageError,
    WindowTooSmallError,
)
from baodai.errors.stores import (
    BrokenLedgerError,
    LedgerBusyError,
    MemoryStoreError,
    NewerLedgerError,
    NoLedgerError,
    OriginalGoneError,
    ReportError,
    UnwritableLedgerError,
)

__all__ = [
    "BaodaiError",
    "BrokenLedgerError",
    "DamagedRecordError",
    "DoesNotFitError",
    "EditConflictError",
    "EndpointError",
    "FileTooLargeError",
    "FloorReachedError",
    "GuaranteeBrokenError",
    "LedgerBusyError",
    "LostDecisionError",
    "MemoryStoreError",
    "MendedRecordError",
    "NewerLedgerError",
    "NoConversationError",
    "NoLedgerError",
    "NoPriceError",
    "NoVocabularyError",
    "NotAnOverflowError",
    "NotSmallerError",
    "OneConversationError",
    "OriginalGoneError",
    "OutputClashError",
    "OutputError",
    "PriceFileError",
    "ReportError",
    "SettingError",
    "SummaryRefusedError",
    "UnknownFormatError",
    "UnknownModelError",
    "UnknownNameError",
    "UnknownSettingError",
    "UnreadableFileError",
    "UnwritableLedgerError",
    "UsageError",
    "WindowTooSmallError",
]

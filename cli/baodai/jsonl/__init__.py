"""Bytes to numbered records and back; the only orjson import.

`open_records` reads a file as records whose bytes joined are the file; `loads` and `dumps` turn one
record's text into values and back; `splice` edits a record in place and leaves all other bytes as
they are.
"""

from baodai.jsonl.archive import Sealer
from baodai.jsonl.records import Limits, Problem, Record, open_records, read_records
from baodai.jsonl.splice import elements, splice
from baodai.jsonl.values import BOM, Style, dumps, loads, style_of

__all__ = [
    "BOM",
    "Limits",
    "Problem",
    "Record",
    "Sealer",
    "Style",
    "dumps",
    "elements",
    "loads",
    "open_records",
    "read_records",
    "splice",
    "style_of",
]

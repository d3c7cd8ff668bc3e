"""The ledger: what every compaction saved, changed and kept, in one DuckDB file.

The only place that knows duckdb. Reports are the `.sql` files of `reports/`, by name.
"""

from baodai.store.ledger import Ledger, Table
from baodai.store.reports import report_names, report_title
from baodai.store.rows import STREAM, Run, StoredOriginal

__all__ = ["STREAM", "Ledger", "Run", "StoredOriginal", "Table", "report_names", "report_title"]

"""Settings: `baodai.toml`, `--set` and flags to frozen options, each value with where it came from.

`load` finds and reads them, `build` makes a compaction's options of them, `schema` knows every key.
"""

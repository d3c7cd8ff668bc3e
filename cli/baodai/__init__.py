"""baodai: brings transcripts of model conversations inside the context window.

The public names of the library are imported from their modules; nothing heavy is imported here,
so that `baodai --help` stays quick.
"""

__version__ = "0.1.0"

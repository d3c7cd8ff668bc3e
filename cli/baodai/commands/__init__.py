"""The verbs of the command line, one small file each: parse, call, render.

Only options are declared at import; everything heavy is imported inside a verb, so that
`baodai --help` stays quick. `app` puts the verbs together.
"""

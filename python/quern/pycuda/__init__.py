"""PyCUDA's names on quern's engine; `quern run` lets `import pycuda` lead here."""

VERSION = (2026, 1)
VERSION_STATUS = ""
VERSION_TEXT = "2026.1"

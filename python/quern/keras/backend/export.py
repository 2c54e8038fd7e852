"""Export of models, which needs another backend."""


class QuernExportArchive:
    """Raises NotImplementedError for whatever would be exported."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError("model.export() is not supported by the quern backend; model.save() writes files that all backends load")

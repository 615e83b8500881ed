"""The version of the package, the same as that of the server."""

__version__ = "0.1.0"

"""The version of the package and the server."""

__version__ = "0.1.0"

"""The version of the package and the server."""

__version__ = "0.2.0"

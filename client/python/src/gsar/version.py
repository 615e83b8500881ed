"""The version of the package, which is that of the server with the same contract."""

__version__ = "0.1.0"

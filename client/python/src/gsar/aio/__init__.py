"""The client and the loop of an investigation for asyncio."""

from gsar.aio.client import Client
from gsar.aio.investigation import Investigation

__all__ = ["Client", "Investigation"]

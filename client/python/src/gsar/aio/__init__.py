"""The asyncio client and asyncio investigations."""

from gsar.aio.client import Client
from gsar.aio.investigation import Investigation

__all__ = ["Client", "Investigation"]

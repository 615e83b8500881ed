"""The asyncio counterparts of the names in `gsar.loop`."""

from gsar.callbacks import Planner as Planner
from gsar.callbacks import Synthesizer as Synthesizer
from gsar.callbacks import report_of_async as report_of
from gsar.callbacks import turns_of_async as turns_of

__all__ = ["Planner", "Synthesizer", "report_of", "turns_of"]

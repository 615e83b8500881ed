"""The blocking counterparts of the names in `gsar.aio.loop`."""

from gsar.callbacks import BlockingPlanner as Planner
from gsar.callbacks import BlockingSynthesizer as Synthesizer
from gsar.callbacks import report_of, turns_of

__all__ = ["Planner", "Synthesizer", "report_of", "turns_of"]

"""What the blocking loop calls where the one for asyncio (`gsar.aio.loop`) calls something else."""

from gsar.callbacks import BlockingPlanner as Planner
from gsar.callbacks import BlockingSynthesizer as Synthesizer
from gsar.callbacks import report_of, turns_of

__all__ = ["Planner", "Synthesizer", "report_of", "turns_of"]

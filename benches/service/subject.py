"""The calls that are measured in turns."""

import os
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import servers
from servers import Server

SECONDS_EACH = float(os.environ.get("GSAR_BENCH_SECONDS", "1.5"))
IN_FLIGHT = 64
HEAD = ["call", "calls/s", "p50, ms", "p99, ms", "server CPU/call, µs", "server busy"]
HEAD += ["client CPU/call, µs", "request, bytes", "answer, bytes"]


@dataclass
class Subject:
    """A call that is measured in every round."""

    name: str
    server: Server
    path: str
    message: Path
    in_flight: int = IN_FLIGHT
    is_stream: bool = False
    calls: int = 0
    rounds: list[dict] = field(default_factory=list)

    def measure(self, calls: int, warm_up: int) -> dict:
        more = ["--stream"] if self.is_stream else []
        return servers.measure(self.server, self.path, self.message, calls, warm_up, self.in_flight, *more)

    def calibrate(self) -> None:
        """Sets the number of calls to a number that fits into a round."""
        rate = self.measure(500, 500)["calls_per_second"]
        rate = self.measure(max(500, int(rate / 4)), 0)["calls_per_second"]
        self.calls = max(500, int(rate * SECONDS_EACH))

    def round(self) -> None:
        self.rounds.append(self.measure(self.calls, self.calls // 5))

    def values(self, name: str) -> list[float]:
        return [round[name] for round in self.rounds]

    def row(self) -> list[str]:
        median = {name: statistics.median(self.values(name)) for name in self.rounds[0]}
        busy = median["server_cpu_us_per_call"] * median["calls_per_second"] / 1e4
        return [
            self.name,
            f"{median['calls_per_second']:,.0f}",
            f"{median['p50_us'] / 1e3:.2f}",
            f"{median['p99_us'] / 1e3:.2f}",
            f"{median['server_cpu_us_per_call']:.1f}",
            f"{busy:.0f} %",
            f"{median['client_cpu_us_per_call']:.1f}",
            f"{self.message.stat().st_size:,}",
            f"{median['answer_bytes']:,.0f}",
        ]

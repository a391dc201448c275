"""The limits under which a bot plays. Times are milliseconds of CPU time, memory is MiB (1024² bytes)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Start, one decision, one game's bank, and memory; the defaults are those of the protocol."""

    start_ms: int = 5000
    decision_ms: int = 500
    bank_ms: int = 10_000
    memory_mib: int = 512

    def as_dict(self) -> dict[str, int]:
        """The `limits` object of the protocol's `hello`."""
        return {
            "start_ms": self.start_ms,
            "decision_ms": self.decision_ms,
            "bank_ms": self.bank_ms,
            "memory_mib": self.memory_mib,
        }

    @property
    def start_wall_ms(self) -> int:
        return wall_cap_ms(self.start_ms)

    @property
    def decision_wall_ms(self) -> int:
        return wall_cap_ms(self.decision_ms)

    @property
    def game_wall_ms(self) -> int:
        """Wall time that one seat may use in one game: 2 × bank + 10 s."""
        return 2 * self.bank_ms + 10_000


def wall_cap_ms(cpu_ms: int) -> int:
    """The wall time that catches a sleeper whose CPU limit is `cpu_ms`: max(10 × the limit, limit + 5 s)."""
    return max(10 * cpu_ms, cpu_ms + 5000)

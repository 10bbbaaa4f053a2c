"""The tested schedules, and the ranks of each phase of the frame with the fault."""

from dataclasses import dataclass, field

from exposure import CAMERAS, DISTURBED, OPTIONS, Exposure


@dataclass(frozen=True)
class Schedule:
    """A schedule with its command line."""

    name: str
    ranks: int
    options: tuple[str, ...] = ()
    one_frame: bool = False
    by_list: bool = False
    # The ranks of each phase of the frame with the fault.
    who: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def camera(self) -> str:
        """The camera that is passed to phase hooks."""
        return "" if self.one_frame else DISTURBED

    @property
    def cameras(self) -> tuple[str, ...]:
        """The extracted cameras."""
        return (DISTURBED,) if self.one_frame else CAMERAS

    def command(self, exposure: Exposure, *more: str, prefix: list[str] | None = None) -> list:
        """The command line; `prefix` precedes the program on each rank."""
        launcher = ["mpirun", "-n", str(self.ranks)] if self.ranks > 1 else []
        if self.one_frame:
            psf = exposure.input(DISTURBED, "psf")
            files = ["-i", exposure.input(DISTURBED), "-p", psf, "-o", exposure.output(DISTURBED)]
        elif self.by_list:
            files = ["--list", exposure.list]
        else:
            files = ["--exposure", exposure.night, "--outdir", exposure.out]
        return [
            *launcher,
            *(prefix or []),
            exposure.program,
            *files,
            *OPTIONS,
            *self.options,
            *more,
        ]

    def resume(self, exposure: Exposure) -> list:
        """The command line that completes the remaining frames."""
        return self.command(exposure, *([] if self.one_frame else ["--skip-existing"]))


def phases(read: int, extract: tuple[int, ...], write: int, gathers: bool) -> dict:
    """The ranks of each phase."""
    who = {"read": (read,), "extract": extract, "write": (write,)}
    return who | ({"gather": extract} if gathers else {})


PIPELINE = ("--schedule", "pipeline")
ALL = (
    Schedule("one frame", 1, one_frame=True, who=phases(0, (0,), 0, False)),
    Schedule("one frame, 3 ranks", 3, one_frame=True, who=phases(0, (0, 1, 2), 0, True)),
    Schedule("list", 1, by_list=True, who=phases(0, (0,), 0, False)),
    Schedule("frames, 3 ranks each", 3, who=phases(0, (0, 1, 2), 0, True)),
    Schedule("frames, 3 groups", 3, ("--groups", "3"), who=phases(1, (1,), 1, False)),
    Schedule(
        "interleave-io, 4 ranks",
        4,
        ("--schedule", "interleave-io"),
        who=phases(0, (2, 3), 1, True),
    ),
    Schedule("pipeline", 1, PIPELINE, who=phases(0, (0,), 0, False)),
    Schedule("pipeline, 3 ranks", 3, PIPELINE, who=phases(1, (1,), 1, False)),
)

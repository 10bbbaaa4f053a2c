"""Whether the frames are right: by golden frames, by the CPU reference, by the truth."""

from spexreports.results.result import Result

# Checks against the reference that a reader knows, with their units.
QUANTITIES = {
    "flux pull": "flux {} σ",
    "ivar, relative": "ivar {} (relative)",
    "resolution": "resolution {}",
}
# Golden frames that gpu_specter cannot make (golden/README.md).
NOT_BY_PEER = ("-seam", "-reject")


def _small(value: float) -> str:
    return f"{value:.1e}".replace("e-0", "e−").replace("e+00", "")


def frames_of(results: list[Result]) -> list[dict]:
    """The validation of each camera in each result."""
    return [frame for r in results for frame in r.json["validation"]["frames"]]


def all_right(results: list[Result]) -> bool:
    """Whether no frame of any run is wrong."""
    return all(frame["failure"] is None for frame in frames_of(results))


def right_frames(results: list[Result]) -> str:
    """How many of the compared frames are correct, over all runs of all results."""
    frames = frames_of(results)
    compared = sum(frame["compared"] for frame in frames)
    wrong = [frame["camera"] for frame in frames if frame["failure"] is not None]
    if not wrong:
        return f"All {compared} compared frames are right"
    return f"Of {compared} compared frames those of {', '.join(dict.fromkeys(wrong))} are wrong"


def peer_goldens(results: list[Result]) -> int:
    """How many of gpu_specter's golden frames the program of each result reproduces."""
    met = [
        {
            golden["name"]
            for golden in r.json["golden"]
            if golden["failure"] is None and not golden["name"].endswith(NOT_BY_PEER)
        }
        for r in results
    ]
    return len(set.intersection(*met)) if met else 0


def _against(results: list[Result]) -> str:
    """What the frames were compared with."""
    frames = frames_of(results)
    with_reference = sum(frame["compared"] for frame in frames if frame["reference"])
    if with_reference == sum(frame["compared"] for frame in frames):
        return "the CPU reference and the simulated truth"
    if not with_reference:
        return "the simulated truth"
    return (
        f"the simulated truth, and {with_reference} of them with the CPU reference, which the plan "
        "asks for"
    )


def _largest_differences(results: list[Result]) -> list[str]:
    """How far the frames are from the reference, and from the truth: a sentence each."""
    checks = [check for frame in frames_of(results) for check in frame["checks"]]
    known = []
    for what, text_format in QUANTITIES.items():
        largest = max((c["largest"] or 0 for c in checks if c["what"] == what), default=0)
        known += [text_format.format(_small(largest))] if largest else []
    said = [f"Largest differences from the reference: {', '.join(known)}."] if known else []
    together = [c for r in results for c in r.json["validation"]["together"]]
    parts = [c["largest"] / c["limit"] for c in together if c["limit"] and c["largest"] is not None]
    if parts:
        said.append(f"Largest error against the truth: {max(parts):.2f} of what is allowed.")
    return said


def agreement(results: list[Result]) -> str:
    """What the programs and frames agree with, and how closely."""
    if not sum(frame["compared"] for frame in frames_of(results)):
        return "No frame was compared."
    said = []
    if count := peer_goldens(results):
        said.append(
            f"Every timed program reproduces {count} golden frame{'s' if count > 1 else ''} that "
            "gpu_specter, DESI's production extractor, made."
        )
    said.append(f"{right_frames(results)}: compared with {_against(results)}.")
    return " ".join(said + _largest_differences(results))


def in_a_sentence(results: list[Result]) -> str:
    """Right or wrong, for the first screen of a document."""
    if not all_right(results):
        return f"No. {right_frames(results)}."
    compared = sum(frame["compared"] for frame in frames_of(results))
    goldens = "every timed program reproduces golden frames that gpu_specter made, and "
    return (
        f"Yes: {goldens if peer_goldens(results) else ''}all {compared} compared frames agree with "
        f"{_against(results)}."
    )

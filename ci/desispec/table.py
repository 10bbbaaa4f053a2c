"""What was found, and whether it is within its limit: lines as it is found, a table at the end."""

import sys
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """One number, or list of what is wrong, of one camera."""

    what: str
    camera: str
    found: str
    limit: str
    ok: bool


@dataclass
class Findings:
    """All that was found, in its order."""

    all: list[Finding] = field(default_factory=list)

    def add(self, what: str, camera: str, found: str, limit: str = "", ok: bool = True) -> None:
        """A finding; not ok: the limit does not hold."""
        finding = Finding(what, camera, found, limit, bool(ok))
        self.all.append(finding)
        verdict = "" if ok else f"  FAIL ({limit})"
        print(f"        {camera}  {what}: {found}{verdict}", file=sys.stderr, flush=True)

    def at_most(self, what: str, camera: str, value: float, limit: float) -> None:
        """A number that must not be larger."""
        self.add(what, camera, f"{value:.2g}", f"≤ {limit:g}", value <= limit)

    def at_least(self, what: str, camera: str, value: float, limit: float) -> None:
        """A number that must not be smaller."""
        self.add(what, camera, f"{value:.4g}", f"≥ {limit:g}", value >= limit)

    def within(self, what: str, camera: str, value: float, low: float, high: float) -> None:
        """A number that must lie in a range."""
        self.add(what, camera, f"{value:.4f}", f"{low:.4g} to {high:.4g}", low <= value <= high)

    def none(self, what: str, camera: str, wrong: list[str]) -> None:
        """Nothing may be wrong."""
        said = ", ".join(wrong[:6]) + (", ..." if len(wrong) > 6 else "")
        self.add(what, camera, said or "none", "none", not wrong)

    def failed(self) -> int:
        """How many are beyond their limits."""
        return sum(not finding.ok for finding in self.all)

    def table(self) -> str:
        """A row for each thing that was looked at, in Markdown, and a count."""
        rows: dict[tuple[str, str], list[Finding]] = {}
        for finding in self.all:
            rows.setdefault((finding.what, finding.limit), []).append(finding)
        lines = ["| what | found | limit |", "| --- | --- | --- |"]
        for (what, limit), findings in rows.items():
            found = {f.found for f in findings}
            if found == {"none"} or len(findings) == 1:
                text = " ".join(found)
            else:
                text = ", ".join(f"{f.camera} {f.found}" for f in findings)
            bad = "" if all(f.ok for f in findings) else " **FAIL**"
            lines.append(f"| {what} | {text} | {limit}{bad} |")
        lines += ["", f"{len(self.all)} findings, {self.failed()} beyond their limits"]
        return "\n".join(lines)

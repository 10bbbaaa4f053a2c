"""Options of ci/fault-check, the exposure of a session, and the table of results."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import table
from exposure import Exposure
from run import Row
from soak import Soak

ROOT = Path(__file__).resolve().parents[3]
BEGIN, END = "<!-- made by ci/fault-check -->\n", "<!-- end -->\n"
KEPT: pytest.StashKey[list[Row | Soak]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options in `ci/fault-check --help`."""
    group = parser.getgroup("faults")
    group.addoption("--bin", type=Path, default=ROOT / "build/ci")
    group.addoption("--out", type=Path, default=ROOT / "build/fault-check")
    group.addoption("--deadline", type=float, default=120)
    group.addoption("--soak", type=int, default=0)
    group.addoption("--from", dest="earlier", type=Path, action="append", default=[])
    group.addoption("--markdown", type=Path)


def pytest_configure(config: pytest.Config) -> None:
    """Loads the results of earlier runs."""
    config.addinivalue_line("markers", "quick: one of the few that run in every test")
    config.stash[KEPT] = table.from_json(config.getoption("earlier"))


@pytest.fixture(scope="session")
def exposure(pytestconfig: pytest.Config) -> Exposure:
    """The small exposure for all cases."""
    binaries, out = (pytestconfig.getoption(name).resolve() for name in ("bin", "out"))
    return Exposure(out / "work", binaries, pytestconfig.getoption("deadline"))


@pytest.fixture
def keep(request: pytest.FixtureRequest) -> Callable[[Row | Soak], None]:
    """Records the result of a case, and fails or skips its test."""
    kept = request.config.stash[KEPT]
    if request.node.name in {row.test for row in kept}:
        pytest.skip("tested by an earlier run")

    def note(row: Row | Soak) -> None:
        row.test = request.node.name
        kept.append(row)
        file = request.config.getoption("out") / "fault-check.json"
        file.write_text(json.dumps(table.as_json(kept), indent=1) + "\n")
        if row.skipped:
            pytest.skip(row.skipped)
        assert not row.problems, "\n".join(row.problems)

    return note


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Writes the table into a page; status 77 if all cases were skipped."""
    kept = session.config.stash[KEPT]
    if file := session.config.getoption("markdown"):
        text = file.read_text()
        head, tail = text.split(BEGIN)[0], text.split(END)[1]
        file.write_text(f"{head}{BEGIN}{table.markdown(kept)}{END}{tail}")
    if exitstatus == pytest.ExitCode.OK and kept and all(row.skipped for row in kept):
        session.exitstatus = 77

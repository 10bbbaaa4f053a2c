"""Every fault in every schedule; run by ci/fault-check."""

from collections.abc import Callable

import pytest
import special
from cases import all_cases
from exposure import Exposure
from run import Case, Row, check
from soak import Soak, soak

Keep = Callable[[Row | Soak], None]
CASES = [
    pytest.param(
        case,
        id=f"{case.fault}: {case.where}, {case.schedule.name}",
        marks=[pytest.mark.quick] if case.quick else [],
    )
    for case in all_cases()
]


@pytest.mark.parametrize("case", CASES)
def test_fault(exposure: Exposure, keep: Keep, case: Case) -> None:
    """A fault that a variable causes."""
    keep(check(exposure, case))


@pytest.mark.parametrize("fault", special.ALL, ids=lambda fault: fault.__name__)
def test_special(exposure: Exposure, keep: Keep, fault: Callable[[Exposure], Row]) -> None:
    """A fault that needs more than a variable."""
    keep(fault(exposure))


@pytest.mark.parametrize("schedule", ["sequential", "pipeline"])
def test_soak(exposure: Exposure, keep: Keep, pytestconfig: pytest.Config, schedule: str) -> None:
    """Thousands of frames in one process."""
    frames = pytestconfig.getoption("soak")
    if frames == 0:
        pytest.skip("not requested (--soak N)")
    keep(soak(exposure, schedule, frames))

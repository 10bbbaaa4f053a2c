"""Fixtures of tests and doctests: a small simulated frame."""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import spexbench


class Night(NamedTuple):
    """Files of a simulated camera, and a name for its frame."""

    preproc: Path
    psf: Path
    truth: Path
    frame: Path


@pytest.fixture(scope="session")
def night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """A camera of 25 fibers and 300 rows."""
    folder = tmp_path_factory.mktemp("night")
    [files] = spexbench.simulate(folder, size="tiny", on_grid=True)
    return Night(files.preproc, files.psf, files.truth, folder / "frame.fits")


#: Options of a frame that takes a fraction of a second.
SMALL = {"wavelength": (5760, 5800, 0.8), "specmin": 3, "nspec": 5}
#: The same of the first two subbundles.
TEN = {"wavelength": (5760, 5800, 0.8), "nspec": 10}
#: The folder of the programs.
BIN = Path(os.environ["SPEX_BUILD"]) / "bin"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the module's frame is written."""
    return tmp_path_factory.mktemp("frame") / "frame.fits"


@pytest.fixture(scope="module")
def frame(night: Night, file: Path) -> spexbench.Frame:
    """Spectra 3 to 7 of the night, for modules without a frame of their own."""
    return spexbench.extract(night.preproc, night.psf, output=file, **SMALL)


@pytest.fixture(scope="session")
def ten(night: Night) -> spexbench.Frame:
    """Spectra 0 to 9 of the night."""
    return spexbench.extract(night.preproc, night.psf, **TEN)


def assert_same(frame: spexbench.Frame, other: spexbench.Frame) -> None:
    """All arrays are equal."""
    for name in ("wave", "flux", "ivar", "mask", "resolution", "chi2pix", "pixmask_fraction"):
        np.testing.assert_array_equal(getattr(frame, name), getattr(other, name), err_msg=name)


@pytest.fixture(autouse=True)
def _doctests(request: pytest.FixtureRequest, doctest_namespace: dict[str, object]) -> None:
    """Defines names for doctests."""
    if isinstance(request.node, pytest.DoctestItem):
        doctest_namespace |= {name: getattr(spexbench, name) for name in spexbench.__all__}
        doctest_namespace["np"] = np
        doctest_namespace["night"] = request.getfixturevalue("night")
        doctest_namespace["folder"] = request.getfixturevalue("tmp_path")

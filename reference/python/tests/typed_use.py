"""Typical uses of the package, for mypy; this file is not run."""

from concurrent.futures import Future
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
import spexbench

[night] = spexbench.simulate("night", cameras=["r0"], size="tiny", on_grid=True)
assert_type(night.preproc, Path)

frame = spexbench.extract(night.preproc, night.psf, wavelength=np.arange(5760, 5800, 0.8))
assert_type(frame, spexbench.Frame)
assert_type(frame.flux, npt.NDArray[np.float64])
assert_type(frame.counts.patches, int)
assert_type(frame.header.cards, list[str])
frame.write("frame.fits", full_precision=True)
frame.plot([0, 3], model=frame.convolve(np.ones(frame.nwave)))
assert_type(frame[10:13], spexbench.Frame)
assert_type(frame.select(fibers=[3, 4], wave=(5770, 5780)).fibers, npt.NDArray[np.int64])
assert_type(frame.error, npt.NDArray[np.float64])
assert_type(spexbench.read_truth(night.truth).at(frame), npt.NDArray[np.float64])

psf = spexbench.read_psf(night.psf)
psf.x(3, [5760.0, 5800.0])
psf.wavelength(y=100)
across, along = psf.sigma(wave=frame.wave)
assert_type(spexbench.project(psf, frame.wave, frame.flux), npt.NDArray[np.float64])
assert_type(spexbench.project(psf, frame.wave, frame.flux, noise=3.0), spexbench.Preproc)
assert_type(spexbench.read_frame("frame.fits"), spexbench.Frame)

with spexbench.Extractor(gpu=spexbench.has_gpu()) as extractor:
    future = extractor.submit(night.preproc, night.psf, output=Path("f.fits"), nspec=5)
    assert_type(future, Future[spexbench.Frame])
    extractor.extract(night.preproc, night.psf, wavelength="5760,5800,0.8")
    extractor.extract(night.preproc, night.psf, nspecs=5)  # type: ignore[call-arg]

image = spexbench.make_preproc(np.zeros((9, 9)), np.ones((9, 9)), camera="r0")
spexbench.extract(image, spexbench.read_psf(night.psf), flux="frame", model=True)
assert_type(spexbench.extract_frame(image, night.psf, 25, 0, 25), dict[str, Any] | None)
assert_type(spexbench.compare(frame, truth=night.truth).ok, bool)
spexbench.extract(night.preproc)  # type: ignore[call-arg]

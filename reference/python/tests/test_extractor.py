"""Many frames with one Extractor."""

import inspect
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import get_type_hints

import numpy as np
import pytest
import spexbench
from spexbench import Extractor, extract
from spexbench._extractor import ExtractSettings
from spexbench_fixtures import TEN


def test_frames_equal_those_of_extract(night, ten, tmp_path):
    files = [tmp_path / f"frame-{i}.fits" for i in range(6)]
    with Extractor(threads=2) as extractor:
        done = [extractor.submit(night.preproc, night.psf, output=f, **TEN) for f in files]
        alone = extractor.extract(night.preproc, night.psf, **TEN)
    for one in (alone, *(future.result() for future in done)):
        np.testing.assert_array_equal(one.flux, ten.flux)
        np.testing.assert_array_equal(one.resolution, ten.resolution)
    assert len({file.read_bytes() for file in files}) == 1


def test_any_thread_may_call(night, ten):
    with Extractor() as extractor, ThreadPoolExecutor(4) as pool:
        for one in [
            pool.submit(extractor.extract, night.preproc, night.psf, **TEN) for _ in range(4)
        ]:
            np.testing.assert_array_equal(one.result().flux, ten.flux)


def test_a_failed_frame_does_not_affect_others(night, tmp_path):
    with Extractor() as extractor:
        bad = extractor.submit(tmp_path / "none.fits", night.psf)
        good = extractor.submit(night.preproc, night.psf, **TEN)
        with pytest.raises(spexbench.DataError, match=r"none\.fits: no such file"):
            bad.result()
        assert good.result().nspec == 10


def test_threads_are_kept_and_end(night):
    before = threading.active_count()
    with Extractor(frames=2) as extractor:
        for _ in range(4):
            extractor.submit(night.preproc, night.psf, **TEN).result()
        assert threading.active_count() <= before + 2
    assert threading.active_count() == before


def test_an_error_cancels_frames_that_have_not_started(night):
    futures = []
    with pytest.raises(RuntimeError, match="stop"), Extractor(frames=1) as extractor:
        futures = [extractor.submit(night.preproc, night.psf, **TEN) for _ in range(50)]
        raise RuntimeError("stop")
    assert futures[-1].cancelled()


def test_settings_agree_with_extract():
    own = {"preproc", "psf", "gpu", "device", "threads", "extractor"}
    asked = {
        name: parameter.annotation
        for name, parameter in inspect.signature(extract).parameters.items()
        if name not in own
    }
    assert get_type_hints(ExtractSettings) == asked


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"threads": 0}, "threads: 0"),
        ({"threads": 1.5}, "threads: 1.5"),
        ({"frames": 0}, "frames: 0"),
        ({"device": "a"}, "device: 'a'"),
    ],
)
def test_wrong_arguments(arguments, line):
    with pytest.raises(spexbench.UsageError, match=line):
        Extractor(**arguments)


def test_an_extractor_has_its_own_threads(night):
    with Extractor() as extractor:
        for more in ({"gpu": True}, {"device": 1}, {"threads": 2}):
            with pytest.raises(spexbench.UsageError, match="extractor: has a GPU or threads"):
                extract(night.preproc, night.psf, extractor=extractor, **more)

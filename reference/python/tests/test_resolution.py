"""R as a matrix: in the order in which docs/extraction.md stores it."""

import numpy as np
import pytest
import spexbench

GRID = (5760, 5840, 0.8)


@pytest.fixture(scope="module")
def frame(night):
    return spexbench.extract(night.preproc, night.psf, wavelength=GRID)


def dense(frame, k):
    """By the definition: row w of diagonal d is R[w + d - ndiag, w]."""
    R = np.zeros((frame.nwave, frame.nwave))
    for d in range(2 * frame.ndiag + 1):
        for w in range(frame.nwave):
            row = w + d - frame.ndiag
            if 0 <= row < frame.nwave:
                R[row, w] = frame.resolution[k, d, w]
    return R


def test_matrices(frame):
    pytest.importorskip("scipy.sparse", reason="scipy is not installed")
    assert len(frame.R) == frame.nspec
    for k in (0, 7, -1):
        np.testing.assert_array_equal(frame.R[k].toarray(), dense(frame, k))
    assert [R.shape for R in frame.R[3:5]] == [(101, 101)] * 2
    assert not np.allclose(frame.R[7].toarray(), frame.R[7].toarray().T, atol=1e-4)
    with pytest.raises(IndexError, match=r"R: 25 .expected a number below 25"):
        frame.R[25]


def test_convolve(frame):
    model = np.random.default_rng(1).normal(size=(frame.nspec, frame.nwave))
    seen = frame.convolve(model)
    for k in (0, 12, 24):
        np.testing.assert_allclose(seen[k], dense(frame, k) @ model[k], rtol=0, atol=1e-14)
    np.testing.assert_array_equal(
        frame.convolve(model[3]), frame.convolve(np.tile(model[3], (25, 1)))
    )
    with pytest.raises(spexbench.UsageError, match=r"model: .* 25 x 100 .expected 25 x 101, or"):
        frame.convolve(model[:, 1:])


def test_pulls_of_the_truth(night, frame):
    """They tell R from its transpose where a line is sharp."""
    truth = spexbench.read_truth(night.truth).at(frame)
    inner = slice(frame.ndiag, -frame.ndiag)
    pulls = ((frame.flux - frame.convolve(truth)) * np.sqrt(frame.ivar))[:, inner]
    assert abs(pulls.std() - 1) < 0.05
    assert abs(pulls.mean()) < 4 / np.sqrt(pulls.size)


def test_narrow_frames(frame):
    """With fewer bins than diagonals."""
    part = frame[2, 40:43]
    np.testing.assert_allclose(part.convolve([1.0, 2, 3])[0], dense(part, 0) @ [1.0, 2, 3])

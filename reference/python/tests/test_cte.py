"""The script of docs/ that takes a charge trap's effect out of an image."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
SCRIPT = Path(__file__).resolve().parents[3] / "docs" / "cte.py"


@pytest.fixture(scope="module")
def cte():
    spec = importlib.util.spec_from_file_location("cte", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_trap(cte):
    trap = cte.Trap(column=1, capacity=20, leak=0.5)
    image = np.array([[3.0, 100, 10, 0, 0], [7, -5, 4, 0, 0], [0, 10, 10, 0, 0]])
    # Full after the second pixel, which has charge for it; read noise fills nothing; half full.
    late = [[3, 80, 20, 5, 2.5], [7, -5, 0, 2, 1], [0, 0, 10, 5, 2.5]]
    np.testing.assert_allclose(trap.apply(image), late, rtol=1e-15)


def test_the_bias_falls(cte):
    scene = cte.simulate("tiny", capacity=50, leak=0.2)
    rows = {row.name: row for row in cte.run(scene)}
    without, trapped = rows["without the trap"], rows["not corrected"]
    assert abs(without.bias) < 0.015
    assert trapped.bias < -0.2
    for model in "model image", "smoothed spectra":
        once, twice = (abs(rows[f"{model}, corrected {k} x"].bias) for k in (1, 2))
        assert once < abs(trapped.bias) / 3
        assert twice < abs(trapped.bias) / 10
    # The noise of a model is corrected into the image; smoothing takes it out.
    noisy, smooth = (rows[f"{name}, corrected 2 x"] for name in ("model image", "smoothed spectra"))
    assert smooth.scatter < 1.1 * rows["true light"].scatter < without.scatter < noisy.scatter
    assert smooth.total < min(noisy.total, trapped.total)

    # What does not pass the trap keeps its value.
    [once] = cte.correct(scene, cte.model_image, 1)
    before = slice(0, scene.trap.column)
    np.testing.assert_array_equal(once[:, before], scene.trapped[:, before])
    np.testing.assert_array_equal(scene.trapped[:, before], scene.without[:, before])
    assert np.abs(once - scene.trapped).max() > 10


def test_the_program(tmp_path):
    figure = tmp_path / "cte.png"
    command = [sys.executable, SCRIPT, "--size", "tiny", "--times", "1", "--figure", figure]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    names = [line.split("  ")[0] for line in said]
    assert names[:3] == ["image", "without the trap", "not corrected"]
    models = [f"{model}, corrected 1 x" for model in ("model image", "smoothed spectra")]
    assert names[3:-1] == [*models, "true light"]
    assert names[-1].startswith("a model image: ")
    assert figure.stat().st_size > 1000

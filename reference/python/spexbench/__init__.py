"""DESI's spectra from CCD images by spectroperfectionism, on CPUs and GPUs.

`extract` makes a Frame of an image and its PSF, `extract_frame` does the same with the arguments
and the result of gpu_specter's function of that name, `compare` holds frames to each other or to a
truth, and `simulate` makes exposures. docs/python.md introduces them.
"""

from ._compare import Comparison, compare
from ._convert import register_with_specutils
from ._core import Preproc, gpu_count, version
from ._extract import extract
from ._extractor import Extractor
from ._frame import UNITS, Counts, Frame, read_frame
from ._gpu_specter import extract_frame
from ._inputs import make_preproc, read_preproc, read_psf
from ._project import project
from ._psf import Psf
from ._run import has_gpu
from ._simulate import SimulatedFrame, simulate
from ._truth import Truth, read_truth
from .errors import (
    DataError,
    DeviceError,
    Error,
    InternalError,
    OutOfRangeError,
    StoppedError,
    UsageError,
)
from .masks import PixelMask, SpecMask

__version__ = version()

__all__ = [
    "UNITS",
    "Comparison",
    "Counts",
    "DataError",
    "DeviceError",
    "Error",
    "Extractor",
    "Frame",
    "InternalError",
    "OutOfRangeError",
    "PixelMask",
    "Preproc",
    "Psf",
    "SimulatedFrame",
    "SpecMask",
    "StoppedError",
    "Truth",
    "UsageError",
    "compare",
    "extract",
    "extract_frame",
    "gpu_count",
    "has_gpu",
    "make_preproc",
    "project",
    "read_frame",
    "read_preproc",
    "read_psf",
    "read_truth",
    "register_with_specutils",
    "simulate",
    "version",
]

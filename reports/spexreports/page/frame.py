"""Pages and figures of extracted frames: `spex-reports frame` and `spex-reports demo`."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from spexreports.errors import UsageError
from spexreports.figures import style
from spexreports.figures.frame import ivar_figure, residual_figure
from spexreports.figures.patch import brightest_wave, patch_figure, window_around
from spexreports.figures.pulls import pulls_figure, summary
from spexreports.figures.resolution import resolution_figure, widths
from spexreports.figures.spectra import spectra_figure
from spexreports.page.page import picture, write_page
from spexreports.results import frames
from spexreports.results.truth import expected_flux, pulls
from spexreports.tables.numbers import number
from spexreports.tables.table import Table

ZOOM = 20  # Angstrom on each side of the brightest line


def _facts(frame: frames.Frame) -> Table:
    """Basic facts of sky fibers and other fibers."""
    rows = []
    for kind, chosen in (
        ("all fibers", np.ones(len(frame.flux), bool)),
        ("sky fibers", frame.objtype == "SKY"),
        ("other fibers", frame.objtype != "SKY"),
    ):
        good = frame.good[chosen]
        if not chosen.any() or not good.any() or (kind != "all fibers" and chosen.all()):
            continue
        flux, ivar = frame.flux[chosen][good], frame.ivar[chosen][good]
        rows.append(
            {
                "fibers": kind,
                "count": str(int(chosen.sum())),
                "good bins": f"{100 * good.mean():.2f}%",
                "median flux, electron / Å": number(float(np.median(flux))),
                "median S/N a bin": number(float(np.median(flux * np.sqrt(ivar)))),
            }
        )
    middle = min(len(frame.flux), len(frame.resolution)) // 2
    width = widths(frame, middle)
    text = f"{frame.wave[0]:.1f} to {frame.wave[-1]:.1f} Å in {len(frame.wave)} bins."
    if np.isfinite(width).any():
        text += f" Line width of fiber {frame.fiber[middle]}: {np.nanmedian(width):.2f} Å (median)."
    empty = {"fibers": "no good bin", "count": str(len(frame.flux))}
    return Table.of("facts", "The frame", rows or [empty], text)


def frame_report(path: Path, model: Path | None, preproc: Path | None, out: Path) -> list[Path]:
    """Writes the page of a frame; `model` and `preproc` are given both or not at all."""
    if (model is None) != (preproc is None):
        raise UsageError("--model", "needs the image too", "--model MODEL --preproc PREPROC")
    frame = frames.read_frame(path)
    ccd = frames.read_ccd(preproc) if preproc else None
    fitted = frames.read_model(model) if model else None
    if ccd and fitted is not None and fitted.shape != ccd.image.shape:
        raise UsageError("--model", f"{model} has other pixels than {preproc}", "the same image's")
    name = f"Camera {frame.camera}" if frame.camera else path.name

    def fill(folder: Path) -> dict[str, Any]:
        near = f"Near the brightest line, {brightest_wave(frame):.0f} Å"
        drawn = [
            ("spectra", "Spectra", spectra_figure(frame, f"{name}: spectra")),
            ("lines", near, spectra_figure(frame, f"{name}: lines", zoom=ZOOM)),
            ("ivar", "Noise", ivar_figure(frame, f"{name}: noise")),
            ("resolution", "Resolution", resolution_figure(frame, f"{name}: resolution")),
        ]
        if ccd and fitted is not None:
            drawn.append(
                ("residual", "Image − model", residual_figure(ccd, fitted, f"{name}: residual"))
            )
        pictures = {key: picture(key, title, "", fig, folder) for key, title, fig in drawn}
        return {"name": name, "file": path.name, "facts": _facts(frame), "pictures": pictures}

    return write_page(out, "frame.html.j2", fill)


def demo_figures(arguments: Namespace) -> list[Path]:
    """Draws the plots of a simulated frame and its truth."""
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    frame = frames.read_frame(arguments.frame)
    ccd = frames.read_ccd(arguments.preproc)
    model = frames.read_model(arguments.model)
    traces = frames.read_traces(arguments.psf)
    expected = expected_flux(frame, frames.read_truth(arguments.truth))
    measured = pulls(frame, expected)
    for name, value, want in summary(measured):
        print(f"  {name:20s} {value:8.4f}  expected {want:g}")
    name = f"Camera {frame.camera or 'unknown'}"
    window = window_around(ccd, traces, frame.index[:25], brightest_wave(frame))
    drawn = {
        "patch": patch_figure(ccd, model, window, f"{name}: the CCD and the model of it"),
        "spectra": spectra_figure(frame, f"{name}: spectra and the truth", expected),
        "lines": spectra_figure(frame, f"{name}: lines and the truth", expected, ZOOM),
        "resolution": resolution_figure(frame, f"{name}: resolution"),
        "pulls": pulls_figure(measured, f"{name}: errors against the truth"),
    }
    return [style.save(figure, out / f"{key}.png") for key, figure in drawn.items()]

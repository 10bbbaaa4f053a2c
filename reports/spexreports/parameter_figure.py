"""Speed over the size of patches, and over the compression of the inputs."""

from spexreports import style
from spexreports.gpu_scaling_figure import error_bars, interval_words, line
from spexreports.result import Result
from spexreports.section import Missing, Picture, by_group, in_sweep, lines_of, systems, told_apart
from spexreports.work import has_fpnh

COMPRESSIONS = {"none": "plain", "gz": ".gz", "fz": ".fz"}
LABELS = {
    "nwavestep": "nwavestep (wavelength bins of a patch)",
    "nsubbundles": "nsubbundles (parts of a bundle)",
}


def _chosen(results: list[Result], *kinds: str) -> list[Result]:
    return [r for r in in_sweep(results, *kinds) if has_fpnh(r)]


def _size(result: Result) -> float:
    return float(result.scaling.x)


def _fpnh(result: Result):
    return result.extraction.fpnh


def patch_size_figure(results: list[Result]) -> list[Picture] | Missing:
    """FPNH over nwavestep and over nsubbundles."""
    panels = []
    for kind in LABELS:
        groups = lines_of(
            _chosen(results, kind), lambda r: (r.scaling.sweep, r.system, r.case), _size
        )
        if groups:
            panels.append((kind, groups))
    if not panels:
        return Missing("no sweep of kind nwavestep or nsubbundles with two valid points")
    everything = _chosen(results, *LABELS)
    figure, axes = style.column_figure(8 + 44 * len(panels), nrows=len(panels))
    for axis, (kind, groups) in zip(axes[:, 0], panels, strict=True):
        for i, points in enumerate(groups.values()):
            name = told_apart(everything, points[0].milestone, points[0])
            line(axis, points, _size, _fpnh, name, i)
        style.whole_ticks(axis.xaxis, sorted({_size(r) for g in groups.values() for r in g}))
        axis.set_ylim(bottom=0)
        axis.set_xlabel(LABELS[kind])
        axis.set_ylabel("FPNH (frames per node-hour)")
        axis.legend()
    figure.suptitle(systems(everything), x=0.01, ha="left")
    caption = (
        f"FPNH by the extraction clock over the size of a patch. {interval_words(everything)} "
        "Patches of other sizes are other work: the frames differ within the tolerances."
    )
    return [Picture("patch-size", figure, caption)]


def compression_figure(results: list[Result]) -> list[Picture] | Missing:
    """FPNH with plain, .gz and .fz inputs."""
    everything = _chosen(results, "compression")
    groups = by_group(everything, lambda r: (r.scaling.sweep, r.system))
    groups = {k: g for k, g in groups.items() if len(g) > 1}
    if not groups:
        return Missing("no sweep of kind compression with two valid points")
    figure, axes = style.column_figure(60)
    axis = axes[0, 0]
    present = {_compression(r) for g in groups.values() for r in g}
    kinds = [name for name in COMPRESSIONS.values() if name in present]
    width = 0.8 / len(groups)
    for i, points in enumerate(groups.values()):
        places = [
            kinds.index(_compression(r)) + (i - (len(groups) - 1) / 2) * width for r in points
        ]
        values = [_fpnh(r) for r in points]
        axis.bar(
            places,
            [v.value for v in values],
            width,
            yerr=error_bars(values),
            color=style.CYCLE[i % len(style.CYCLE)],
            label=told_apart(everything, points[0].milestone, points[0]),
        )
    axis.set_xticks(range(len(kinds)), labels=kinds)
    axis.set_xlabel("compression of the input files")
    axis.set_ylabel("FPNH (frames per node-hour)")
    axis.legend(loc="upper right")
    axis.set_ylim(0, axis.get_ylim()[1] * 1.15)
    axis.set_title(systems(everything))
    caption = (
        "FPNH by the extraction clock, which includes reading and decompression, with plain and "
        "with compressed inputs. "
        + interval_words(everything, "Bars without an interval are single runs.")
    )
    return [Picture("compression", figure, caption)]


def _compression(result: Result) -> str:
    return COMPRESSIONS[result.json["inputs"]["generator"]["compression"]]

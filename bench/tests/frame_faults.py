"""Faults in the values and headers of a frame, made for faulty_extractor.py."""

import contextlib
import os
import threading
import traceback
from pathlib import Path

import numpy as np
from astropy.io import fits

# Keywords that get a wrong value.
KEYWORDS = {
    "another camera": ("CAMERA", "z9"),
    "another exposure": ("EXPID", 7),
    "unknown keyword": ("CDELT1", 7.0),
    "patches that failed": ("NFAILED", 3),
    "frame of another milestone": ("MILESTNE", "pipeline"),
    "frame of another program": ("SPEXPROG", "spex-gpu"),
    "frame of another method": ("METHOD", "eigh"),
}
# Cards that are inserted before another card of an HDU.
CARDS = {
    "scaled fibermap": ("FIBERMAP", "EXTNAME", "TSCAL4  = 1.0", "TZERO4  = 90.0"),
    "scaled scores": ("SCORES", "EXTNAME", "TSCAL1  = 2.0"),
    "two exposures": ("FLUX", "EXPID", "EXPID   = 4711"),
}


def edit_frame(fault: str, frame: Path) -> None:
    """Changes values or headers of a frame, with right sums."""
    if fault in CARDS:
        put_cards(frame, *CARDS[fault])
        return
    with fits.open(frame, mode="update", memmap=False) as file:
        flux, ivar, mask = file["FLUX"].data, file["IVAR"].data, file["MASK"].data
        sigma = np.where(ivar > 0, 1 / np.sqrt(np.where(ivar > 0, ivar, 1)), 0)
        if fault == "nan":
            flux[7, 30] = np.nan
        elif fault in ("dropped fiber", "half of the fibers", "all zero"):
            rows = {"d": slice(11, 12), "h": slice(None, None, 2), "a": slice(None)}[fault[0]]
            flux[rows], ivar[rows] = 0, 0
            mask[rows] |= fault == "half of the fibers"
        elif fault == "shift":
            flux[:] = np.roll(flux, 1, axis=1)
        elif fault == "wrong ivar":
            ivar[3] *= 1.01
        elif fault == "five percent of ivar":
            ivar *= 1.05
        elif fault == "noise of a tenth of sigma":
            flux += 0.1 * sigma * np.random.default_rng(1).normal(size=flux.shape)
        elif fault == "one fiber off":
            flux[5] += 0.3 * sigma[5]
        elif fault == "chi2pix":
            file["CHI2PIX"].data[:] = 1
        elif fault == "resolution":
            file["RESOLUTION"].data[:] += 1e-4
        elif fault == "mask":
            mask[2, 40] ^= 1
        elif fault == "another HDU":
            file.append(fits.ImageHDU(np.zeros(3), name="EXTRA"))
        elif fault == "swapped bundles":
            flux[:10] = np.concatenate([flux[5:10], flux[:5]])
        elif fault == "other bytes":
            file["FLUX"].header["FAULT"] = True
        elif fault in KEYWORDS:
            name, value = KEYWORDS[fault]
            file[0].header[name] = value
        elif fault == "another unit":
            file["IVAR"].header["BUNIT"] = "Jy"
        elif fault == "another order":
            file.insert(1, file.pop(file.index_of("RESOLUTION")))
        elif fault == "another fiber's name":
            file["FIBERMAP"].data["TARGETID"][3] += 1
        elif fault == "scores":
            file["SCORES"].data.field(1)[3] *= 1.01
        elif fault.endswith(" in the dark"):
            edit_dark_bins(file, fault.split()[0].upper(), ivar == 0)
        for hdu in file:
            hdu.add_checksum()


def edit_dark_bins(file: fits.HDUList, name: str, dark: np.ndarray) -> None:
    """Sets values of bins that no pixel constrains."""
    value = {"FLUX": -5000, "IVAR": 4, "CHI2PIX": 1e6, "RESOLUTION": 0.3}[name]
    data = file[name].data
    (data.transpose(0, 2, 1) if name == "RESOLUTION" else data)[dark] = value


def put_cards(frame: Path, name: str, before: str, *cards: str) -> None:
    """Inserts cards into the header of an HDU, and corrects the checksums."""
    with fits.open(frame) as file:
        place = file[name].fileinfo()
    content = frame.read_bytes()
    header = content[place["hdrLoc"] : place["datLoc"]]
    old = [header[k : k + 80] for k in range(0, len(header), 80)]
    old = old[: old.index(b"END".ljust(80))]
    at = next(k for k, card in enumerate(old) if card.startswith(before.encode().ljust(8) + b"="))
    new = [*old[:at], *(card.encode().ljust(80) for card in cards), *old[at:], b"END".ljust(80)]
    text = b"".join(new)
    text += b" " * (-len(text) % 2880)
    frame.write_bytes(content[: place["hdrLoc"]] + text + content[place["datLoc"] :])
    with fits.open(frame, mode="update", memmap=False) as file:
        file[name].add_checksum()


class FrameEditor:
    """Changes frames in a thread of the test, as the extractors of a folder ask for."""

    def __init__(self, folder: Path):
        """Makes the pipes `asked` and `answered` in the folder."""
        self.asked, self.answered = folder / "asked", folder / "answered"
        os.mkfifo(self.asked)
        os.mkfifo(self.answered)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self) -> None:
        """Each question is a fault and a frame; the answer is empty, or why there is no fault."""
        while question := self.asked.read_text():
            fault, frame = question.split("\n")
            failure = ""
            try:
                edit_frame(fault, Path(frame))
            except Exception:
                failure = traceback.format_exc()
            self.answered.write_text(failure)

    def close(self) -> None:
        """Ends the thread by an empty question, if it waits for one."""
        with contextlib.suppress(OSError):
            os.close(os.open(self.asked, os.O_WRONLY | os.O_NONBLOCK))
            self.thread.join(10)

"""Tests of traces: the batch that is kept from a table of `bench/profile/profile trace`."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from spexreports.errors import DataError
from spexreports.figures import style
from spexreports.figures.trace import trace_figure
from spexreports.results.read import find
from spexreports.results.trace import batch_of, read_traces
from spexreports.tables.times import trace_table

MS = 1_000_000


def table(starts: list[int]) -> str:
    """Batches that start at these milliseconds: a stage, two overlapping kernels, a copy."""
    lines = ["kind,name,stream,start_ns,end_ns,bytes"]
    for start in starts:
        spans = [
            ("stage", "assemble", 0, 1),
            ("kernel", "f<1, 2>(int)", 1, 3),
            ("kernel", "g", 2, 4),
            ("copy", "pinned to device", 5, 6),
        ]
        for kind, name, begin, end in spans:
            times = f"{(start + begin) * MS},{(start + end) * MS}"
            lines.append(f'{kind},"{name}",7,{times},0')
    return "\n".join(lines) + "\n"


class Traces(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.file = self.folder / "trace-0.csv"

    def test_the_batch_of_median_length_is_kept(self):
        """Lengths 100 (the first, which is omitted), 10, 20 and 30."""
        self.file.write_text(table([0, 100, 110, 130, 160]))
        batch = batch_of(self.file)
        self.assertEqual(batch["milliseconds"], 20)
        self.assertEqual(batch["counts"], {"kernel": 2, "copy": 1})
        self.assertEqual(batch["busy"], {"kernel": 3, "copy": 1})
        self.assertEqual(batch["stages"], [("assemble", 0, 1)])
        self.assertEqual(batch["spans"], {"kernel": [(1, 4)], "copy": [(5, 6)]})

    def test_what_is_kept_is_found_and_drawn(self):
        self.file.write_text(table([0, 100, 110]))
        head = {"milestone": "multi-gpu", "commit": "abc", "gpu": "GPU", "patches": 2}
        kept = self.folder / "patch-trace.json"
        kept.write_text(json.dumps({"traces": [head | batch_of(self.file)]}))
        self.assertEqual(find([self.folder]).traces, [kept])
        traces = read_traces([kept])
        row = trace_table(traces).frame.iloc[0]
        self.assertEqual(row["kernels a patch"], "1")
        self.assertEqual(row["ms a patch"], "5.0")
        self.assertEqual(row["GPU busy"], "30%")
        style.apply()
        self.assertEqual(len(trace_figure(traces).axes), 1)
        self.assertIsNone(trace_figure([]))

    def test_what_is_no_trace(self):
        for text in (table([0, 100]), "a,b\n1,2\n"):
            self.file.write_text(text)
            with self.assertRaises(DataError):
                batch_of(self.file)


if __name__ == "__main__":
    unittest.main()

"""Results as an archive: submitted, checked, and measured again."""

import io
import json
import tarfile
from pathlib import Path

from bench_runs import Bench, BenchTest, entry

REPEATS = 5


def read(path: Path) -> dict[str, bytes]:
    """The files of an archive."""
    with tarfile.open(path) as tar:
        return {one.name: tar.extractfile(one).read() for one in tar}


def write(path: Path, files: dict[str, bytes]) -> None:
    """An archive of files."""
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


class Archive(BenchTest):
    """One campaign of two entries, which all tests look at."""

    @classmethod
    def setUpClass(cls):
        """Runs it and packs it."""
        entries = [
            entry("one", repeats=REPEATS),
            entry("two", repeats=REPEATS, tolerance="unpadded"),
        ]
        cls.bench = Bench(entries)
        cls.ran = cls.bench.run("--system", "here")
        cls.archive = cls.bench.folder / "result.tar.gz"
        (cls.bench.folder / "about.txt").write_text("A node.")
        cls.packed = cls.bench.spex_bench(
            *("submit", cls.bench.folder / "out", "--archive", cls.archive),
            *("--description", cls.bench.folder / "about.txt"),
        )

    @classmethod
    def tearDownClass(cls):
        """Removes its folder."""
        cls.bench.__exit__()

    def changed(self, change) -> Path:
        """An archive of files that `change` was made to."""
        files = read(self.archive)
        change(files)
        path = self.bench.folder / "changed.tar.gz"
        write(path, files)
        return path

    def test_a_campaign_is_packed_and_checked(self):
        """Reasons that several entries share stand once."""
        self.assertEqual(self.ran[0], 0, self.ran[1])
        self.says(self.packed, 6)
        done = self.bench.spex_bench("check", self.archive)
        text = self.says(done, 6, "\nconsistent\nall files are there\nnot complete: one, two\n")
        self.assertEqual(text.count("    the tier is ci\n"), 1)
        self.assertIn("    two: the tolerance is unpadded\n", text)
        files = read(self.archive)
        self.assertEqual(files["description.txt"], b"A node.")
        self.assertLess(len(files["results/one.json"]), 60_000)
        self.assertEqual(self.bench.spex_bench("check", self.bench.folder / "none")[0], 1)

    def test_what_does_not_follow_is_found(self):
        """A number that is not that of the samples."""

        def faster(files):
            result = json.loads(files["results/one.json"])
            result["derived"]["fom"]["effective"]["seconds"]["median"] /= 2
            files["results/one.json"] = json.dumps(result).encode()

        done = self.bench.spex_bench("check", self.changed(faster))
        self.says(done, 3, "fom/effective/seconds/median is")

    def rerun(self, archive: Path, name: str) -> tuple[int, str]:
        """Status and output of a rerun by the programs that made the archive."""
        return self.bench.spex_bench(
            *("rerun", archive, "--out", self.bench.folder / name),
            *("--programs", self.bench.folder, "--", "--system", "here"),
        )

    def test_a_rerun_shows_what_a_check_cannot(self):
        """Times that were halved, with all that follows from them."""

        def lie(files):
            for name in ("results/one.json", "results/two.json"):
                result = json.loads(files[name])
                samples = result["record"]["timing"]["samples"]
                for sample in samples:
                    sample["other_cpu_s"] = None
                    sample["warnings"] = []
                for clock in ("effective", "extraction"):
                    for sample in samples:
                        sample[f"{clock}_s"] /= 20
                    values = [sample[f"{clock}_s"] for sample in samples]
                    ordered = sorted(values)
                    middle = ordered[REPEATS // 2]
                    result["derived"]["fom"][clock]["seconds"].update(
                        samples=values,
                        median=middle,
                        low=ordered[0],
                        high=ordered[-1],
                        mad=sorted(abs(v - middle) for v in values)[REPEATS // 2],
                    )
                values = [sample["effective_s"] for sample in samples]
                spread = max(values) / min(values)
                noisy = f"noisy: the longest run took {spread:.1f} times the shortest"
                result["derived"]["unusual"] = [noisy] if spread >= 1.5 else []
                files[name] = json.dumps(result).encode()

        archive = self.changed(lie)
        self.says(self.bench.spex_bench("check", archive), 6, "\nconsistent\n")
        self.says(self.rerun(archive, "again"), 4, "the archive claims MORE")

    def test_a_rerun_of_what_was_measured_agrees(self):
        """On the same machine; it may be slower while it does other work, and says so."""
        status, text = self.rerun(self.archive, "rerun")
        self.assertIn(status, (0, 4, 6), text)
        self.assertIn("effective s", text)
        self.assertIn("rerun", text)
        results = json.loads((self.bench.folder / "rerun/results/one.json").read_text())
        self.assertEqual(results["record"]["inputs"]["seeds"], "drawn")

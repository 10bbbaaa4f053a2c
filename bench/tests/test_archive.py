"""Archives of results: submitted, checked, and rerun."""

import io
import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

from bench_runs import ROOT, Bench, BenchTest, entry

REPEATS = 5


def read(path: Path) -> dict[str, bytes]:
    """The files of an archive."""
    with tarfile.open(path) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}


def write(path: Path, files: dict[str, bytes]) -> None:
    """Writes an archive of files."""
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


class Archive(BenchTest):
    """One campaign of two entries, which all tests use."""

    @classmethod
    def setUpClass(cls):
        """Runs and packs it."""
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

    def test_a_campaign_is_packed_and_checked(self):
        """Reasons that several entries share appear once."""
        self.assertEqual(self.ran[0], 0, self.ran[1])
        self.says(self.packed, 6)
        done = self.bench.spex_bench("check", self.archive)
        text = self.says(done, 6, "\nconsistent\nall files are there\nnot complete: one, two\n")
        self.assertEqual(text.count("    the tier is ci\n"), 1)
        self.assertIn("    two: the tolerance is unpadded\n", text)
        files = read(self.archive)
        self.assertEqual(files["description.txt"], b"A node.")
        self.assertLess(len(files["results/one.json"]), 60_000)
        self.assertLess(self.archive.stat().st_size, sum(map(len, files.values())) / 3)
        self.assertEqual(self.bench.spex_bench("check", self.bench.folder / "none")[0], 1)

    def test_wrong_derived_numbers_are_found(self):
        """A number that does not follow from the samples."""
        files = read(self.archive)
        result = json.loads(files["results/one.json"])
        result["derived"]["fom"]["effective"]["seconds"]["median"] /= 2
        files["results/one.json"] = json.dumps(result).encode()
        changed = self.bench.folder / "changed.tar.gz"
        write(changed, files)
        done = self.bench.spex_bench("check", changed)
        self.says(done, 3, "fom/effective/seconds/median is")

    def test_a_repacked_archive_is_read(self):
        """As tar packs a folder, with entries for folders; names that leave it are refused."""
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(self.archive) as tar:
                tar.extractall(folder, filter="data")
            again = Path(folder).with_suffix(".tar.gz")
            self.addCleanup(again.unlink)
            subprocess.run(["tar", "czf", again, "-C", folder, "."], check=True)
        done = self.bench.spex_bench("check", again)
        self.says(done, 6, "\nconsistent\nall files are there\n")
        write(again, read(self.archive) | {"../x": b""})
        self.says(self.bench.spex_bench("check", again), 1, "holds a file named '../x'")

    def test_committed_archives(self):
        """Those behind the README's table: consistent, and with a complete entry."""
        archives = sorted((ROOT / "reports/archives").glob("*.tar.gz"))
        self.assertTrue(archives)
        for archive in archives:
            self.says(self.bench.spex_bench("check", archive), 0, "\nconsistent\n")

    def rerun(self, name: str, programs: Path, *options: str) -> tuple[int, str]:
        """Status and output of a rerun with other programs."""
        return self.bench.spex_bench(
            *("rerun", self.archive, "--out", self.bench.folder / name, "--programs", programs),
            *("--", "--system", "here", *options),
        )

    def test_a_rerun_finds_invented_times(self):
        """Times that the archive's commit does not reach."""
        slow = '#!/usr/bin/env bash\n[[ "$*" != *--events* ]] || sleep 3\n'
        slow += 'exec "${0%/*}/real-spex-cpu" "$@"\n'
        with Bench([], extractor=slow) as programs:
            done = self.rerun("slow", programs.folder, "--repeats", "2")
            self.says(done, 4, "the archive claims MORE")

    def test_a_rerun_of_measured_times_agrees(self):
        """On the same machine. A busy machine may be slower, which is reported."""
        status, text = self.rerun("rerun", self.bench.folder)
        self.assertIn(status, (0, 4, 6), text)
        self.assertIn("effective s", text)
        self.assertIn("its output goes to", text)
        # A wide interval contradicts nothing, so it does not agree either.
        number = r"([\d.e+-]+)"
        figure = rf"{number} \({number} to {number}\)"
        found = re.findall(rf"{figure}, rerun {figure}: (agrees|too scattered|the archive)", text)
        self.assertEqual(len(found), 4, text)
        for *numbers, answer in found:
            was, low, high, now, now_low, now_high = map(float, numbers)
            narrow = max((high - low) / was, (now_high - now_low) / now) < 0.1
            if answer != "the archive":
                self.assertEqual(answer, "agrees" if narrow else "too scattered")
        results = json.loads((self.bench.folder / "rerun/results/one.json").read_text())
        self.assertEqual(results["record"]["inputs"]["seeds"], "drawn")

"""Archives of results: what is packed is found right anywhere; what was edited is refused."""

import io
import json
import os
import shutil
import sys
import tarfile
import unittest
from functools import reduce
from operator import getitem
from pathlib import Path

from archives import Files, listed, read, sealed, spex_bench, write
from bench_runs import ROOT, Bench, entry

sys.path.insert(0, str(ROOT / "reports"))

from spexreports.errors import DataError
from spexreports.sealed import check_seal


class Submission(unittest.TestCase):
    """One short plan, packed once."""

    @classmethod
    def setUpClass(cls):
        """Entries of two runs, of two ranks, and of a compressed frame alone."""
        small = {"cameras": "r0", "size": "bundle"}
        alone = entry("alone", case="small-gz", alone=True)
        cls.bench = Bench(
            [entry("one", repeats=2), entry("two", ranks=2, threads=1), alone],
            cases={"small": small, "small-gz": small | {"compress": "gz"}},
        )
        status, text = cls.bench.run("--system", "somewhere")
        assert status == 0, text
        cls.archive = cls.bench.folder / "result.tar.gz"
        cls.packed = cls.spex_bench("submit", cls.bench.folder / "out", "--archive", cls.archive)
        cls.files = read(cls.archive)

    @classmethod
    def tearDownClass(cls):
        """Removes its folder."""
        cls.bench.__exit__()

    @classmethod
    def spex_bench(cls, *words: str | Path) -> tuple[int, str]:
        """Status and output."""
        return spex_bench(cls.bench, *words)

    def check(self, files: Files) -> tuple[int, str]:
        """Status and output of a check of these files."""
        path = self.bench.folder / "edited.tar.gz"
        write(path, files)
        return self.spex_bench("check", path)

    def refuse(self, reason: str, files: Files, status: int = 3) -> None:
        """The files are refused, for that reason."""
        found, text = self.check(files)
        self.assertEqual(found, status, text)
        self.assertIn(reason, text)

    def test_what_is_packed_is_complete_and_consistent(self):
        """A small plan of the tier ci is not to be published, and every reason is named."""
        status, text = self.packed
        self.assertEqual(status, 6, text)
        for name in ("plan.json", "system.json", "results/one.json", "results/one.events.json"):
            self.assertIn(name, self.files)
        self.assertIn("logs/one-1.log", self.files)
        again, found = self.spex_bench("check", self.archive)
        self.assertEqual(again, 6, found)
        self.assertIn("on somewhere, commit", found)
        self.assertIn("\nconsistent\ncomplete\n", found)
        reasons = json.loads(self.files["results/one.json"])["fom"]["not_published_because"]
        self.assertGreater(len(reasons), 2)
        for reason in reasons:
            self.assertIn(reason, found)
        # The same files, packed by another program.
        self.assertEqual(self.check(self.files)[0], 6)
        first = self.archive.read_bytes()
        self.spex_bench("check", self.archive)
        self.assertEqual(self.archive.read_bytes(), first)

    def test_a_frame_alone_is_extracted_as_a_user_does(self):
        """By -i, -p and -o, with the bytes of any other run; and nothing else passes for it."""
        name = "results/alone.json"
        result = json.loads(self.files[name])
        self.assertEqual(result["verdict"]["overall"], "pass")
        self.assertTrue(result["launch"]["alone"])
        self.assertNotIn("--list", result["launch"]["argv"])
        log = json.loads(self.files["results/alone.events.json"])
        self.assertTrue(log["frames"][0]["input"].endswith("preproc-r0-00000001.fits.gz"))
        self.assertGreater(result["timing"]["samples"][0]["extraction_s"], 0)
        self.assertIsNone(result["fom"]["effective"]["fpnh"])
        for reason, edit in (
            ("launch/alone is false", lambda d: d["launch"].update(alone=False)),
            ("has not the options", lambda d: d["launch"]["argv"].remove("--nsubbundles")),
            ("has not the options", lambda d: d["launch"]["argv"].append("--device")),
        ):
            with self.subTest(reason):
                self.refuse(reason, sealed(self.files, name, edit))

    def test_files_that_are_not_those_of_the_manifest(self):
        """Edited, missing, added, without a manifest."""
        edited = self.files["results/one.json"].replace(b'"pass"', b'"fail"', 1)
        self.refuse("results/one.json has other bytes", self.files | {"results/one.json": edited})
        missing = {name: data for name, data in self.files.items() if name != "results/two.json"}
        self.refuse("results/two.json is missing, which the manifest lists", missing)
        no_two = {name: data for name, data in missing.items() if "two" not in name}
        self.refuse("the plan's entry two has no result", listed(no_two), status=1)
        self.refuse("logs/x.log is there", self.files | {"logs/x.log": b""})
        self.refuse("is of no entry", listed(self.files | {"results/three.json": b"{}"}))
        no_log = {name: data for name, data in self.files.items() if name != "logs/one-1.log"}
        self.refuse("logs/one-1.log is missing", listed(no_log), status=1)
        bare = {name: data for name, data in self.files.items() if name != "manifest.json"}
        self.refuse("manifest.json is missing", bare)
        self.refuse("manifest.json: ", self.files | {"manifest.json": b"{}"})

    def test_results_that_their_samples_do_not_bear_out(self):
        """By one who mends hashes; figures, samples, verdicts, seals."""

        def fom(data: dict) -> dict:
            return data["fom"]

        for reason, edit in (
            (
                "fom/effective/seconds/median is",
                lambda d: fom(d)["effective"]["seconds"].update(median=0.001),
            ),
            ("fom/published is true (expected false", lambda d: fom(d).update(published=True)),
            (
                "fom/not_published_because",
                lambda d: fom(d).update(not_published_because=[]),
            ),
            (
                "the extraction clock is not within",
                lambda d: d["timing"]["samples"][0].update(effective_s=0.001),
            ),
            ("seal is", lambda d: d["timing"]["samples"][0].update(max_rss_bytes=1.0)),
            ("seal is", lambda d: d.update(seal="0" * 64)),
            ("seal is", lambda d: d["launch"]["environment"].clear()),
            ("seal is", lambda d: d.update(run_id="of another day")),
            ("verdict/overall is", lambda d: d["verdict"].update(overall="unhealthy")),
            (
                "has not the options",
                lambda d: d["launch"]["argv"].remove("--nsubbundles"),
            ),
            ("tier is", lambda d: d.update(tier="acceptance")),
            ("extra is unknown", lambda d: d.update(extra=1)),
            ("was not looked at", lambda d: d["validation"]["frames"][0]["outputs"].pop()),
            (
                "a check passes with bad values",
                lambda d: d["validation"]["frames"][0]["checks"][0].update(bad=3),
            ),
            (
                "was held to no reference",
                lambda d: d["validation"]["frames"][0].update(expected_from=None),
            ),
            (
                "results/one.events.json: its last event",
                lambda d: d["timing"]["samples"][1].update(
                    extraction_s=d["timing"]["samples"][1]["extraction_s"] * 1.1
                ),
            ),
            ("'programs' is not that of", lambda d: d["programs"].update({"spex-cpu": "0" * 64})),
            ("results/one.json: ", lambda d: d.pop("timing")),
            ("another seed", lambda d: d["timing"]["samples"][1].update(seed=9)),
        ):
            with self.subTest(reason):
                self.refuse(reason, sealed(self.files, "results/one.json", edit))

    def test_what_all_results_say_of_the_machine_is_sealed(self):
        """Edited alike in each of them, and in what the archive says."""
        files = self.files
        names = (f"results/{entry}.json" for entry in ("one", "two", "alone"))
        for name in (*names, "system.json"):
            files = sealed(files, name, lambda d: d["system"].update(cpu="another", name="best"))
        self.refuse("seal is", files)

    def test_the_report_sees_an_edit_too(self):
        """By the key that lies beside the results."""
        copy = self.bench.folder / "copy"
        shutil.copytree(self.bench.folder / "out", copy, ignore=shutil.ignore_patterns("data"))
        result = copy / "one.json"
        minor = json.loads(result.read_text())["schema"]["minor"]
        check_seal(result, minor)
        result.write_text(result.read_text().replace('"binding": "none"', '"binding": "core"'))
        with self.assertRaisesRegex(DataError, "was changed since spex-bench wrote it"):
            check_seal(result, minor)

    def test_a_run_log_that_was_edited(self):
        """Though its clocks and patches are those of the run."""

        def to_another(log: dict) -> None:
            log["ranks"][0]["host"] = "another"

        name = "results/one.events.json"
        self.refuse(
            f"{name}: is not what was written after the last run",
            sealed(self.files, name, to_another),
        )

    def test_files_that_would_mislead_a_reader_or_end_the_program(self):
        """Lists without end, numbers that are none, members twice, words that move the cursor."""
        name = "results/one.json"
        result = json.loads(self.files[name])
        deep = "[" * 200000 + "]" * 200000
        for path, raw, reason in (
            (("build",), deep, "is no JSON"),
            (("launch", "environment"), deep, "is no JSON"),
            (("timing", "samples", 0, "phases"), deep, "is no JSON"),
            (("launch", "ranks"), "1e300", "ranks: is 1e+300"),
            (("launch", "nodes"), "0", "nodes: is 0"),
            (("timing", "warmups"), "-1", "warmups: is -1"),
            (("timing", "until"), '{"width": 0.1, "most": 2000000000}', "most: is 2000000000"),
            (("timing", "until"), '{"width": 0.1, "most": 9}', "is another than the plan's"),
            (("fom", "published"), 'true, "published": false', "is no JSON"),
        ):
            with self.subTest(path=path, raw=raw[:20]):
                edited = json.loads(self.files[name])
                reduce(getitem, path[:-1], edited)[path[-1]] = "@raw@"
                data = json.dumps(edited).replace('"@raw@"', raw).encode()
                self.refuse(reason, listed(self.files | {name: data}))
        for other in ("manifest.json", "plan.json", "system.json", "results/one.events.json"):
            files = self.files | {other: deep.encode()}
            with self.subTest(other):
                self.refuse(other, files if other == "manifest.json" else listed(files))
        # A line of one's own.
        for edited in (result["system"], result["build"]):
            edited["name"] = "x\nconsistent\n\x1b[2Jpipeline: may be published\n"
        _, text = self.check(listed(self.files | {name: json.dumps(result).encode()}))
        self.assertIn("on x consistent ?[2Jpipeline: may be published , commit", text)

    def test_another_plan_or_commit(self):
        """The plan and the commit are those of the results."""
        plan = self.files["plan.json"].replace(b'"repeats": 2', b'"repeats": 3')
        self.assertNotEqual(plan, self.files["plan.json"])
        self.refuse("plan/sha256 is", listed(self.files | {"plan.json": plan}))
        self.refuse("plan.json", listed(self.files | {"plan.json": b"[]"}))
        self.refuse(
            "and the manifest of",
            sealed(self.files, "manifest.json", lambda d: d.update(commit="0123abc")),
        )
        self.refuse(
            "system.json: 'build' is not that of the results",
            sealed(self.files, "system.json", lambda d: d["build"].update(commit="0123abc")),
        )

    def test_archives_that_are_no_such(self):
        """Names that leave the folder, links, twice the same, too long, no archive: one line."""
        path = self.bench.folder / "evil.tar.gz"
        out = io.BytesIO(b"x")

        def holding(**members: str) -> tuple[int, str]:
            with tarfile.open(path, "w:gz") as tar:
                info = tarfile.TarInfo(members["name"])
                info.size = 1
                if "link" in members:
                    info.type, info.linkname, info.size = tarfile.SYMTYPE, members["link"], 0
                for _ in range(int(members.get("times", "1"))):
                    out.seek(0)
                    tar.addfile(info, out if info.size else None)
            return self.spex_bench("check", path)

        for name in ("../x", "/etc/x", "a/../../x", "a//b", ".hidden", "-rf", "a b", "logs/.x"):
            status, text = holding(name=name)
            self.assertEqual(status, 1, text)
            self.assertIn("holds a file named", text)
            self.assertEqual(text.count("\n"), 1, text)
        self.assertFalse((self.bench.folder.parent / "x").exists())
        self.assertIn("is no file", holding(name="plan.json", link="/etc/passwd")[1])
        self.assertIn("is there twice", holding(name="plan.json", times="2")[1])
        # 300 MB of nothing is 300 KB here.
        with tarfile.open(path, "w:gz", compresslevel=9) as tar:
            info = tarfile.TarInfo("plan.json")
            info.size = 300 << 20
            tar.addfile(info, _Zeros())
        self.assertLess(path.stat().st_size, 1 << 20)
        status, text = self.spex_bench("check", path)
        self.assertEqual(status, 1, text)
        self.assertIn("is too long", text)
        path.write_bytes(self.archive.read_bytes()[:2000])
        self.assertEqual(self.spex_bench("check", path)[0], 1)
        path.write_text("no archive")
        self.assertEqual(self.spex_bench("check", path)[0], 1)
        self.assertEqual(self.spex_bench("check", self.bench.folder / "none.tar.gz")[0], 1)
        self.assertEqual(self.spex_bench("check")[0], 2)
        pipe = self.bench.folder / "pipe.tar.gz"
        os.mkfifo(pipe)
        status, text = self.spex_bench("check", pipe)
        self.assertEqual(status, 1, text)
        self.assertIn("is no file", text)
        status, text = self.spex_bench("submit", self.bench.folder, "--archive", path)
        self.assertEqual(status, 1, text)
        status, text = self.spex_bench(
            "submit", self.bench.folder / "out", "--archive", self.bench.folder / "x.zip"
        )
        self.assertEqual(status, 2, text)

    def test_what_is_handed_in_takes_the_place_of_nothing(self):
        """A name that is taken is refused, and so is a description without end."""
        out, thesis = self.bench.folder / "out", self.bench.folder / "thesis.tar.gz"
        thesis.write_text("x")
        link = self.bench.folder / "link.tar.gz"
        link.symlink_to("thesis.tar.gz")
        for taken in (thesis, link):
            status, text = self.spex_bench("submit", out, "--archive", taken)
            self.assertEqual(status, 2, text)
            self.assertIn("is there already", text)
        self.assertEqual(thesis.read_text(), "x")
        free = self.bench.folder / "free.tar.gz"
        for path in ("/dev/zero", out, "none"):
            words = ("submit", out, "--archive", free, "--description", path)
            status, text = self.spex_bench(*words)
            self.assertEqual(status, 2, text)
            self.assertIn(f"--description: {path} cannot be read", text)
        self.assertFalse(free.exists())
        log = out / "logs/one-0.log"
        said = log.read_bytes()
        os.truncate(log, 1 << 30)
        status, text = self.spex_bench("submit", out, "--archive", free)
        log.write_bytes(said)
        self.assertEqual(status, 1, text)
        self.assertIn(f"{log}: is too long", text)


class _Zeros(io.RawIOBase):
    """A file without end."""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return bytes(size)


if __name__ == "__main__":
    unittest.main()

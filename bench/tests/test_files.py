"""Files and folders of spex-bench: whose they are, how long, and disks that are full."""

import fcntl
import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from bench_runs import Bench, entry


class Files(unittest.TestCase):
    """Each in a folder with programs of its own."""

    def test_a_full_disk_is_said_in_its_own_words(self):
        """The data, the results, the references, stdout, stderr: status 1, and nothing aborts."""
        if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode:
            self.skipTest("this user may mount nothing (expected unshare -rm)")
        no_room = "No space left on device"
        with Bench([entry("one")]) as bench:
            for folder, sizes in (
                ("data", ("400k", "10700k")),
                ("out", ("4k", "24k")),
                ("references", ("100k",)),
            ):
                for size in sizes:
                    with self.subTest(folder=folder, size=size):
                        shutil.rmtree(bench.folder / "out", ignore_errors=True)
                        (bench.folder / folder).mkdir(exist_ok=True)
                        mount = f"mount -t tmpfs -o size={size} none {bench.folder / folder}"
                        within = ["unshare", "-rm", "sh", "-c", f'{mount} && exec "$@"', "sh"]
                        done = subprocess.run(
                            [*within, *bench.command()],
                            capture_output=True,
                            text=True,
                            check=False,
                        )
                        text = done.stdout + done.stderr
                        self.assertEqual(done.returncode, 1, text)
                        self.assertIn(no_room, text)
                        self.assertNotIn("incorrect", text)
            shutil.rmtree(bench.folder / "out", ignore_errors=True)
            with Path("/dev/full").open("w") as full:
                self.assertEqual(subprocess.run(bench.command(), stderr=full).returncode, 0)
                shutil.rmtree(bench.folder / "out")
                done = subprocess.run(bench.command(), stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 1)
                self.assertIn(no_room, done.stderr.decode())
                for words, status in (
                    (["spex-bench", "no-such-plan"], 2),
                    (["spex-bench", "--nonsense"], 2),
                    (["spex-cpu", "-i", "none", "-p", "none", "-o", "none.fits"], 1),
                    (["spex-cpu", "--nonsense"], 2),
                    (["spex-sim"], 2),
                ):
                    words = [str(bench.folder / words[0]), *words[1:]]
                    done = subprocess.run(words, stdout=full, stderr=full)
                    self.assertEqual(done.returncode, status, words)

    def test_files_that_are_not_spex_benchs_stay(self):
        """In OUT, and behind a link in the place of a log."""
        with Bench([entry("one")]) as bench:
            out = bench.folder / "out"
            for name in ("one.events.json", "one.series.json", "logs/one-0.log"):
                shutil.rmtree(out, ignore_errors=True)
                (out / name).parent.mkdir(parents=True)
                (out / name).write_text("mine")
                status, text = bench.run_again()
                self.assertEqual(status, 2, text)
                self.assertIn(f"{out} holds {name.split('/')[0]} already", text)
                self.assertEqual((out / name).read_text(), "mine")
            shutil.rmtree(out)
            self.assertEqual(bench.run("--list")[0], 0)
            self.assertEqual(bench.run()[0], 0)
            thesis = bench.folder / "thesis.txt"
            thesis.write_text("mine")
            (out / "one.json").unlink()
            (out / "logs/one-0.log").unlink()
            (out / "logs/one-0.log").symlink_to(thesis)
            status, text = bench.run_again()
            self.assertEqual(thesis.read_text(), "mine")
            self.assertEqual(status, 1, text)

    def test_a_plan_is_a_file(self):
        """A pipe would be waited for, and a device has no end."""
        with Bench([entry("one")], tier="acceptance", warmups=1, repeats=5) as bench:
            os.mkfifo(bench.folder / "pipe")
            for name in (bench.folder / "pipe", "/dev/zero"):
                for words in ([name, "--list"], [bench.folder / "plan.json", "--thresholds", name]):
                    done = subprocess.run(
                        [bench.folder / "spex-bench", *words, "--out", bench.folder / "out"],
                        capture_output=True,
                        text=True,
                        check=False,
                        timeout=60,
                    )
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(f"{name}: cannot be read", done.stderr)

    def test_folders_that_would_be_emptied_hold_no_results(self):
        """Results within the data, data within the references, and the like; by a link too."""
        with Bench([entry("one")]) as bench:
            (bench.folder / "data").mkdir()
            (bench.folder / "link").symlink_to(bench.folder / "data")
            for option, folder in (
                ("--out", "data/outputs/out"),
                ("--out", "link/out"),
                ("--out", "references"),
                ("--data", "references/data"),
                ("--references", "data/outputs"),
            ):
                status, text = bench.run(option, str(bench.folder / folder))
                self.assertEqual(status, 2, text)
                self.assertIn(f"{option}: ", text)
                self.assertIn("(expected a folder of its own)", text)

    def test_nothing_of_someone_else_is_touched(self):
        """Folders with other files, results that are there, a folder in use: refused in a line."""
        with Bench([entry("one")]) as bench:
            thesis = bench.folder / "data/outputs/thesis"
            thesis.parent.mkdir(parents=True)
            thesis.write_text("x")
            status, text = bench.run()
            self.assertEqual(status, 2, text)
            self.assertIn("files that are not spex-bench's", text)
            self.assertTrue(thesis.exists())
            shutil.rmtree(bench.folder / "data")
            for name in ("../victim", "/tmp/victim", "", "..", "outputs/x"):
                bench.plan["cases"] = {name: {"cameras": "r0", "size": "bundle"}}
                (bench.folder / "plan.json").write_text(json.dumps(bench.plan))
                status, text = bench.run()
                self.assertEqual(status, 2, text)
                self.assertIn("cannot name a file", text)
            bench.plan["cases"] = {"small": {"cameras": "r0", "size": "bundle"}}
            (bench.folder / "plan.json").write_text(json.dumps(bench.plan))
            self.assertEqual(bench.run()[0], 0)
            status, text = bench.run_again()
            self.assertEqual(status, 2, text)
            self.assertIn("holds one.json already (expected --resume, or another folder)", text)
            with (bench.folder / "data/.spex-bench-lock").open() as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                status, text = bench.run()
                self.assertEqual(status, 1, text)
                self.assertIn("data: is in use by process", text)

    def test_results_of_two_plans_do_not_share_a_folder(self):
        """The plan is kept beside them, by which they are handed in; parts of one plan may."""
        with Bench([entry("one"), entry("two")]) as bench:
            self.assertEqual(bench.run("--only", "one")[0], 0)
            status, text = bench.run_again("--only", "two")
            self.assertEqual(status, 0, text)
            bench.plan["entries"] = [entry("three")]
            (bench.folder / "plan.json").write_text(json.dumps(bench.plan))
            for options in ((), ("--resume",)):
                status, text = bench.run_again(*options)
                self.assertEqual(status, 2, text)
                self.assertIn("holds results of another plan (expected a folder for each", text)
            self.assertFalse((bench.folder / "out/three.json").exists())


if __name__ == "__main__":
    unittest.main()

"""Files and folders of spex-bench: owners, sizes, and full disks."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from bench_runs import Bench, BenchTest, entry, output_of

# Files as large as the small disks expect.
BUNDLE = {"small": {"cameras": "r0", "size": "bundle"}}


class Files(BenchTest):
    """Each test has a separate folder with programs."""

    def test_a_small_disk_takes_all_runs(self):
        """Frames are compared, and the files removed, before the disk is full."""
        if output_of(["unshare", "-rm", "true"])[0]:
            self.skipTest("this user may mount nothing (expected unshare -rm)")
        with Bench([entry("one")], cases=BUNDLE, tier="acceptance", warmups=1, repeats=5) as bench:
            (bench.folder / "data").mkdir()
            mount = f"mount -t tmpfs -o size=40m none {bench.folder / 'data'}"
            within = ["unshare", "-rm", "sh", "-c", f'{mount} && exec "$@"', "sh"]
            text = self.says(output_of([*within, *bench.command()]), 0)
            self.assertLess(text.index("comparing the frames of run 0"), text.index("timed run 5"))
            self.assertEqual(bench.result("one")["validation"]["frames"][0]["compared"], 6)

    def test_a_full_disk_is_named(self):
        """The data, results, references, stdout, stderr: status 1, and no abort."""
        if output_of(["unshare", "-rm", "true"])[0]:
            self.skipTest("this user may mount nothing (expected unshare -rm)")
        no_room = "No space left on device"
        with Bench([entry("one")], cases=BUNDLE) as bench:
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
                        text = self.says(output_of([*within, *bench.command()]), 1, no_room)
                        self.assertNotIn("incorrect", text)
            shutil.rmtree(bench.folder / "out", ignore_errors=True)
            with Path("/dev/full").open("w") as full:
                self.assertEqual(subprocess.run(bench.command(), stderr=full).returncode, 0)
                shutil.rmtree(bench.folder / "out")
                done = subprocess.run(bench.command(), stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 1)
                self.assertIn(no_room, done.stderr.decode())
                for arguments, status in (
                    (["spex-bench", "no-such-plan"], 2),
                    (["spex-bench", "--nonsense"], 2),
                    (["spex-cpu", "-i", "none", "-p", "none", "-o", "none.fits"], 1),
                    (["spex-cpu", "--nonsense"], 2),
                    (["spex-sim"], 2),
                ):
                    arguments = [str(bench.folder / arguments[0]), *arguments[1:]]
                    done = subprocess.run(arguments, stdout=full, stderr=full)
                    self.assertEqual(done.returncode, status, arguments)

    def test_files_that_are_not_spex_benchs_stay(self):
        """In OUT, and behind a link with the name of a log."""
        with Bench([entry("one")]) as bench:
            out = bench.folder / "out"
            for name in ("one.events.json", "one.series.json", "logs/one-0.log"):
                shutil.rmtree(out, ignore_errors=True)
                (out / name).parent.mkdir(parents=True)
                (out / name).write_text("mine")
                self.says(bench.run_again(), 2, f"{out} holds {name.split('/')[0]} already")
                self.assertEqual((out / name).read_text(), "mine")
            shutil.rmtree(out)
            self.assertEqual(bench.run("--list")[0], 0)
            self.assertEqual(bench.run()[0], 0)
            thesis = bench.folder / "thesis.txt"
            thesis.write_text("mine")
            (out / "one.json").unlink()
            (out / "logs/one-0.log").unlink()
            (out / "logs/one-0.log").symlink_to(thesis)
            self.says(bench.run_again(), 1)
            self.assertEqual(thesis.read_text(), "mine")

    def test_a_plan_is_a_file(self):
        """A pipe could block, and a device is endless."""
        with Bench([entry("one")], tier="acceptance", warmups=1, repeats=5) as bench:
            os.mkfifo(bench.folder / "pipe")
            for name in (bench.folder / "pipe", "/dev/zero"):
                for arguments in (
                    [name, "--list"],
                    [bench.folder / "plan.json", "--thresholds", name],
                ):
                    done = bench.spex_bench(*arguments, "--out", bench.folder / "out")
                    self.says(done, 2, f"{name}: cannot be read")

    def test_folders_that_are_emptied_must_not_contain_others(self):
        """Results within the data, data within the references, and so on; also through a link."""
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
                done = bench.run(option, str(bench.folder / folder))
                self.says(done, 2, f"{option}: ", "(expected a folder of its own)")

    def test_files_of_others_are_not_touched(self):
        """Folders with other files, existing results, and a folder in use are refused."""
        with Bench([entry("one")]) as bench:
            thesis = bench.folder / "data/outputs/thesis"
            thesis.parent.mkdir(parents=True)
            thesis.write_text("x")
            self.says(bench.run(), 2, "files that are not spex-bench's")
            self.assertTrue(thesis.exists())
            shutil.rmtree(bench.folder / "data")
            for name in ("../victim", "/tmp/victim", "", "..", "outputs/x"):
                bench.plan["cases"] = {name: {"cameras": "r0", "size": "tiny"}}
                self.says(bench.run(), 2, "cannot name a file")
            bench.plan["cases"] = {"small": {"cameras": "r0", "size": "tiny"}}
            self.assertEqual(bench.run()[0], 0)
            done = bench.run_again()
            self.says(done, 2, "holds one.json already (expected --resume, or another folder)")
            with (bench.folder / "data/.spex-bench-lock").open() as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self.says(bench.run(), 1, "data: is in use by process")

    def test_results_of_two_plans_do_not_share_a_folder(self):
        """Results are kept and submitted with their plan; parts of one plan may share a folder."""
        with Bench([entry("one"), entry("two")]) as bench:
            self.assertEqual(bench.run("--only", "one")[0], 0)
            self.says(bench.run_again("--only", "two"), 0)
            bench.plan["entries"] = [entry("three")]
            for options in ((), ("--resume",)):
                done = bench.run_again(*options)
                self.says(done, 2, "holds results of another plan (expected a folder for each")
            self.assertFalse((bench.folder / "out/three.json").exists())

"""What spex-bench keeps for later runs: results that are resumed, inputs, reference frames."""

import hashlib
import json
import shutil
import unittest

from bench_runs import Bench, entry


class Kept(unittest.TestCase):
    """Held to what it was made as."""

    def test_a_result_of_another_plan_is_not_resumed(self):
        """One line, and the result stays."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run()[0], 0)
            bench.plan["repeats"] = 2
            (bench.folder / "plan.json").write_text(json.dumps(bench.plan))
            status, text = bench.run("--resume")
            self.assertEqual(status, 1)
            self.assertIn("is of another plan", text)
            self.assertEqual(bench.result("one")["status"], "complete")

    def test_what_is_resumed_is_what_was_measured(self):
        """An edited sample, and another program, are refused in a line."""
        slower = '#!/usr/bin/env bash\n# {}\nexec "${{0%/*}}/real-spex-cpu" "$@"\n'
        with Bench([entry("one")], extractor=slower.format("a")) as bench:
            self.assertEqual(bench.run()[0], 0)
            path = bench.folder / "out/one.json"
            result = json.loads(path.read_text())
            self.assertEqual(bench.run("--resume", "--repeats", "2")[0], 0)
            (bench.folder / "spex-cpu").write_text(slower.format("b"))
            status, text = bench.run("--resume", "--repeats", "3")
            self.assertEqual(status, 1, text)
            self.assertIn("was begun with other programs", text)
            (bench.folder / "spex-cpu").write_text(slower.format("a"))
            result["timing"]["samples"][0]["effective_s"] = 0.001
            path.write_text(json.dumps(result))
            status, text = bench.run("--resume", "--repeats", "3")
            self.assertEqual(status, 1, text)
            self.assertIn("was changed since spex-bench wrote it", text)

    def test_what_is_resumed_goes_on_as_it_was_begun(self):
        """No result of another entry, though its seal is right; nor other surroundings."""
        with Bench([entry("one"), entry("two")]) as bench:
            self.assertEqual(bench.run(OMP_NUM_THREADS="3")[0], 0)
            one, two = (bench.folder / f"out/{name}.json" for name in ("one", "two"))
            for reason, options, environment in (
                ("was begun with another command line or environment", (), {}),
                (
                    "was begun with another number of warm-ups",
                    ("--warmups", "1"),
                    {"OMP_NUM_THREADS": "3"},
                ),
            ):
                status, text = bench.run("--resume", "--repeats", "2", *options, **environment)
                self.assertEqual(status, 1, text)
                self.assertIn(reason, text)
            two.write_text(one.read_text())
            status, text = bench.run("--resume", OMP_NUM_THREADS="3")
            self.assertEqual(status, 1, text)
            self.assertIn("two.json: is of another entry (expected the result of two)", text)

    def test_inputs_that_were_changed_are_simulated_again(self):
        """By their hashes: the size stays."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run()[0], 0)
            hashes = bench.result("one")["inputs"]["frames"]
            image = bench.folder / "data/inputs/small-1/preproc-r0-00000001.fits"
            with image.open("r+b") as file:
                file.seek(80000)
                file.write(bytes(40000))
            status, text = bench.run()
            self.assertEqual(status, 0, text)
            self.assertIn("simulating 1 frame(s)", text)
            self.assertNotIn("reference frame(s)", text)
            self.assertEqual(bench.result("one")["inputs"]["frames"], hashes)

    def test_reference_frames_that_were_changed_are_made_again(self):
        """They are kept for later runs, by what they are made from, and held to their hashes."""
        with Bench([entry("one")]) as bench:
            status, text = bench.run()
            self.assertEqual(status, 0, text)
            self.assertIn("1 reference frame(s) of seed 1", text)
            (reference,) = (bench.folder / "references").glob("*.fits")
            made = reference.read_bytes()
            reference.write_bytes(made[:80000] + bytes(1000) + made[81000:])
            status, text = bench.run()
            self.assertEqual(status, 0, text)
            self.assertIn("1 reference frame(s) of seed 1", text)
            self.assertEqual(reference.read_bytes(), made)

    def test_reference_frames_serve_inputs_in_another_place(self):
        """And from another: plans with folders of data of their own share them, however named."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run()[0], 0)
            (bench.folder / "references").rename(bench.folder / "moved")
            status, text = bench.run(
                "--data",
                str(bench.folder / "elsewhere"),
                "--references",
                str(bench.folder / "moved"),
            )
            self.assertEqual(status, 0, text)
            self.assertIn("of 1 kept frames of seed 1, r0 is made once more", text)
            self.assertNotIn("reference frame(s)", text)

    def test_kept_files_that_were_changed_with_their_hashes_are_found(self):
        """One of the kept inputs, and of the kept reference frames, is made once more."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run()[0], 0)
            (reference,) = (bench.folder / "references").glob("*.fits")
            made = reference.read_bytes()
            forged = made[:80000] + bytes(1000) + made[81000:]
            reference.write_bytes(forged)
            reference.with_suffix(".sha256").write_text(hashlib.sha256(forged).hexdigest())
            status, text = bench.run()
            self.assertEqual(status, 1, text)
            self.assertIn("is not what spex-cpu makes of its input", text)
            shutil.rmtree(bench.folder / "references")

            inputs = bench.folder / "data/inputs/small-1"
            image = inputs / "preproc-r0-00000001.fits"
            with image.open("r+b") as file:
                file.seek(80000)
                file.write(bytes(40000))
            manifest = json.loads((inputs / "manifest.json").read_text())
            for frame in manifest["frames"]:
                if frame["file"] == image.name:
                    frame["sha256"] = hashlib.sha256(image.read_bytes()).hexdigest()
            (inputs / "manifest.json").write_text(json.dumps(manifest))
            status, text = bench.run()
            self.assertEqual(status, 1, text)
            self.assertIn("is not what spex-sim makes", text)

    def test_runs_that_are_begun_again_have_other_inputs(self):
        """Else the work of one could be done over several that are interrupted."""
        leaving = """#!/usr/bin/env bash
here=${0%/*}
if [[ "$*" == *--events* && ! -e "$here/begun" ]]; then
  touch "$here/begun"
  kill -INT $PPID
  sleep 1
fi
exec "$here/real-spex-cpu" "$@"
"""
        plan = {"tier": "acceptance", "warmups": 1, "repeats": 5}
        with Bench([entry("one", repeats=1)], extractor=leaving, **plan) as bench:
            status, text = bench.run("--seeds", "plan")
            self.assertEqual(status, 1, text)
            status, text = bench.run("--seeds", "plan", "--resume")
            self.assertEqual(status, 0, text)
            timing = bench.result("one")["timing"]
            self.assertEqual([one["seed"] for one in timing["samples"]], [101, 2])
            self.assertEqual([one["index"] for one in timing["dropped"]], [0])
            seeds = {one["seed"] for one in bench.result("one")["inputs"]["frames"]}
            self.assertEqual(seeds, {1, 2, 101})


if __name__ == "__main__":
    unittest.main()

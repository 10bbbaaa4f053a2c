"""A run's inputs are unknown in advance, and no reference or truth exists during it."""

import subprocess
from hashlib import sha256

from bench_runs import Bench, BenchTest, entry

DRAWN = ("--seeds", "drawn")

# Lists the inputs and results that exist during a run.
SPY = """#!/usr/bin/env bash
here=${0%/*}
if [[ "$*" == *--events* ]]; then
  echo "run" >>"$here/seen"
  find "$here/data" "$here/references" "$here/out" -type f >>"$here/seen"
  cat "$here"/out/one.json >>"$here/seen"
  cat "$here"/data/inputs/drawn/*/preproc* | head -c 30000 | strings >>"$here/headers"
fi
exec "$here/real-spex-cpu" "$@"
"""


def seeds_of(result: dict) -> list[int]:
    """The seeds of its samples."""
    return [sample["seed"] for sample in result["timing"]["samples"]]


class Seeds(BenchTest):
    """Drawn for each run, except in the tier ci and with --seeds plan."""

    def test_no_answer_exists_during_a_run(self):
        """No truth, no reference, no input of a later run; no seed in a run's inputs."""
        plan = {"tier": "acceptance", "warmups": 1, "repeats": 5}
        with Bench([entry("one", repeats=2)], extractor=SPY, **plan) as bench:
            self.says(bench.run(), 0)
            seeds = seeds_of(bench.result("one"))
            self.assertEqual(len(set(seeds)), 3)
            self.assertGreater(min(seeds), 2**32)
            runs = (bench.folder / "seen").read_text().split("run\n")[1:]
            self.assertEqual(len(runs), 3)
            for k, seen in enumerate(runs):
                self.assertNotIn("truth-", seen)
                self.assertNotIn("references/", seen)
                self.assertEqual(seen.count("/preproc-"), k + 1)
                for later in seeds[k:]:
                    self.assertNotIn(str(later), seen)
            headers = (bench.folder / "headers").read_text()
            self.assertIn("EXPTIME", headers)
            self.assertNotIn("SIMSEED", headers)
            # All of these files are removed at the end.
            for folder in ("data/inputs", "data/outputs", "data/references"):
                self.assertEqual(list((bench.folder / folder).rglob("*.fits")), [])

    def test_the_plans_seeds_keep_inputs_and_references(self):
        """To repeat a measurement; the result says so."""
        with Bench([entry("one")]) as bench:
            self.says(bench.run(), 0, "simulating 1 frame(s)", "1 reference frame(s)")
            result = bench.result("one")
            self.assertEqual((result["inputs"]["seeds"], seeds_of(result)), ("plan", [1]))
            self.assertIn("its seeds are the plan's", result["fom"]["incomplete_because"])
            text = self.says(bench.run(), 0)
            self.assertNotIn("simulating", text)
            self.assertNotIn("reference frame(s)", text)
            # Changed inputs are made again.
            image = bench.folder / "data/inputs/small-1/preproc-r0-00000001.fits"
            with image.open("r+b") as file:
                file.seek(80000)
                file.write(bytes(40000))
            self.says(bench.run(), 0, "simulating 1 frame(s)")

    def test_runs_may_share_exposures(self):
        """As many as the case has, alternating; the result is then not complete."""
        cases = {"small": {"cameras": "r0", "size": "tiny", "seeds": 2}}
        with Bench([entry("one", repeats=3), entry("two")], cases=cases) as bench:
            text = self.says(bench.run(*DRAWN), 0)
            self.assertEqual(text.count("simulating"), 2)
            first, second = seeds_of(bench.result("one")), seeds_of(bench.result("two"))
            self.assertEqual((first[0], first[0]), (first[2], second[0]))
            self.assertNotEqual(first[0], first[1])
            reasons = bench.result("one")["fom"]["incomplete_because"]
            self.assertIn("two runs had the same inputs", reasons)

    def test_a_seed_reproduces_its_inputs(self):
        """By spex-sim, from the seed in the result."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run(*DRAWN)[0], 0)
            sample = bench.result("one")["timing"]["samples"][0]
            folder = bench.folder / "again"
            arguments = ["--cameras", "r0", "--size", "tiny", "--on-grid", "--files", "inputs"]
            arguments += ["--output", folder, "--seed", str(sample["seed"]), "--loglevel", "warn"]
            subprocess.run([bench.folder / "spex-sim", *arguments], check=True)
            hashes = "".join(
                sha256((folder / f"{kind}-r0-00000001.fits").read_bytes()).hexdigest()
                for kind in ("preproc", "psf")
            )
            self.assertEqual(sample["inputs_sha256"], sha256(hashes.encode()).hexdigest())

    def test_an_exposure_can_be_made_in_two_parts(self):
        """Separately made inputs and truth have the bytes of those made together."""
        with Bench([entry("one")]) as bench:
            for files in ("all", "inputs", "truth"):
                arguments = ["--seed", "5", "--size", "tiny", "--on-grid", "--loglevel", "warn"]
                arguments += ["--output", bench.folder / files, "--files", files]
                subprocess.run([bench.folder / "spex-sim", *arguments], check=True)
            names = {
                files: sorted(path.name for path in (bench.folder / files).iterdir())
                for files in ("all", "inputs", "truth")
            }
            self.assertEqual(names["all"], sorted(names["inputs"] + names["truth"]))
            (truth,) = names["truth"]
            self.assertEqual(
                (bench.folder / "all" / truth).read_bytes(),
                (bench.folder / "truth" / truth).read_bytes(),
            )

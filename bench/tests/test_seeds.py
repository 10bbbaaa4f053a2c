"""That nobody knows a run's inputs before it, and that no answer is there while it runs."""

import subprocess
from hashlib import sha256

from bench_runs import Bench, BenchTest, entry

DRAWN = ("--seeds", "drawn")

# Keeps what there is to see of inputs and answers while it runs.
LOOKING = """#!/usr/bin/env bash
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
    """Of its samples."""
    return [sample["seed"] for sample in result["timing"]["samples"]]


class Seeds(BenchTest):
    """Drawn for each run, but in the tier ci, and where the plan's are asked for."""

    def test_no_answer_is_there_while_a_run_lasts(self):
        """No truth, no reference, no input of a later run; no seed in what a run reads."""
        plan = {"tier": "acceptance", "warmups": 1, "repeats": 5}
        with Bench([entry("one", repeats=2)], extractor=LOOKING, **plan) as bench:
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
            # All of it is removed in the end.
            for folder in ("data/inputs", "data/outputs", "data/references"):
                self.assertEqual(list((bench.folder / folder).rglob("*.fits")), [])

    def test_the_plans_seeds_keep_inputs_and_references(self):
        """To try a change again and again; the result says so."""
        with Bench([entry("one")]) as bench:
            self.says(bench.run(), 0, "simulating 1 frame(s)", "1 reference frame(s)")
            result = bench.result("one")
            self.assertEqual((result["inputs"]["seeds"], seeds_of(result)), ("plan", [1]))
            self.assertIn("its seeds are the plan's", result["fom"]["incomplete_because"])
            text = self.says(bench.run(), 0)
            self.assertNotIn("simulating", text)
            self.assertNotIn("reference frame(s)", text)
            # Inputs that are no longer what was made are made again.
            image = bench.folder / "data/inputs/small-1/preproc-r0-00000001.fits"
            with image.open("r+b") as file:
                file.seek(80000)
                file.write(bytes(40000))
            self.says(bench.run(), 0, "simulating 1 frame(s)")

    def test_a_case_may_have_its_runs_share_exposures(self):
        """As many as it says, in turn; then the result is not complete."""
        cases = {"small": {"cameras": "r0", "size": "bundle", "seeds": 2}}
        with Bench([entry("one", repeats=3), entry("two")], cases=cases) as bench:
            text = self.says(bench.run(*DRAWN), 0)
            self.assertEqual(text.count("simulating"), 2)
            first, second = seeds_of(bench.result("one")), seeds_of(bench.result("two"))
            self.assertEqual((first[0], first[0]), (first[2], second[0]))
            self.assertNotEqual(first[0], first[1])
            reasons = bench.result("one")["fom"]["incomplete_because"]
            self.assertIn("two runs had the same inputs", reasons)

    def test_a_seed_makes_its_inputs_again(self):
        """Who has the result can, by spex-sim."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run(*DRAWN)[0], 0)
            sample = bench.result("one")["timing"]["samples"][0]
            folder = bench.folder / "again"
            words = ["--cameras", "r0", "--size", "bundle", "--on-grid", "--files", "inputs"]
            words += ["--output", folder, "--seed", str(sample["seed"]), "--loglevel", "warn"]
            subprocess.run([bench.folder / "spex-sim", *words], check=True)
            hashes = "".join(
                sha256((folder / f"{kind}-r0-00000001.fits").read_bytes()).hexdigest()
                for kind in ("preproc", "psf")
            )
            self.assertEqual(sample["inputs_sha256"], sha256(hashes.encode()).hexdigest())

    def test_an_exposure_comes_in_two_parts(self):
        """Inputs and truth that are made one after the other are those that are made at once."""
        with Bench([entry("one")]) as bench:
            for files in ("all", "inputs", "truth"):
                words = ["--seed", "5", "--size", "tiny", "--on-grid", "--loglevel", "warn"]
                words += ["--output", bench.folder / files, "--files", files]
                subprocess.run([bench.folder / "spex-sim", *words], check=True)
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

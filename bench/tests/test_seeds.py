"""That nobody knows a run's inputs before it is begun: the seeds of spex-sim are drawn."""

import subprocess
import unittest
from hashlib import sha256

from bench_runs import Bench, entry

ACCEPTANCE = {"tier": "acceptance", "warmups": 1, "repeats": 5}

# Makes the inputs of the plan's seeds by itself when it is first run, of which it could make the
# frames too; then says which of them it is given.
KNOWING = """#!/usr/bin/env bash
here=${0%/*}
if [[ "$*" != *--events* ]]; then exec "$here/real-spex-cpu" "$@"; fi
options=("$@")
while [[ $1 != --list ]]; do shift; done
read -r _ image psf frame <"$2"
if [[ ! -e $here/known ]]; then
  for seed in 1 2; do
    folder=$here/known/$seed
    mkdir -p "$folder"
    "$here/spex-sim" --output "$folder" --on-grid --cameras r0 --size bundle --seed "$seed" \
      --loglevel warn
    sha256sum <"$folder/preproc-r0-00000001.fits" >"$folder/image"
  done
fi
"$here/real-spex-cpu" "${options[@]}" || exit
for folder in "$here"/known/*; do
  if [[ $(sha256sum <"$image") == "$(cat "$folder/image")" ]]; then echo "$folder" >>"$here/met"; fi
done
"""

# Keeps what there is to see of the inputs while it runs.
LOOKING = """#!/usr/bin/env bash
here=${0%/*}
if [[ "$*" == *--events* ]]; then
  ls -R "$here/data/inputs" >>"$here/seen"
  cat "$here"/out/*.json "$here"/out/logs/*.log >>"$here/seen"
fi
exec "$here/real-spex-cpu" "$@"
"""

# In its first run moves the inputs of all others away, and in the next one brings them back.
HIDING = """#!/usr/bin/env bash
here=${0%/*} inputs=${0%/*}/data/inputs/drawn
if [[ "$*" != *--events* ]]; then exec "$here/real-spex-cpu" "$@"; fi
if [[ -d $here/hid ]]; then mv "$here/hid"/* "$inputs"; rmdir "$here/hid"; fi
"$here/real-spex-cpu" "$@" || exit
if [[ ! -e $here/was-hid ]]; then
  mkdir "$here/hid" "$here/was-hid"
  mv "$inputs/small-2" "$here/hid"
fi
"""

# The same in golden cases, so that none is missing when a run begins; copies are read meanwhile.
HIDING_IN_GOLDENS = """#!/usr/bin/env bash
here=${0%/*} inputs=${0%/*}/data/inputs/drawn
"$here/real-spex-cpu" "$@" || exit
case "$*" in
  *--events*) ;;
  *golden-tiny-b*) mv "$inputs" "$here/hid" ;;
  *golden-tiny-r*)
    if [[ -d $here/hid ]]; then cp -r "$here/hid" "$here/copy"; mv "$here/hid" "$inputs"; fi ;;
esac
"""

# Puts a link in the place of a folder in a golden case, and then reads what the link leads to.
LINKING = """#!/usr/bin/env bash
here=${0%/*}
if [[ "$*" == *--events* ]]; then cat "$here"/elsewhere/* >/dev/null 2>&1; fi
"$here/real-spex-cpu" "$@" || exit
if [[ "$*" == *golden-tiny-b* ]]; then
  mv "$here/data/inputs/drawn@part@" "$here/elsewhere"
  ln -s "$here/elsewhere" "$here/data/inputs/drawn@part@"
fi
"""

# Ends spex-bench in its second run.
LEAVING = """#!/usr/bin/env bash
here=${0%/*}
if [[ "$*" == *--events* ]]; then
  echo >>"$here/runs"
  if (($(wc -l <"$here/runs") == 2)); then kill -INT "$PPID"; sleep 1; fi
fi
exec "$here/real-spex-cpu" "$@"
"""


def seeds_of(result: dict) -> list[int]:
    """Of its samples."""
    return [sample["seed"] for sample in result["timing"]["samples"]]


class Seeds(unittest.TestCase):
    """Drawn at each start, but in the tier ci, and where the plan's are asked for."""

    def test_answers_cannot_be_made_ahead(self):
        """A program that knows the plan meets none of the inputs that it has made of it."""
        with Bench([entry("one", repeats=1)], extractor=KNOWING, **ACCEPTANCE) as bench:
            self.assertEqual(bench.run("--seeds", "plan")[0], 0)
            self.assertEqual(len((bench.folder / "met").read_text().splitlines()), 2)
            result = bench.result("one")
            self.assertEqual((result["inputs"]["seeds"], seeds_of(result)), ("plan", [1, 2]))
            reasons = " ".join(result["fom"]["not_published_because"])
            self.assertIn("its seeds are the plan's", reasons)

            (bench.folder / "met").unlink()
            status, text = bench.run()
            self.assertEqual(status, 0, text)
            self.assertFalse((bench.folder / "met").exists())
            result = bench.result("one")
            self.assertEqual(result["inputs"]["seeds"], "drawn")
            self.assertGreater(min(seeds_of(result)), 2**32)
            reasons = " ".join(result["fom"]["not_published_because"])
            self.assertNotIn("its seeds are", reasons)

    def test_no_file_says_what_comes(self):
        """Nor a name: what a run can see without being seen is what is over, and itself."""
        with Bench([entry("one", repeats=2)], extractor=LOOKING, **ACCEPTANCE) as bench:
            status, text = bench.run()
            self.assertEqual(status, 0, text)
            seen = (bench.folder / "seen").read_text()
            seeds = seeds_of(bench.result("one"))
            looks = seen.split(f"{bench.folder}/data/inputs:")[1:]
            self.assertEqual(len(looks), 3)
            for run, look in enumerate(looks):
                self.assertIn(str(seeds[run]), look)
                for later in seeds[run + 1 :]:
                    self.assertNotIn(str(later), look)

    def test_inputs_stay_where_they_are(self):
        """A file that is moved away is watched by nobody, nor one below a link."""
        for extractor, goldens in (
            (HIDING, []),
            (HIDING_IN_GOLDENS, ["tiny-b", "tiny-r"]),
            (LINKING.replace("@part@", ""), ["tiny-b"]),
            (LINKING.replace("@part@", "/small-2"), ["tiny-b"]),
        ):
            plan = ACCEPTANCE | {"goldens": goldens}
            with (
                self.subTest(goldens=goldens),
                Bench([entry("one", repeats=1)], extractor=extractor, **plan) as bench,
            ):
                status, text = bench.run()
                self.assertEqual(status, 3, text)
                reasons = bench.result("one")["verdict"]["reasons"]
                self.assertRegex(
                    reasons[0], "/data/inputs/drawn.* was moved or replaced meanwhile, with which"
                )
                self.assertEqual(len(bench.result("one")["timing"]["samples"]), 1 - bool(goldens))

    def test_folders_below_links_are_refused(self):
        """Their files would not be known; of kept references too."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run()[0], 0)
            (bench.folder / "elsewhere").mkdir()
            (bench.folder / "references/old").symlink_to(bench.folder / "elsewhere")
            status, text = bench.run()
            self.assertEqual(status, 1, text)
            self.assertIn("references/old: is a link", text)
            (bench.folder / "references/old").unlink()
            (bench.folder / "references/.note.swp").write_text("somebody's")
            self.assertEqual(bench.run()[0], 0)

    def test_who_was_first_by_the_clock_has_shared(self):
        """An entry that is ahead by runs of an earlier start, though the plan has it behind."""
        entries = [entry("one", repeats=5), entry("two", repeats=4)]
        with Bench(entries, extractor=LEAVING, **ACCEPTANCE) as bench:
            self.assertEqual(bench.run("--only", "two")[0], 1)
            self.assertEqual(len(bench.result("two")["timing"]["samples"]), 1)
            status, text = bench.run("--resume")
            self.assertEqual(status, 0, text)
            one = bench.result("one")
            self.assertEqual(one["inputs"]["shared_with"], ["two"])
            self.assertIn(
                "two extracted some of its inputs before it", one["fom"]["not_published_because"]
            )

    def test_nothing_of_others_is_removed(self):
        """Where the folder of the inputs is a link; nor does a second start disturb the first."""
        with Bench([entry("one")]) as bench:
            drawn = ("--seeds", "drawn")
            kept = bench.folder / "shared/drawn/thesis.txt"
            kept.parent.mkdir(parents=True)
            kept.write_text("years")
            (bench.folder / "data/inputs").parent.mkdir()
            (bench.folder / "data/.spex-bench").touch()
            (bench.folder / "data/inputs").symlink_to(bench.folder / "shared")
            status, text = bench.run(*drawn)
            self.assertEqual(status, 2, text)
            self.assertIn("data/inputs is a link", text)
            self.assertEqual(kept.read_text(), "years")
        second = """#!/usr/bin/env bash
here=${0%/*}
if [[ "$*" == *--events* ]]; then
  "$here/spex-bench" "$here/plan.json" --out "$here/other" --data "$here/other-data" \\
    --references "$here/references" --seeds drawn >"$here/said" 2>&1
fi
exec "$here/real-spex-cpu" "$@"
"""
        with Bench([entry("one")], extractor=second) as bench:
            status, text = bench.run(*drawn)
            self.assertEqual(status, 0, text)
            self.assertIn("references: is in use by process", (bench.folder / "said").read_text())

    def test_each_start_draws_anew(self):
        """A result that is resumed goes on with other inputs; those of before are not kept."""
        with Bench([entry("one"), entry("two")]) as bench:
            drawn = ("--seeds", "drawn")
            status, text = bench.run(*drawn)
            self.assertEqual(status, 0, text)
            first = bench.result("one")
            inputs, references = (
                {path: sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*.fits")}
                for folder in (bench.folder / "data/inputs", bench.folder / "references")
            )
            # Both have the same, and share them by the plan.
            self.assertEqual(seeds_of(first), seeds_of(bench.result("two")))
            self.assertEqual(bench.result("two")["inputs"]["shared_with"], ["one"])
            status, text = bench.run(*drawn, "--only", "one", "--resume", "--repeats", "2")
            self.assertEqual(status, 0, text)
            again = bench.result("one")
            self.assertEqual(again["timing"]["samples"][0], first["timing"]["samples"][0])
            self.assertEqual(len(set(seeds_of(again))), 2)
            self.assertEqual({f["seed"] for f in again["inputs"]["frames"]}, set(seeds_of(again)))
            for path, hashed in inputs.items():
                self.assertNotEqual(sha256(path.read_bytes()).hexdigest(), hashed)
            for path in references:
                self.assertFalse(path.exists())

            status, text = bench.run("--resume")
            self.assertEqual(status, 1, text)
            self.assertIn("one.json: was begun with --seeds drawn", text)

    def test_a_complete_result_needs_no_inputs(self):
        """It is judged anew, and all that was in it stays."""
        ceilings = {"flops": 1e10, "bytes": 1e10, "source": "a guess"}
        with Bench([entry("one")], cpu_ceilings=ceilings) as bench:
            self.assertEqual(bench.run("--seeds", "drawn")[0], 0)
            first = bench.result("one")
            self.assertTrue(first["roofline"])
            status, text = bench.run("--seeds", "drawn", "--resume")
            self.assertEqual(status, 0, text)
            self.assertNotIn("simulating", text)
            again = bench.result("one")
            for part in ("inputs", "timing", "fom", "validation", "roofline"):
                self.assertEqual(again[part], first[part], part)

    def test_a_seed_makes_its_inputs_again(self):
        """Who has the result can: by spex-sim, with the seed that the result names."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run("--seeds", "drawn")[0], 0)
            result = bench.result("one")
            (seed,) = seeds_of(result)
            words = ["--cameras", "r0", "--size", "bundle", "--on-grid", "--loglevel", "warn"]
            folder = bench.folder / "again"
            subprocess.run(
                [bench.folder / "spex-sim", "--output", folder, "--seed", str(seed), *words],
                check=True,
            )
            for file in result["inputs"]["frames"]:
                made = sha256((folder / file["file"]).read_bytes()).hexdigest()
                self.assertEqual(file["sha256"], made)


if __name__ == "__main__":
    unittest.main()

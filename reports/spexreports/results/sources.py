"""Whether a result's build has the sources of the commit that it names."""

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from spexreports.errors import DataError

ROOT = Path(__file__).resolve().parents[3]


def full_name(commit: str) -> str:
    """The whole hash of a commit; empty if git lacks it, or there is no git."""
    if shutil.which("git") is None:
        return ""
    line = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", "--end-of-options"]
    line += [f"{commit}^{{commit}}"]
    return subprocess.run(line, capture_output=True, text=True, check=False).stdout.strip()


@cache
def hash_of_commit(commit: str) -> str | None:
    """The hash of a commit's sources by its ci/cmake/SpexSources.cmake.

    None if git lacks the commit, the commit lacks the script, or there is no git or CMake.
    """
    name = full_name(commit)
    if not name or shutil.which("cmake") is None:
        return None
    # These folders are large and hold no sources.
    line = ["git", "-C", str(ROOT), "archive", name, "--", ".", ":!docs"]
    line += [":!reports/archives", ":!reports/results"]
    archive = subprocess.run(line, capture_output=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        script = f"{folder}/ci/cmake/SpexSources.cmake"
        command = ["cmake", f"-DSOURCE={folder}", "-P", script]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def check_commit(file: Path, build: dict[str, Any]) -> None:
    """Refuses a build whose sources are known not to be those of its commit."""
    commit, sources = build["commit"], build["sources_sha256"]
    found = hash_of_commit(commit) if commit and sources else None
    if found and found != sources:
        raise DataError(
            file,
            f"its sources are not those of commit {commit[:10]}",
            "the commit that was built; --commit names it",
        )


def name_commit(file: Path, build: dict[str, Any], commit: str) -> None:
    """Names another commit, if its sources are those of the build."""
    build["commit"] = full_name(commit)
    if not build["commit"] or hash_of_commit(build["commit"]) != build["sources_sha256"]:
        raise DataError(file, f"was not built from commit {commit}", "a commit with its sources")

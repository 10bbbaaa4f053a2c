"""Archives of results, as they are and as they were edited."""

import io
import json
import subprocess
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from bench_runs import Bench

Files = dict[str, bytes]


def read(path: Path) -> Files:
    """The files of an archive."""
    with tarfile.open(path) as tar:
        return {one.name: tar.extractfile(one).read() for one in tar}


def write(path: Path, files: Files) -> None:
    """An archive of files."""
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def listed(files: Files) -> Files:
    """The same with a manifest that fits."""
    manifest = json.loads(files["manifest.json"])
    manifest["files"] = [
        {"name": name, "bytes": len(data), "sha256": sha256(data).hexdigest()}
        for name, data in files.items()
        if name != "manifest.json"
    ]
    return files | {"manifest.json": json.dumps(manifest).encode()}


def sealed(files: Files, name: str, edit: Callable[[dict], object]) -> Files:
    """A JSON file edited by one who mends the manifest too."""
    data = json.loads(files[name])
    edit(data)
    return listed(files | {name: json.dumps(data).encode()})


def spex_bench(bench: Bench, *words: str | Path) -> tuple[int, str]:
    """Status and output of a command of the program."""
    done = subprocess.run(
        [bench.folder / "spex-bench", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout

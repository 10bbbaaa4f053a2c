"""Tests of what a report opens with."""

import dataclasses
import sys
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))

from spexreports.opening import in_order  # noqa: E402
from spexreports.result_files import read_results  # noqa: E402


class Order(unittest.TestCase):
    """Of the systems."""

    def test_order_of_systems(self):
        """First one that fails, then one with a speed to be published, then the newest."""
        any_result = read_results([ROOT / "reports/tests/data/run"])[0]

        def system(name: str, overall: str, reasons: tuple[str, ...], day: int):
            start = any_result.start.replace(day=day)
            made = {"system": name, "overall": overall, "reasons": reasons, "start": start}
            return [dataclasses.replace(any_result, **made)]

        groups = [
            system("old", "pass", ("1 frame",), 1),
            system("new", "pass", ("1 frame",), 3),
            system("published", "pass", (), 2),
            system("wrong", "incorrect", ("1 frame",), 1),
        ]
        with (
            mock.patch("spexreports.opening.headline", lambda group: group[0]),
            mock.patch("spexreports.opening.why_incomplete", lambda result: result.reasons),
        ):
            found = [group[0].system for group in in_order(groups)]
        self.assertEqual(found, ["wrong", "published", "new", "old"])


if __name__ == "__main__":
    unittest.main()

"""A table: a data frame of text with a note."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

NONE = "–"
SENTENCE = re.compile(r"(?<=\.) (?=[A-Z`])")


@dataclass(frozen=True)
class Table:
    """Rows of text; the first column names a row, others are numbers unless in `text_columns`."""

    name: str  # documents quote it by this name
    title: str
    frame: pd.DataFrame
    note: str = ""
    text_columns: tuple[str, ...] = ()
    kinds: tuple[str, ...] = field(default=())  # of rows: paper, ours; empty for none

    @classmethod
    def of(
        cls, name: str, title: str, rows: Iterable[Mapping[str, Any]], note: str = "", **more: Any
    ) -> "Table | None":
        """Makes a table from rows by column, with a dash for None; None without rows."""
        found = pd.DataFrame(list(rows))
        if found.empty:
            return None
        frame = found.astype(object).where(found.notna(), NONE).astype(str)
        return cls(name, title, frame, note, **more)

    @classmethod
    def by_column(
        cls,
        name: str,
        title: str,
        results: Iterable[Any],
        columns: Mapping[str, Callable[[Any], str]],
        note: str = "",
        **more: Any,
    ) -> "Table | None":
        """A row for each result, with a function for each column."""
        rows = [{head: cell(r) for head, cell in columns.items()} for r in results]
        return cls.of(name, title, rows, note, **more)

    def without_paper(self) -> "Table | None":
        """The same without rows, columns and sentences of the paper; None if nothing is left."""
        kinds = self.kinds or ("",) * len(self.frame)
        frame = self.frame[[kind != "paper" for kind in kinds]]
        frame = frame[[name for name in frame.columns if "paper" not in name.lower()]]
        sentences = SENTENCE.split(self.note)
        note = " ".join(text for text in sentences if "paper" not in text.lower())
        left = tuple(kind for kind in self.kinds if kind != "paper")
        return replace(self, frame=frame, note=note, kinds=left) if len(frame) else None

    @property
    def columns(self) -> list[str]:
        """The head."""
        return list(self.frame.columns)

    def is_number(self, column: str) -> bool:
        """Whether a column is right-aligned."""
        return column != self.columns[0] and column not in self.text_columns

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """The kind and the cells of each row."""
        kinds = self.kinds or ("",) * len(self.frame)
        return list(zip(kinds, self.frame.to_numpy().tolist(), strict=True))

    def markdown(self) -> str:
        """The table for a document, without its title."""
        lines = [self.columns, ["---"] * len(self.columns), *(cells for _, cells in self.rows)]
        text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        return f"{text}\n{self.note}\n" if self.note else text

"""Rows of the table of figures, and how they are printed."""
from __future__ import annotations

import dataclasses
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


LESS = ('part', 'share', 'bounded')          # the less the better


@dataclasses.dataclass
class Row:
    what: str
    ours: str
    against: str
    ratio: float
    form: str                # percent and times: the more the better; share (in percent), part (1/n) and bounded (times): the less
    aim: float | None        # None: no aim

    @property
    def is_met(self) -> bool | None:
        if self.aim is None:
            return None
        return self.ratio <= self.aim if self.form in LESS else self.ratio >= self.aim

    def written(self, ratio: float) -> str:
        match self.form:
            case 'percent' | 'share': return f'{ratio * 100:.0f} %' if ratio >= 0.1 else f'{ratio * 100:.1f} %'
            case 'part': return f'1/{1 / ratio:.0f}'
            case _: return f'× {ratio:.2f}' if ratio < 10 else f'× {ratio:.0f}'

    def line(self) -> str:
        aim = '' if self.aim is None else ('≤ ' if self.form in LESS else '≥ ') + self.written(self.aim)
        return f'| {self.what} | {self.ours} | {self.against} | {self.written(self.ratio)} | {aim}{" (missed)" if self.is_met is False else ""} |'


HEAD = '| what | Flashline | measured beside it | ratio | aim |\n|---|---|---|---|---|'


def say(*words):
    """Progress, for people: stdout is the table's."""
    print('bench:', *words, file=sys.stderr, flush=True)

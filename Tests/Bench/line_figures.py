"""Figures of the virtual line: what more adapters bring, and what sixteen links at once cost."""
from __future__ import annotations

import os
import sys
import time

from process import peak_kilobytes, processor_seconds
from table import ROOT, Row, say

sys.path.insert(0, os.path.join(ROOT, 'Tests', 'Endurance'))

from bench import Line, Station  # noqa: E402

PAYLOAD = 200 * 1024
PER_ADAPTER = 6
LINKS = 16
RUN_LIMIT = 300
MEMORY_AIM = 60          # MB


class Batch:
    """One batch on a virtual line of its own, watched event by event."""

    def __init__(self, adapters: int, boards: int, keep: bool = False):
        self.boards, self.marks, self.peak, self.uploading = boards, [], 0, set()
        with Line(adapters, boards) as line:
            self.station = Station(line, payload=PAYLOAD)
            self.run = None
            self.run = self.station.start(*self.station.job('--count', str(boards), '--lot', f'bench-{adapters}'), on_event=self.note)
            code = self.run.wait(RUN_LIMIT)
        rows = self.station.rows()
        if code or [row['outcome'] for row in rows] != ['passed'] * boards:
            raise RuntimeError(f'{adapters} adapters: exit code {code}, {len(rows)} rows: {self.station.folder}')
        self.speeds = [row['upload_kB_per_s'] for row in rows]
        if not keep:
            self.station.remove()

    def note(self, event: dict):
        """Time, processor time and links in the upload, at each step of a board. Called on the reader's thread, also before `run` is known."""
        if self.run is None or event['event'] not in ('board.assigned', 'board.phase', 'board.finished'):
            return
        if event['event'] == 'board.phase' and event['phase'] == 'upload':
            self.uploading.add(event['mac'])
        else:
            self.uploading.discard(event['mac'])
        try:
            self.marks.append((time.monotonic(), processor_seconds(self.run.process.pid), len(self.uploading)))
        except OSError:
            return           # it has ended
        self.peak = max(self.peak, peak_kilobytes(self.run.process.pid))

    @property
    def per_hour(self) -> float:
        return self.boards / (self.marks[-1][0] - self.marks[0][0]) * 3600

    def share(self, at_least: int = 0) -> float | None:
        """Processor time over wall time, of the stretches with so many uploads at once."""
        wall = used = 0.0
        for (t0, c0, uploads), (t1, c1, _) in zip(self.marks, self.marks[1:]):
            if uploads >= at_least:
                wall, used = wall + t1 - t0, used + c1 - c0
        return used / wall if wall else None


def scaling() -> list[Row]:
    say('virtual line, 1 adapter …')
    one = Batch(1, PER_ADAPTER)
    say('virtual line, 4 adapters …')
    four = Batch(4, 4 * PER_ADAPTER)
    return [Row(f'4 adapters against 1, {PER_ADAPTER} boards each', f'{four.per_hour:.0f} boards/h', f'{one.per_hour:.0f} boards/h',
                four.per_hour / one.per_hour, 'times', 3.6)]


def links() -> list[Row]:
    say(f'virtual line, {LINKS} links …')
    many = Batch(LINKS, 2 * LINKS)
    share = many.share()
    busy = many.share(at_least=LINKS * 3 // 4)
    say(f'{LINKS} links: {share:.1%} of a core over the batch' + (f', {busy:.1%} while {LINKS * 3 // 4} or more upload' if busy else '') +
        f', uploads at {min(many.speeds):.0f} to {max(many.speeds):.0f} kB/s')
    return [
        Row(f'{LINKS} virtual links at once: processor', f'{share * 100:.1f} % of a core', 'one core', share, 'share', 0.1),
        Row(f'{LINKS} virtual links at once: most memory', f'{many.peak / 1000:.1f} MB', f'{MEMORY_AIM} MB', many.peak / 1000 / MEMORY_AIM, 'share', 1.0),
    ]

"""faults_page.py [--check]: prints FAULTS.md, which fault is shown where and what it must leave; --check compares the page with it.

The values are those that the checks use (prepare.py, Endurance/line_faults.py): the page cannot say anything else than what is proven.
"""
from __future__ import annotations

import os
import sys
import tempfile

import prepare

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, '..', 'FAULTS.md')
sys.path.insert(0, os.path.join(HERE, '..', '..', 'Endurance'))

import line_faults  # noqa: E402

HEAD = """# Every fault of the line, and what it must leave

Written by `line/faults_page.py`, whose `--check` is part of `make rig`. *rig* is the real kernel, udev and bluetoothd (`make rig`, guest/run, board); *line* is
the virtual line with the program as a whole process (`make trust`, `Endurance/line_faults.py`, run). Outcome, code and `left_as` are those of each attempt in
order. In every run all other boards must pass, database, CSV, events and the boards' own truth must agree, and a run that passes its limit in time is killed and fails.

| fault | shown | outcome | code | attempts | left_as |
|---|---|---|---|---|---|
"""

# Fault, guest, run, board.
RIG = (
    ('link lost in mid-upload: resumes at the board\'s offset', 'faults', 'bad', 'BAD-lost'),
    ('the new image reverts', 'faults', 'bad', 'BAD-reverts'),
    ('the board never returns', 'faults', 'bad', 'BAD-gone'),
    ('hash of the stored image spoilt, once', 'faults2', 'answers', 'FAIL-spoilt'),
    ('hash of the stored image spoilt, always', 'faults2', 'answers', 'FAIL-flash'),
    ('erase of 40 s', 'faults2', 'answers', 'FAIL-erase'),
    ('answer to the last chunk lost', 'odd', 'odd', 'ODD-mess'),
    ('busy for a while', 'faults2', 'answers', 'FAIL-busy'),
    ('busy for ever', 'faults2', 'answers', 'FAIL-stuck'),
    ('no memory for a while', 'faults2', 'answers', 'FAIL-memory'),
    ('a foreign image is pending', 'odd', 'odd', 'ODD-pending'),
    ('the running image is unconfirmed', 'odd', 'odd', 'ODD-trial'),
    ('adapter pulled in mid-upload: another one goes on', 'faults', 'pulled', 'PULL-1'),
    ('adapter pulled and plugged in again under another hci number', 'faults2', 'renumbered', 'PLUG-0'),
    ('all links of all adapters lost at one moment', 'faults2', 'links', 'LINK-0'),
    ('bluetoothd killed and restarted', 'faults', 'daemon', 'BUS-1'),
    ('D-Bus (and bluetoothd) gone for 5 s', 'faults2', 'bus', 'BUS-0'),
    ('two adapters with one address: the second is excluded with the reason', 'faults2', 'links', 'LINK-1'),
    ('other hardware than the profile\'s', 'faults', 'bad', 'BAD-hardware'),
    ('newer firmware on the board', 'faults', 'bad', 'BAD-newer'),
    ('encryption demanded, profile without pairing', 'radio', 'shut', 'SHUT-1'),
    ('Ctrl-C in mid-upload', 'faults', 'stopped', 'STOP-1'),
    ('station killed in mid-upload, same command again', 'faults', 'revived', 'KILL-1'),
)


def row(fault: str, where: str, attempts: list[str], left: list[str]) -> str:
    words = [text.split(' ') + ['–'] for text in attempts]
    cells = [fault, where, ', '.join(word[0] for word in words), ', '.join(word[1] for word in words), str(len(attempts)), ', '.join(left)]
    return '| ' + ' | '.join(cells) + ' |\n'


def rig():
    with tempfile.TemporaryDirectory() as folder:
        made = {name: prepare.GUESTS[name](os.path.join(folder, name)) for name in {guest for _, guest, _, _ in RIG}}
    for fault, name, run, board in RIG:
        address = next(spec['address'] for spec in made[name].boards if spec['name'] == board)
        wanted = next(entry for entry in made[name].runs if entry['name'] == run)['boards'][address]
        yield row(fault, f'rig: {name}/{run}, {board}', wanted['attempts'], wanted['left'])


def line():
    for fault, (_, attempts, left) in line_faults.BOARDS.items():
        yield row(fault, 'line: boards', attempts, left)
    for remedy, tried in line_faults.ILL.items():
        end = 'it is given up, another adapter takes its boards' if remedy is None else 'then it works again'
        yield row(f'adapter starts no discovery; `adapter.healing` in order: {", ".join(tried)}; {end}', 'line: adapters', *line_faults.SOUND)


def main() -> int:
    page = HEAD + ''.join(rig()) + ''.join(line())
    if sys.argv[1:] != ['--check']:
        sys.stdout.write(page)
        return 0
    with open(PAGE, encoding='utf-8') as file:
        if file.read() == page:
            return 0
    print('FAULTS.md says something else than the checks: line/faults_page.py > FAULTS.md')
    return 1


if __name__ == '__main__':
    sys.exit(main())

"""figures.py [PART...]: measures, and prints one Markdown table (README.md). Parts: rig, dfu, scaling, links, observe, report; none named: all.

Exit code 1 when a part could not be measured; an aim that was missed is marked in the table and does not change it.
"""
from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile

import dfu_figures
import line_figures
import observe_figures
import report_figures
import rig_figures
from bench import program
from table import HEAD, ROOT, say

PARTS = ('rig', 'dfu', 'scaling', 'links', 'observe', 'report')


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument('part', nargs='*', default=[])
    wanted = parser.parse_args().part or PARTS
    if unknown := set(wanted) - set(PARTS):
        parser.error(f'no such part: {", ".join(sorted(unknown))}; there are {", ".join(PARTS)}')
    os.environ.setdefault('RIG_CACHE', os.path.join(ROOT, '.build', 'rig-cache'))
    os.environ['PYTHONDONTWRITEBYTECODE'] = '1'
    folder = tempfile.mkdtemp(prefix='flbench-', dir='/tmp')
    measures = {'rig': lambda: rig_figures.measure(folder, program()), 'dfu': lambda: dfu_figures.measure(folder, program()),
                'scaling': line_figures.scaling, 'links': line_figures.links, 'observe': observe_figures.measure, 'report': report_figures.measure}
    rows, failed = [], []
    for part in PARTS:
        if part in wanted:
            try:
                rows += measures[part]()
            except (OSError, RuntimeError, ValueError, KeyError, subprocess.SubprocessError) as error:
                failed.append(part)
                say(f'{part} could not be measured: {error}')
    version = subprocess.run([program(), '--version'], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    print(f'{version}, {os.cpu_count()} cores, Linux {platform.release()}\n\n{HEAD}')
    for row in rows:
        print(row.line())
    if failed:
        say(f'not measured: {", ".join(failed)}; what there is lies in {folder}')
    elif not os.environ.get('KEEP'):
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

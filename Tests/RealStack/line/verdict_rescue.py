"""verdict_rescue.py: what the station wrote down of a board that is flashed over Nordic DFU, against the board (for verdict.py)."""
from __future__ import annotations

KINDS = ('metawear', 'legacy', 'secure')


def next_address(address: str) -> str:
    """Nordic's bootloaders without bonds: the last octet + 1, no carry (facts/nordic-dfu.md 3.2)."""
    head, last = address.rsplit(':', 1)
    return f'{head}:{int(last, 16) + 1 & 0xFF:02X}'


def check_last(checks, outcome, row: dict, wanted: dict, is_end: bool):
    """The last attempt of a board in a run. `is_end`: nothing came after it, so that the board can be asked."""
    board, spec = outcome.boards[row['mac']], outcome.specs[row['mac']]
    good, flashed = row['outcome'] in ('passed', 'skipped'), row['outcome'] == 'passed'
    checks.same('good', row['good'], int(good))
    for name, value in (('serial_number', spec['serial']), ('model_number', spec['model']), ('hardware_revision', spec['hardware'])):
        checks.same(name, row[name], value)
    checks.same('firmware_before', row['firmware_before'], wanted['before'])
    checks.same('unit_id', row['unit_id'], wanted.get('unit'))
    checks.same('bootloader_before and _after', [row['bootloader_before'], row['bootloader_after']], wanted['bootloader'])
    checks.same('dfu_mac', row['dfu_mac'], next_address(row['mac']) if wanted.get('dfu_mac') else None)
    for name in ('image_hash_before', 'image_hash_after', 'image_state', 'settings_erased'):
        checks.same(name, row[name], None)
    package = outcome.expect['packages'].get(wanted['package'])
    if good:
        checks.same('firmware_after', row['firmware_after'], package['version'])
        checks.same('verified_by', row['verified_by'], 'version')
    if flashed:
        checks.same('left_as', row['left_as'], 'application')
        checks.same('package', row['package'], package['file'])
        checks.same('package_sha256', row['package_sha256'], package['sha256'])
        checks.same('image_hash', row['image_hash'], package['hash'])
        sent = sum(stage['bytes'] for stage in wanted['stages'])
        # A stage that was begun again brought bytes before it was broken off.
        checks.ok('upload_bytes and upload_s', row['upload_bytes'] is not None and (row['upload_bytes'] == sent or row['retries'] and row['upload_bytes'] > sent)
                  and (row['upload_s'] or 0) > 0, row['upload_bytes'], sent, row['upload_s'], row['retries'])
    else:
        # What did not come to a good end was one image at most.
        sent = wanted['stages'][-1]['bytes'] if row['outcome'] == 'failed' and wanted['stages'] else 0
        checks.same('upload_bytes of an attempt that is not good', row['upload_bytes'] or 0, sent)
    if row['outcome'] in ('skipped', 'refused'):
        checks.same('left_as', row['left_as'], 'untouched')
    if row['outcome'] == 'refused':
        checks.same('nothing was written to the board', (board['writes'], board['bytes_received']), (0, 0))
    for fault in wanted.get('faults', []):
        checks.ok(f'the board\'s fault `{fault}` happened', any(fired['do'] == fault for fired in board['faults_fired']))
    if is_end:
        check_board(checks, board, row, wanted, good)


def check_board(checks, board: dict, row: dict, wanted: dict, good: bool):
    checks.same('the images that took effect in the board, in their order', board['updates'], wanted['stages'])
    checks.same('mode', board['mode'], wanted.get('mode', 'app'))
    checks.same('links left open', board['connected'], 0)
    if good:
        checks.same('the application that runs', (board['app'] or {}).get('version'), row['firmware_after'])
        checks.same('the application is whole', board['app_valid'], True)
    overflows = board['dfu'].get('errors', []).count('100306')
    checks.ok('packets without a free buffer: once at most, then the station keeps to fewer', overflows <= 1, board['dfu'])
    if good and wanted['bootloader'][1]:
        checks.same('the bootloader that is installed', board['bootloader_version'], wanted['bootloader'][1])

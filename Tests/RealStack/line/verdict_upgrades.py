"""verdict_upgrades.py: what the station wrote down of a board of the guest `upgrades` (prepare_upgrades.py), against the board (for verdict.py)."""
from __future__ import annotations

from verdict_rescue import next_address


def check_last(checks, outcome, row: dict, wanted: dict, is_end: bool):
    """The last attempt of a board in a run. `is_end`: nothing came after it, so that the board can be asked."""
    board, spec = outcome.boards[row['mac']], outcome.specs[row['mac']]
    package = outcome.expect['packages'][wanted['package']]
    flashed = row['outcome'] == 'passed'
    for name, value in (('serial_number', spec['serial']), ('model_number', spec['model']), ('hardware_revision', spec['hardware'])):
        checks.same(name, row[name], value)
    checks.same('unit_id', row['unit_id'], wanted.get('unit'))
    checks.same('dfu_mac', row['dfu_mac'], next_address(row['mac']) if wanted.get('dfu_mac') else None)
    checks.same('package', row['package'], package['file'])
    checks.same('package_sha256', row['package_sha256'], package['sha256'])
    check_images(checks, row, wanted)
    checks.same('good', row['good'], wanted['good'])
    checks.same('left_as', row['left_as'], 'application' if flashed else 'untouched')
    checks.same('settings_erased', row['settings_erased'] or 'no', wanted['erased'])
    if flashed:
        # What was begun again within the attempt brought bytes before it was broken off.
        checks.ok('upload_bytes and upload_s', row['upload_bytes'] is not None and (row['upload_s'] or 0) > 0 and
                  (row['upload_bytes'] == wanted['sent'] or row['retries'] and row['upload_bytes'] > wanted['sent']), row['upload_bytes'], wanted['sent'], row['upload_s'])
    else:
        checks.ok('no upload is recorded', not row['upload_bytes'], row['upload_bytes'])
    if is_end:
        check_board(checks, outcome, board, wanted)
        (check_suit if package.get('suit') else check_slots)(checks, board, package, wanted)


def check_images(checks, row: dict, wanted: dict):
    """The columns that name images: one hash as it is, several as `0:hex 1:hex`, an image that cannot be read is left out."""
    for name, value in (('firmware_before', wanted['before']), ('firmware_after', wanted['images'][0]['version']), ('image_hash', wanted['image_hash']),
                        ('image_hash_before', wanted['hash_before']), ('image_hash_after', wanted.get('hash_after', wanted['image_hash'])),
                        ('image_state', wanted['state']), ('verified_by', wanted['verified_by'])):
        checks.same(name, row[name], value)


def check_board(checks, outcome, board: dict, wanted: dict):
    """What holds for a board of every kind, at the end."""
    checks.same('mode', board['mode'], 'app')
    checks.same('its address', board['address_now'], board['address'])
    checks.same('links left open', board['connected'], 0)
    checks.same('how often its settings were erased', board['storage_erased'], wanted['storage_erased'])
    kept = {} if wanted['storage_erased'] else outcome.specs[board['address']].get('settings', {})
    checks.same('its settings', {name: value for name, value in board['settings'].items() if not name.startswith('fw_loader/')}, kept)
    rows = [row for row in outcome.rows if row['mac'] == board['address']]
    # The board counts what it took: another build of the package, or an image twice, would show here.
    checks.ok('it took the wanted bytes and no others', board['bytes_received'] == wanted['sent'] or
              any(row['retries'] for row in rows) and board['bytes_received'] > wanted['sent'], board['bytes_received'], wanted['sent'])
    if wanted.get('loader'):
        checks.ok('the loader had the name that was written for it', board['settings'].get('fw_loader/adv_name'), board['settings'])
        checks.ok('the board was started into its loader, and out of it again', board['reboots'] >= 2, board['reboots'])


def check_slots(checks, board: dict, package: dict, wanted: dict):
    """MCUboot: every image of the package runs, from the slot where it belongs, for good."""
    first = wanted['images'][0]
    checks.same('the board runs the package\'s image', board['running'], {key: first[key] for key in ('version', 'hash', 'hash_kind')})
    checks.same('confirmed', board['confirmed'], True)
    checks.same('number of images', len(board['images']), len(wanted['images']))
    for image in wanted['images']:
        pair = next((pair for pair in board['images'] if pair['image'] == image['number']), {'slots': [], 'active': None, 'unconfirmed': None})
        running = [slot for slot in pair['slots'] if slot['slot'] == pair['active']]
        checks.same(f'image {image["number"]}: slot, hash and version that run, whole', [(slot['slot'], slot['hash'], slot['version'], slot['valid']) for slot in running],
                    [(image['slot'], image['hash'], image['version'], True)])
        checks.same(f'image {image["number"]}: it would be taken back at the next start', pair['unconfirmed'], False)
        checks.ok(f'image {image["number"]}: nothing is pending', not any(slot['pending'] for slot in pair['slots']), pair['slots'])


def check_suit(checks, board: dict, package: dict, wanted: dict):
    """SUIT: the envelope was installed once, and what it fetches was served: the cache's file was never asked for."""
    suit, told = package['suit'], board['suit'] or {}
    checks.same('sequence number', told.get('sequence'), suit['sequence'])
    checks.same('digest', told.get('digest'), suit['digest'])
    checks.same('installations', told.get('installs'), [suit['sequence']])
    checks.same('failures of the board', told.get('failures'), [])
    checks.same('the resources that it asked for and got', told.get('resources'), suit['resources'])
    checks.same('state', told.get('state'), 'idle')

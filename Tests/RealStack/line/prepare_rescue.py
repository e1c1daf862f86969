"""prepare_rescue.py: the guest `rescue` (README.md): boards that are stuck in their bootloaders, and boards that are sent there.

Fills a guest of prepare.py: packages and a catalogue of boards/package_tools.py, profiles, boards, and what is to become of each of them.
"""
from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile

from boards import mcuboot, package_tools

MODEL, HARDWARE, MAKER, VERSION = '6', '0.2', 'MbientLab Inc', '1.4.5'
BOOTLOADER = package_tools.CHAIN[-1][0]
# A bootloader counts as stranded after so long: short, because the guest's minutes are dear; far longer than a board of ours stays there between two stages.
STRANDED = '4s'
METAWEAR = f"""[board]
name = metawear
family = metawear

[match]
name_prefix = MetaWear
min_rssi = -75

[identity]
manufacturer = {MAKER}
model_number = {MODEL}
hardware_revision = {HARDWARE}
serial = unique

[rescue]
stranded_after = {STRANDED}
catalog = ../catalogue/info2.json
"""
NORDIC = """[board]
name = {name}
family = nordic-dfu{pairing}

[match]
name_prefix = {prefix}
min_rssi = -75

[firmware]
package = ../packages/{file}
sha256 = {sha256}
version = {version}

[rescue]
name = DfuTarg
protocol = {protocol}
stranded_after = {stranded}
"""


class Rescue:
    """Packages, profiles and boards of one guest."""

    def __init__(self, guest):
        self.guest = guest
        self.chain: dict[str, dict] = {}
        self._catalogue()
        self._secure()

    # -- packages --------------------------------------------------------------------------------------------------------
    def _put(self, path: str, content: bytes):
        path = os.path.join(self.guest.work, 'station', path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(content)

    def _package(self, key: str, name: str, content: bytes, image: bytes, version: str):
        self.guest.packages[key] = {'file': name, 'sha256': hashlib.sha256(content).hexdigest(), 'bytes': len(image), 'hash': hashlib.sha256(image).hexdigest(),
                                    'version': version}

    def _catalogue(self):
        index, files = package_tools.catalogue(HARDWARE, int(MODEL), VERSION, app_size=8000)
        self._put('catalogue/info2.json', json.dumps(index).encode())
        for path, content in files.items():
            self._put(f'catalogue/{path}', content)
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                (name,) = (name for name in archive.namelist() if name.endswith('.bin'))
                image = archive.read(name)
            version = mcuboot.metadata(image)['version']
            stage = {'kind': 'application' if name == 'firmware.bin' else name.removesuffix('.bin'), 'bytes': len(image),
                     'sha256': hashlib.sha256(image).hexdigest(), 'version': version}
            self.chain[version] = stage
            if stage['kind'] == 'application':
                self._package('metawear', 'firmware.zip', content, image, version)
        self.guest.text('station/profiles/metawear.profile', METAWEAR)

    def _secure(self):
        image = package_tools.payload(20_000, 'secure', {'version': '2.0.0'})
        content = package_tools.secure_zip({'application': (image, {'fw_version': 2})})
        self._put('packages/secure.zip', content)
        self._package('secure', 'secure.zip', content, image, '2.0.0')
        self._profile('secure', 'secure', 'secure')

    def _profile(self, name: str, package: str, protocol: str, pairing: str = ''):
        self.guest.text(f'station/profiles/{name}.profile', NORDIC.format(**self.guest.packages[package], name=name, pairing=pairing, prefix=f'{name.upper()}-',
                                                                          protocol=protocol, stranded=STRANDED))

    def bonded(self):
        """Secure boards that want to be paired before they go to their bootloader."""
        self._profile('bonded', 'secure', 'secure', '\npairing = just-works')

    def legacy(self):
        image = package_tools.payload(8000, 'legacy', {'version': '2.0.0'})
        content = package_tools.legacy_zip({'application': (image, {})})
        self._put('packages/legacy.zip', content)
        self._package('legacy', 'legacy.zip', content, image, '2.0.0')
        self._profile('legacy', 'legacy', 'legacy')

    # -- boards ----------------------------------------------------------------------------------------------------------
    def metawear(self, name: str, app: dict | None, bootloader: str = BOOTLOADER, **more) -> str:
        softdevice = 0x8C if bootloader in ('0.3.1', '0.3.2', '0.3.3') else 0x88
        return self.guest.board(name, kind='metawear', app=app, bootloader_version=bootloader, softdevice=softdevice, model=MODEL, hardware=HARDWARE,
                                manufacturer=MAKER, **more)

    def secure(self, name: str, app: str | None, **more) -> str:
        """The bootloader has the next address: places are left free for it."""
        return self.guest.board(name, kind='secure', app=app, address=f'C0:DE:00:00:01:{16 * (len(self.guest.boards) + 1):02X}', **more)

    # -- what is to become of them ---------------------------------------------------------------------------------------
    def stages(self, *versions: str) -> list[dict]:
        return [self.chain[version] for version in versions]

    def rescued(self, bootloader: str, *versions: str, **more) -> dict:
        """A MetaWear board that was found with this bootloader and got these images, one after the other."""
        return {'attempts': ['passed'], 'package': 'metawear', 'before': None, 'bootloader': [bootloader, BOOTLOADER],
                'stages': self.stages(*versions), 'left': ['application']} | more

    def secured(self, before: str | None, **more) -> dict:
        package = self.guest.packages['secure']
        stage = {'kind': 'application', 'bytes': package['bytes'], 'sha256': package['hash'], 'version': package['version']}
        return {'attempts': ['passed'], 'package': 'secure', 'before': before, 'bootloader': [None, None], 'dfu_mac': '+1', 'stages': [stage],
                'left': ['application']} | more


def fill(guest, order: list[str]):
    """`recover` and then `run`: every kind of board, in its bootloader and in its application."""
    rescue = Rescue(guest)
    guest.package('named', '2.0.0', 20_000)
    guest.profile('named', 'MetaBoot', 'named')
    # The strongest are taken first: what takes longest, and the one that is to be refused.
    stranded = {
        guest.board('FOREIGN-1', kind='legacy', app=None, bootloader_name='MetaBoot', bootloader_address='same', bootloader_dis=True, model='X1', hardware='1.0',
                    manufacturer='Other Works', rssi=-42):
            {'attempts': ['refused identity.model'], 'package': None, 'before': None, 'bootloader': [None, None], 'stages': [], 'mode': 'bootloader',
             'left': ['untouched']},
        rescue.metawear('MetaWear-chain4', None, '0.2.2', rssi=-44): rescue.rescued('0.2.2', '0.3.1', '0.3.2', '0.3.3', VERSION),
        rescue.metawear('MetaWear-chain3', None, '0.3.1', rssi=-44): rescue.rescued('0.3.1', '0.3.2', '0.3.3', VERSION),
        # An earlier rescue ended in the middle of the chain: SoftDevice and bootloader are new, and the rest is missing.
        rescue.metawear('MetaWear-half', None, '0.3.2'): rescue.rescued('0.3.2', '0.3.3', VERSION),
        rescue.metawear('MetaWear-fine', None): rescue.rescued(BOOTLOADER, VERSION),
        rescue.secure('SECURE-dfu', None): rescue.secured(None),
    }
    older = {'version': '1.3.0', 'requires_bootloader': '0.2.1'}
    at_home = {
        rescue.metawear('MetaWear-1', older): rescue.rescued(BOOTLOADER, VERSION, before='1.3.0'),
        rescue.metawear('MetaWear-2', older): rescue.rescued(BOOTLOADER, VERSION, before='1.3.0'),
        rescue.secure('SECURE-app', '1.0.0'): rescue.secured('1.0.0'),
        # An application board that somebody called so.
        guest.board('MetaBoot'): {'attempts': ['passed'], 'package': 'named', 'before': '1.0.0'},
    }
    guest.job('refresh', 30, ['catalog', 'refresh'])
    jobs = ['--profile', 'metawear', '--profile', 'secure']
    path, units = guest.list_of('stranded', list(stranded))
    guest.run('recover', ['recover', *jobs, '--boards', path, *order], {a: wanted | {'unit': units[a]} for a, wanted in stranded.items()},
              exit=1, end='boards', limit=110, job='rescue', adapters_at_once=3)
    rescued = [address for address, wanted in stranded.items() if wanted['stages']]
    path, units = guest.list_of('homes', rescued + list(at_home))
    home = {}
    for address in rescued:
        wanted = stranded[address]
        home[address] = wanted | {'attempts': ['skipped'], 'before': guest.packages[wanted['package']]['version'], 'bootloader': [None, None], 'dfu_mac': None,
                                  'left': ['untouched'], 'sent': []}
    guest.run('run', ['run', *jobs, '--profile', 'named', '--boards', path, *order],
              {a: wanted | {'unit': units[a]} for a, wanted in (home | at_home).items()}, end='boards', limit=110)


def spoil(guest, order: list[str]):
    """`recover` over bootloaders that spoil, lose, delay or refuse what they are sent; then `run` over the ways into a bootloader that `fill` leaves out."""
    rescue = Rescue(guest)
    rescue.legacy()
    rescue.bonded()
    application = [VERSION]

    def metawear(name: str, *faults: dict, rssi: int = -50, **more) -> dict:
        kinds = sorted({fault['do'] for fault in faults})
        return {rescue.metawear(f'MetaWear-{name}', None, rssi=rssi, faults=list(faults)): rescue.rescued(BOOTLOADER, *application, faults=kinds) | more}

    def secure(name: str, *faults: dict, board: dict | None = None, **more) -> dict:
        kinds = sorted({fault['do'] for fault in faults})
        return {rescue.secure(f'SECURE-{name}', None, faults=list(faults), **(board or {})): rescue.secured(None, faults=kinds) | more}

    receipt = {'prn': True}
    # What takes longest is the strongest, and taken first.
    stranded = (
        metawear('erase', {'do': 'slow_erase', 'seconds': 20}, rssi=-42)
        | metawear('silent', {'do': 'drop', 'count': 3, 'where': receipt}, rssi=-42, retried=True)
        | metawear('lost', {'do': 'lost', 'offset': 4000}, rssi=-44, retried=True)
        | metawear('count', {'do': 'wrong_count', 'count': 3, 'where': receipt}, retried=True)
        | metawear('flood', {'do': 'status', 'status': 6, 'count': 100}, retried=True)
        | metawear('crc', {'do': 'crc_error'}, retried=True)
        | metawear('back', {'do': 'back_in_bootloader', 'times': 0}, attempts=['failed verify.still_bootloader'] * 2, stages=rescue.stages(VERSION, VERSION),
                   mode='bootloader', left=['bootloader'] * 2, bootloader=[BOOTLOADER, BOOTLOADER])
        | secure('lost', {'do': 'lost', 'offset': 10_000}, retried=True)
        | secure('keep', {'do': 'disconnect', 'offset': 12_000}, board={'dfu': {'save_progress': True}}, retried=True)
        | secure('object', {'do': 'status', 'count': 30}, retried=True)
        # It never runs its application, so that its bootloader's address is all that is known of it: the same one here.
        | secure('init', {'do': 'refuse', 'status': 0x0B, 'extended': 0x07, 'times': 0, 'where': {'opcode': 4}}, board={'bootloader_address': 'same'}, attempts=['failed dfu.rejected'], stages=[],
                 mode='bootloader', left=['bootloader'], dfu_mac=None, tells=False))
    guest.job('refresh', 30, ['catalog', 'refresh'])
    path, units = guest.list_of('spoilt', list(stranded))
    guest.run('recover', ['recover', '--profile', 'metawear', '--profile', 'secure', '--boards', path, *order],
              {a: wanted | {'unit': units[a]} for a, wanted in stranded.items()}, exit=1, end='boards', limit=200, job='rescue')
    legacy = guest.packages['legacy']
    stage = {'kind': 'application', 'bytes': legacy['bytes'], 'sha256': legacy['hash'], 'version': legacy['version']}
    flashed = {'attempts': ['passed'], 'package': 'legacy', 'before': '1.0.0', 'bootloader': [None, None], 'stages': [stage], 'left': ['application']}
    home = {
        # Its bootloader calls back the station that sent it there: directed advertising, nothing in it.
        guest.board('LEGACY-calls', kind='legacy', app='1.0.0', directed=True): flashed,
        guest.board('LEGACY-plain', kind='legacy', app='1.0.0'): flashed,
        # Bonded, so that the bootloader keeps the address.
        guest.board('BONDED-1', kind='secure', app='1.0.0', bonds=True): rescue.secured('1.0.0', dfu_mac=None),
    }
    path, units = guest.list_of('homes', list(home))
    guest.run('run', ['run', '--profile', 'legacy', '--profile', 'bonded', '--boards', path, *order],
              {a: wanted | {'unit': units[a]} for a, wanted in home.items()}, end='boards', limit=110)

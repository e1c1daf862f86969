"""mark_pending.py ADDRESS FILE: another tool (smpclient over bleak) puts an image into a board and marks it for the next start. Runs in the guest."""
import asyncio
import sys

from smpclient import SMPClient
from smpclient.requests.image_management import ImageStatesRead, ImageStatesWrite
from smpclient.transport.ble import SMPBLETransport


async def main(address: str, path: str) -> int:
    with open(path, 'rb') as file:
        image = file.read()
    client = SMPClient(SMPBLETransport(), address)
    await client.connect(40.0)                     # its 5 s are too short for a guest that is emulated
    try:
        async for _ in client.upload(image):
            pass
        stored = [state for state in (await client.request(ImageStatesRead())).images if not state.active]
        states = (await client.request(ImageStatesWrite(hash=stored[0].hash))).images
        for state in states:
            print(state.slot, state.version, 'pending' if state.pending else '', 'confirmed' if state.confirmed else '')
        return 0 if any(state.pending for state in states) else 1
    finally:
        await client.disconnect()

sys.exit(asyncio.run(main(*sys.argv[1:3])))

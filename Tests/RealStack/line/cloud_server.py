"""cloud_server.py FOLDER [PORT]: the cloud of the guest `cloud`: aiohttp's server on the loopback interface, with a thin application on it.

It is up while FOLDER/up is there; FOLDER/port tells that it listens, and where. PORT 0 takes a free one.
FOLDER/cloud.json says which keys, boards, releases and files there are (prepare_cloud.py); FOLDER/modes/SERIAL, read at each request, what is wrong:
`status CODE [RETRY-AFTER]` answer so · `hold` take the chunks and do not answer, until the file is gone or the client is · `slow SECONDS` before the answer.
FOLDER/log.jsonl: two lines for a request, `asked` once its body is there and `answered` with the status, and whether the answer was written whole to a client
that was still there: only then the client can know that its chunks arrived. Keys are logged by their names.
"""
from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import time

from aiohttp import web

KEY_HEADER = 'Memfault-Project-Key'


class Cloud:
    def __init__(self, folder: str):
        self.folder, self.numbers = folder, 0
        with open(os.path.join(folder, 'cloud.json'), encoding='utf-8') as file:
            self.given = json.load(file)
        self.names = {key: name for name, key in self.given['keys'].items()}
        self.cut: set[str] = set()
        self.arrived: dict[str, int] = {}
        self.log = open(os.path.join(folder, 'log.jsonl'), 'a', encoding='utf-8')       # noqa: SIM115, open as long as the server is

    def note(self, what: str, number: int, **facts):
        self.log.write(json.dumps({'what': what, 'n': number, 'at': round(time.monotonic(), 3)} | facts) + '\n')
        self.log.flush()

    def asked(self, request: web.Request, **facts) -> int:
        self.numbers += 1
        key = request.headers.get(KEY_HEADER)
        self.note('asked', self.numbers, method=request.method, path=request.path, query=dict(request.query), host=request.host, headers=sorted(request.headers.keys()),
                  type=request.content_type, key=None if key is None else self.names.get(key, 'unknown'), **facts)
        return self.numbers

    def mode(self, name: str) -> list[str]:
        try:
            with open(os.path.join(self.folder, 'modes', name), encoding='utf-8') as file:
                return file.read().split() or ['ok']
        except FileNotFoundError:
            return ['ok']

    async def send(self, request: web.Request, number: int, answer: web.StreamResponse, **facts) -> web.StreamResponse:
        """Sends an answer, and logs what became of it."""
        try:
            await answer.prepare(request)
            await answer.write_eof()
            written = request.transport is not None and not request.transport.is_closing()
        except ConnectionError:
            written = False
        if written and answer.status == 202:
            self.arrived[facts['serial']] = facts['arrived'] = self.arrived.get(facts['serial'], 0) + facts.pop('chunks')
        facts.pop('chunks', None)
        self.note('answered', number, status=answer.status, written=written, **facts)
        return answer

    # -- chunks --------------------------------------------------------------------------------------------------------------
    async def chunks(self, request: web.Request) -> web.StreamResponse:
        serial, problem, chunks = request.match_info['serial'], None, []
        try:
            if request.content_type.startswith('multipart/'):
                reader = await request.multipart()
                while (part := await reader.next()) is not None:
                    problem = problem or (None if part.headers.get('Content-Length') else 411)
                    chunks.append(bytes(await part.read()))
            else:
                chunks.append(await request.read())
        except (ValueError, AssertionError) as error:
            problem = 400
            self.note('malformed', self.numbers + 1, error=repr(error))
        number = self.asked(request, serial=serial, chunks=[hashlib.sha256(chunk).hexdigest() for chunk in chunks], bytes=sum(map(len, chunks)))
        status, headers = problem or self.judge(request, serial), {}
        mode = self.mode(serial)
        if mode[0] == 'status':
            status, headers = int(mode[1]), {'Retry-After': mode[2]} if len(mode) > 2 else {}
        elif mode[0] == 'slow':
            await asyncio.sleep(float(mode[1]))
        if self.mode(serial)[0] == 'hold':
            self.note('holding', number, serial=serial)
        while self.mode(serial)[0] == 'hold':
            if request.transport is None or request.transport.is_closing():
                self.note('answered', number, status=None, written=False)
                return web.Response(status=500)
            await asyncio.sleep(0.05)
        return await self.send(request, number, web.Response(status=status, headers=headers), serial=serial, chunks=len(chunks),
                               retry_after=float(headers['Retry-After']) if headers else None)

    def judge(self, request: web.Request, serial: str) -> int:
        board = self.given['boards'].get(serial)
        if board is None:
            return 404
        if request.headers.get(KEY_HEADER) != self.given['keys'][board['key']]:
            return 403
        if request.content_type.startswith('multipart/') and not board['multipart'] or request.content_type not in ('multipart/mixed', 'application/octet-stream'):
            return 415
        return 202

    # -- releases ------------------------------------------------------------------------------------------------------------
    async def latest(self, request: web.Request) -> web.StreamResponse:
        number = self.asked(request, query_string=request.rel_url.raw_query_string)
        release = self.given['releases'].get(request.query.get('software_type', ''))
        if request.headers.get(KEY_HEADER) not in self.names:
            answer = web.Response(status=403)
        elif release is None:
            answer = web.Response(status=400)
        elif 'status' in release:
            answer = web.Response(status=release['status'], headers=release.get('headers', {}))
        else:
            answer = web.json_response(release['json'])
        return await self.send(request, number, answer)

    async def file(self, request: web.Request) -> web.StreamResponse:
        """A file, with ranges and validators by aiohttp. The first request for one of `cut` ends in its middle."""
        name = request.match_info['name']
        number = self.asked(request, range=request.headers.get('Range'), if_range=request.headers.get('If-Range'))
        given = self.given['files'].get(name)
        if given is None:
            return await self.send(request, number, web.Response(status=404))
        if 'moved' in given:
            return await self.send(request, number, web.Response(status=302, headers={'Location': given['moved']}))
        path = os.path.join(self.folder, 'files', given['file'])
        if given.get('cut') and name not in self.cut:
            self.cut.add(name)
            return await self.half(request, number, path)
        headers = {'Content-Disposition': f'attachment; filename="{given["says"]}"'} if 'says' in given else {}
        return await self.send(request, number, web.FileResponse(path, headers=headers))

    async def half(self, request: web.Request, number: int, path: str) -> web.StreamResponse:
        told = os.stat(path)
        answer = web.StreamResponse(headers={'Content-Length': str(told.st_size), 'Accept-Ranges': 'bytes', 'ETag': f'"{told.st_mtime_ns:x}-{told.st_size:x}"'})
        answer.last_modified = told.st_mtime
        await answer.prepare(request)
        with open(path, 'rb') as file:
            await answer.write(file.read(told.st_size // 2))
        await asyncio.sleep(0.2)
        self.note('answered', number, status=200, written=False)
        if request.transport is not None:
            request.transport.close()
        return answer


async def main(folder: str, port: int):
    cloud, runner = Cloud(folder), None
    up, told = os.path.join(folder, 'up'), os.path.join(folder, 'port')
    while True:
        if os.path.exists(up) and runner is None:
            application = web.Application()
            application.add_routes([web.post('/api/v0/chunks/{serial}', cloud.chunks), web.get('/api/v0/releases/latest', cloud.latest), web.get('/files/{name}', cloud.file)])
            runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.2)
            await runner.setup()
            await web.TCPSite(runner, '127.0.0.1', port).start()
            with open(told, 'w', encoding='ascii') as file:
                file.write(f'{runner.addresses[0][1]}\n')
        elif not os.path.exists(up) and runner is not None:
            await runner.cleanup()
            runner = None
            os.unlink(told)
        await asyncio.sleep(0.05)


if __name__ == '__main__':
    asyncio.run(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8090))

#!/usr/bin/env python3
"""Encodes SMP requests with the PyPI packages smp and smpclient, for Tests/SMPTests/PeerTests.swift.

stdin: one JSON object a line.
  {"module": "os_management", "class": "EchoWriteRequest", "arguments": {"d": "hello"}}   one request of the package smp
  {"upload": "image" | "file", "size": 495, "length": 70832, "image": 1, "name": "/lfs/a"}   every request of smpclient's own upload
A byte string is written as {"bytes": "00ff"}. stdout: for each line one line, its requests as hexadecimal text with blanks between.
"""
import asyncio
import importlib
import json
import sys


def value(thing):
    if isinstance(thing, dict) and set(thing) == {"bytes"}:
        return bytes.fromhex(thing["bytes"])
    return thing


def single(line):
    kind = getattr(importlib.import_module("smp." + line["module"]), line["class"])
    return [bytes(kind(sequence=line.get("sequence", 0), **{key: value(thing) for key, thing in line["arguments"].items()}))]


class Recorder:
    """A transport that keeps what is sent and answers as a board that takes everything."""

    def __init__(self, size, length):
        self.max_unencoded_size = self.mtu = size
        self.length, self.sent = length, []

    async def send_and_receive(self, data):
        import cbor2
        self.sent.append(data)
        body = cbor2.loads(data[8:])
        payload = cbor2.dumps({"off": body["off"] + len(body["data"])})
        return bytes([data[0] + 1, 0]) + len(payload).to_bytes(2, "big") + data[4:8] + payload


async def upload(line):
    from smpclient import SMPClient
    recorder = Recorder(line["size"], line["length"])
    client = SMPClient(recorder, "nowhere")
    content = bytes(index * 7 & 0xFF for index in range(line["length"]))
    if line["upload"] == "image":
        steps = client.upload(content, slot=line["image"], upgrade=True)
    else:
        steps = client.upload_file(content, line["name"])
    async for _ in steps:
        pass
    return recorder.sent


for text in sys.stdin:
    order = json.loads(text)
    frames = asyncio.run(upload(order)) if "upload" in order else single(order)
    print(" ".join(frame.hex() for frame in frames), flush=True)

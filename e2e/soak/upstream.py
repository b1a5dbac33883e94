"""An upstream that fails in every way it can, each time by chance, and says which.

Whatever it sends carries the header `x-fault`, so that a client can tell what was to be expected.
Two ways leave no answer at all: the connection is reset before it, or nobody listens for a while.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import random
import socket
import struct

FAULTS = {
    "none": 60,
    "stream": 30,
    "gzip": 5,
    "large": 3,
    "400": 2,
    "429": 4,
    "429-after": 2,
    "500": 2,
    "503": 5,
    "redirect": 1,
    "close-after": 5,
    "reset": 4,
    "late": 1,
    "cut": 3,
    "silent": 1,
    "trickle": 3,
}


class Upstream:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.server: asyncio.Server | None = None
        self.port = 0
        self.served = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def listen(self) -> None:
        self.server = await asyncio.start_server(self._connection, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]

    async def go_away_at_times(self) -> None:
        """Refuses connections for some seconds every now and then."""
        while True:
            await asyncio.sleep(self.random.uniform(20, 60))
            assert self.server is not None
            self.server.close()
            await asyncio.sleep(self.random.uniform(1, 8))
            await self.listen()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._request(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the gateway gave it up, as it may
        except asyncio.CancelledError:
            return  # the soak is over
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        await self._drain_body(head, reader)
        self.served += 1
        fault = self.random.choices(list(FAULTS), list(FAULTS.values()))[0]
        match fault:
            case "reset":
                # With this option closing sends a reset instead of an end.
                sock = writer.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
                return False
            case "late":
                await asyncio.sleep(4)
            case "stream" | "cut" | "silent" | "trickle":
                return await self._stream(fault, writer)
            case "gzip":
                body = gzip.compress(self._answer())
                return await self._send(writer, fault, 200, body, "content-encoding: gzip\r\n")
            case "large":
                body = json.dumps({"x": "y" * 2_000_000}).encode()
                return await self._send(writer, fault, 200, body)
            case "429-after":
                return await self._send(writer, fault, 429, b"{}", "retry-after: 1\r\n")
            case "redirect":
                location = "location: http://127.0.0.1:1/\r\n"
                return await self._send(writer, fault, 302, b"", location)
            case "400" | "429" | "500" | "503":
                error = b'{"error":{"message":"as told"}}'
                return await self._send(writer, fault, int(fault), error)
        return await self._send(writer, fault, 200, self._answer()) and fault != "close-after"

    async def _drain_body(self, head: bytes, reader: asyncio.StreamReader) -> None:
        if b"transfer-encoding: chunked" in head:
            while size := int(await reader.readline(), 16):
                await reader.readexactly(size + 2)
            await reader.readline()
        elif b"content-length: " in head:
            length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)

    def _answer(self) -> bytes:
        answer = {"id": f"resp_{self.port}_{self.served}", "object": "any", "text": "日本" * 20}
        return json.dumps(answer).encode()

    async def _send(
        self, writer: asyncio.StreamWriter, fault: str, status: int, body: bytes, extra: str = ""
    ) -> bool:
        head = (
            f"HTTP/1.1 {status} Told\r\nx-fault: {fault}\r\ncontent-length: {len(body)}\r\n{extra}"
        )
        writer.write(head.encode() + b"content-type: application/json\r\n\r\n" + body)
        await writer.drain()
        return True

    async def _stream(self, fault: str, writer: asyncio.StreamWriter) -> bool:
        head = f"HTTP/1.1 200 OK\r\nx-fault: {fault}\r\ncontent-type: text/event-stream\r\n"
        writer.write(head.encode() + b"transfer-encoding: chunked\r\n\r\n")
        frames = self.random.randint(2, 40)
        for number in range(frames):
            if writer.is_closing():
                return False
            if fault == "cut" and number == frames - 1:
                writer.transport.abort()
                return False
            if fault == "silent" and number == frames - 1:
                await asyncio.sleep(6)
            frame = f"data: {json.dumps({'number': number, 'text': '日本'})}\n\n".encode()
            if fault == "trickle":
                for byte in range(len(frame)):
                    writer.write(b"1\r\n" + frame[byte : byte + 1] + b"\r\n")
                await writer.drain()
            else:
                writer.write(f"{len(frame):x}\r\n".encode() + frame + b"\r\n")
                await writer.drain()
            await asyncio.sleep(self.random.choice([0, 0, 0.01, 0.05]))
        end = b"data: [DONE]\n\n"
        writer.write(f"{len(end):x}\r\n".encode() + end + b"\r\n0\r\n\r\n")
        await writer.drain()
        return True

"""Start Firefox for Playwright, and answer a command of WebDriver BiDi that it lacks.

Playwright drives an ordinary Firefox with WebDriver BiDi. It sets the media features of each
context, which Firefox ESR 153 rejects as an unknown command, so that no page could be opened.
This relay passes all messages on, and replaces that error by an empty answer.
Usage: ``python firefox_relay.py FIREFOX OPTION ...``
"""

from __future__ import annotations

import asyncio
import json
import re
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

OPTIONAL = "emulation.setMediaFeaturesOverride"


def answered(message: str) -> str:
    """Return a message of the browser; the error of the optional command becomes an answer."""
    if OPTIONAL not in message:
        return message
    answer = json.loads(message)
    if answer.get("error") != "unknown command":
        return message
    return json.dumps({"type": "success", "id": answer["id"], "result": {}})


async def address_of(stream: asyncio.StreamReader) -> str:
    """Return the address that Firefox prints when it listens."""
    while line := await stream.readline():
        if found := re.search(rb"WebDriver BiDi listening on (ws://\S+)", line):
            return found[1].decode()
        sys.stderr.buffer.write(line)
    raise SystemExit("Firefox ended before it listened")


async def discard(stream: asyncio.StreamReader) -> None:
    while await stream.readline():
        pass


async def main(command: list[str]) -> int:
    firefox = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    address = await address_of(firefox.stderr)
    log = asyncio.create_task(discard(firefox.stderr))

    async def relay(client):
        async with connect(address + client.request.path, max_size=None) as browser:

            async def answers():
                async for message in browser:
                    await client.send(answered(message))

            task = asyncio.create_task(answers())
            async for message in client:
                await browser.send(message)
            task.cancel()

    async with serve(relay, "127.0.0.1", 0, max_size=None) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"WebDriver BiDi listening on ws://127.0.0.1:{port}", file=sys.stderr, flush=True)
        status = await firefox.wait()
        log.cancel()
        return status


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))

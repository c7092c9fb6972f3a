"""Role: a line that is slow, for benches and tests of pages: it passes bytes on, TLS and all, after a delay and no faster than it may.

  browser ── 127.0.0.1:PORT ── delay, rate ──► the door
Callers: pages_bench.py.
"""

import asyncio
import threading


class SlowLine:
    """A proxy in a thread of its own. Used as a context manager; `port` is where it listens."""

    def __init__(self, host, port, round_trip_s, bytes_per_s):
        self._to, self._delay, self._rate = (host, port), round_trip_s / 2, bytes_per_s
        self._loop, self._ready, self.port = asyncio.new_event_loop(), threading.Event(), 0
        self._free = 0.0  # when the way down is free again; all connections share it
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, '127.0.0.1', 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()

    async def _serve(self, reader, writer):
        await asyncio.sleep(2 * self._delay)  # the handshake of TCP, which the browser had with us
        try:
            theirs, mine = await asyncio.open_connection(*self._to)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._pass(reader, mine, False), self._pass(theirs, writer, True))

    async def _pass(self, reader, writer, down):
        """Each block comes `delay` after it was sent; blocks keep their order, and do not wait for each other's delay."""
        queue = asyncio.Queue()

        async def deliver():
            while True:
                due, block = await queue.get()
                await asyncio.sleep(max(0, due - self._loop.time()))
                if not block:
                    break
                writer.write(block)
                await writer.drain()
            writer.close()

        delivering = asyncio.ensure_future(deliver())
        try:
            while block := await reader.read(4096):
                now = self._loop.time()
                sent = now
                if down:
                    self._free = sent = max(now, self._free) + len(block) / self._rate
                    await asyncio.sleep(max(0, sent - now - 0.1))
                queue.put_nowait((sent + self._delay, block))
        except OSError:
            pass
        queue.put_nowait((self._loop.time() + self._delay, b''))
        try:
            await delivering
        except OSError:
            pass

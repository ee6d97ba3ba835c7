"""A proxy that breaks connections."""

import asyncio
import contextlib
import threading


class BreakingProxy:
    """Forwards connections to a port, and breaks them off.

    ``breaks`` has one entry per connection: after how many bytes of the answer it is reset; None for never.
    Connections beyond the list are not broken.
    """

    def __init__(self, port, breaks):
        self.target, self.breaks, self.connections = port, list(breaks), 0

    async def serve(self, reader, writer):
        self.connections += 1
        limit = self.breaks.pop(0) if self.breaks else None
        to_server = None
        try:
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self.target)
            forward = asyncio.create_task(self.forward(reader, to_server, None))
            await self.forward(from_server, writer, limit)
            forward.cancel()
            await asyncio.gather(forward, return_exceptions=True)
        except OSError:
            pass
        finally:
            for end in (writer, to_server):
                if end is not None:
                    end.transport.abort()

    @staticmethod
    async def forward(reader, writer, limit):
        passed = 0
        with contextlib.suppress(OSError):
            while data := await reader.read(2**14):
                if limit is not None and passed + len(data) > limit:
                    writer.write(data[: limit - passed])
                    await writer.drain()
                    return
                passed += len(data)
                writer.write(data)
                await writer.drain()
            writer.write_eof()

    @contextlib.contextmanager
    def running(self):
        """Yield the port of the proxy."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()

        async def start():
            return await asyncio.start_server(self.serve, "127.0.0.1", 0)

        async def stop():
            server.close()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        server = asyncio.run_coroutine_threadsafe(start(), loop).result()
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            asyncio.run_coroutine_threadsafe(stop(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

"""A small server with the interface of `novikoff serve`, and a proxy that breaks connections."""

import asyncio
import contextlib
import json
import socket
import threading

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import novikoff as nk


def error(status, code, message, **headers):
    return JSONResponse({"error": {"code": code, "message": message}}, status, headers)


class FakeServer:
    """Predicts the last label it learned. Each id is learned once.

    ``refusals`` has answers that are given, one per request, in place of the usual ones.
    """

    def __init__(self, token=None):
        self.served = {}  # label that was predicted, by id
        self.rows, self.ids, self.refusals, self.requests, self.names = [], {}, [], [], {"default": {}}
        self.token = token
        self.app = Starlette(
            routes=[
                Route("/v1/models/{m}/predict", self.predict, methods=["POST"]),
                Route("/v1/models/{m}/learn", self.learn, methods=["POST"]),
                Route("/v1/models/{m}/stream", Stream(self)),
                Route("/v1/models/{m}/copy", self.copy, methods=["POST"]),
                Route("/v1/models/{m}/{what:path}", self.other, methods=["GET", "PUT", "DELETE"]),
                Route("/v1/models/{m}", self.model, methods=["GET", "PUT", "DELETE"]),
                Route("/v1/models", self.models),
                Route("/readyz", self.ready),
            ],
        )

    def refusal(self, request):
        self.requests.append((request.method, request.url.path))
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            return error(401, "unauthorized", "A token is missing.")
        return self.refusals.pop(0) if self.refusals else None

    def answer(self, example):
        """Learn an example and return what is answered."""
        if not isinstance(example, dict) or example.get("y") is None:
            raise ValueError("The example has no label.")
        id = example.get("id")
        if id is not None and id in self.ids:
            return {**self.ids[id], "repeated": True}
        predicted = self.rows[-1]["y"] if self.rows else None
        self.rows.append(example)
        found = {"predicted": predicted, "mistake": predicted != example["y"], "version": len(self.rows)}
        if id is not None:
            served = {"served": self.served.pop(id)} if id in self.served else {}
            self.ids[id] = found = {**found, "id": id, **served}
        return found

    async def predict(self, request):
        if refused := self.refusal(request):
            return refused
        body = await request.json()
        label = self.rows[-1]["y"] if self.rows else None
        answers = [
            {"label": label, "version": len(self.rows), **{k: v for k, v in row.items() if k == "id"}}
            for row in (body if isinstance(body, list) else [body])
        ]
        self.served |= {answer["id"]: answer["label"] for answer in answers if "id" in answer}
        return JSONResponse(answers if isinstance(body, list) else answers[0])

    async def learn(self, request):
        if refused := self.refusal(request):
            return refused
        body = await request.json()
        try:
            answers = [self.answer(row) for row in (body if isinstance(body, list) else [body])]
        except ValueError as wrong:
            return error(422, "bad_example", str(wrong))
        return JSONResponse(answers if isinstance(body, list) else answers[0])

    async def copy(self, request):
        if refused := self.refusal(request):
            return refused
        self.names[(await request.json())["to"]] = {"source": request.path_params["m"]}
        return JSONResponse({}, 201)

    async def model(self, request):
        if refused := self.refusal(request):
            return refused
        name = request.path_params["m"]
        if request.method == "PUT":
            self.names[name] = await request.json()
            return JSONResponse(self.names[name], 201)
        if name not in self.names:
            return error(404, "unknown_model", f"There is no model {name!r}.")
        if request.method == "DELETE":
            del self.names[name]
            return Response(status_code=204)
        return JSONResponse({"name": name, **self.names[name]})

    async def other(self, request):
        if refused := self.refusal(request):
            return refused
        if request.path_params["what"] == "model":
            model = nk.Perceptron().partial_fit([[1.0], [-1.0]], ["a", "b"])
            return Response(nk.dumps(model), media_type="application/octet-stream")
        body = await request.body()
        return JSONResponse({"method": request.method, "path": request.url.path, "body": body.decode()})

    async def models(self, request):
        return self.refusal(request) or JSONResponse({"models": sorted(self.names)})

    async def ready(self, request):
        return self.refusal(request) or JSONResponse({"ready": True})


class Stream:
    """POST /stream: answers each line as soon as it has arrived."""

    def __init__(self, server):
        self.server = server

    async def __call__(self, scope, receive, send):
        if refused := self.server.refusal(Request(scope)):
            await refused(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        rest, number, message = b"", 0, {"more_body": True}
        while message.get("more_body"):
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            *lines, rest = (rest + message["body"]).split(b"\n")
            answers = []
            for line in lines:
                number += 1
                answers.append(self.answer(line, number))
            await send({"type": "http.response.body", "body": b"".join(answers), "more_body": True})
        summary = {"summary": {"examples": len(self.server.rows)}}
        await send({"type": "http.response.body", "body": json.dumps(summary).encode() + b"\n"})

    def answer(self, line, number):
        try:
            found = self.server.answer(json.loads(line))
        except ValueError as wrong:
            found = {"error": {"code": "bad_example", "message": str(wrong)}, "line": number}
        return json.dumps(found).encode() + b"\n"


@contextlib.contextmanager
def running(app, port=0, **options):
    """Serve an ASGI app on a port of the loopback interface; yields the port."""
    config = uvicorn.Config(app, "127.0.0.1", port, log_level="error", lifespan="off", **options)
    server = uvicorn.Server(config)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        listener.listen()
        yield listener.getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        thread.join()
        listener.close()


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

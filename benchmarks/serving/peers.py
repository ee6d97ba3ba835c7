"""The peers of benchmarks/serve.py: services that predict and learn, behind the same front as `novikoff serve`.

python benchmarks/serving/peers.py river    # FastAPI and River: POST /predict and /learn
python benchmarks/serving/peers.py vw       # Starlette and Vowpal Wabbit's Python binding: POST /stream

Both run in one process of uvicorn with httptools and uvloop, keep what they learn in memory only, and print their port.

The stream of Vowpal Wabbit takes its own JSON, one example per line, which its C++ code parses: from Python this is the
quickest way to give it an example, three times as quick as text or dicts. ``learn`` keeps the prediction that it made
before the update, so that an example is parsed and scored once.
"""

import argparse
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

VW_OPTIONS = "--loss_function hinge --bit_precision 18 --quiet --json"


def river_app() -> ASGIApp:
    """A linear classifier of River as a service: features by name in, label and score out."""
    from fastapi import FastAPI
    from pydantic import BaseModel
    from river import linear_model

    class Features(BaseModel):
        x: dict[str, float]

    class Example(Features):
        y: bool

    class Prediction(BaseModel):
        label: bool
        score: float

    app, model = FastAPI(), linear_model.LogisticRegression()

    @app.post("/predict")
    async def predict(example: Features) -> Prediction:
        score = model.predict_proba_one(example.x)[True]
        return Prediction(label=score > 0.5, score=score)

    @app.post("/learn")
    async def learn(example: Example) -> Prediction:
        score = model.predict_proba_one(example.x)[True]
        model.learn_one(example.x, example.y)
        return Prediction(label=score > 0.5, score=score)

    return app


def vw_app() -> ASGIApp:
    """Vowpal Wabbit as a service: lines of its JSON in, predicted label, score and mistake of each out."""
    import vowpalwabbit
    from starlette.applications import Starlette
    from starlette.routing import Route

    workspace = vowpalwabbit.Workspace(VW_OPTIONS)

    def answers(lines: list[str]) -> bytes:
        found = []
        parse, learn, finish = workspace.parse, workspace.learn, workspace.finish_example
        for line in lines:
            example = parse(line)
            learn(example)
            score, label = example.get_partial_prediction(), example.get_simplelabel_label()
            finish(example)
            predicted = 1 if score > 0 else -1
            mistake = "false" if predicted == label else "true"
            found.append(f'{{"predicted":{predicted},"score":{score!r},"mistake":{mistake}}}\n')
        return "".join(found).encode()

    class Stream:
        """POST /stream, read and answered chunk by chunk."""

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            count = 0
            async for lines in complete_lines(receive):
                count += len(lines)
                await send({"type": "http.response.body", "body": answers(lines), "more_body": True})
            summary = b'{"summary":{"examples":%d}}\n' % count
            await send({"type": "http.response.body", "body": summary})

    return Starlette(routes=[Route("/stream", Stream())])


async def complete_lines(receive: Receive) -> AsyncIterator[list[str]]:
    """The body of a request as it comes, in lists of complete lines."""
    rest, is_open = b"", True
    while is_open:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        is_open = message.get("more_body", False)
        *lines, rest = (rest + message.get("body", b"")).split(b"\n")
        if not is_open and rest:
            lines.append(rest)
        if lines:
            yield [line.decode() for line in lines]


PEERS = {"river": river_app, "vw": vw_app}


def run(app: ASGIApp, port: int, **options: Any) -> None:
    """Serve an app on the loopback interface, and print the port."""
    with contextlib.closing(socket.create_server(("127.0.0.1", port), backlog=2048)) as listener:
        print(listener.getsockname()[1], flush=True)
        config = uvicorn.Config(
            app, http="httptools", loop="uvloop", log_level="warning", access_log=False, lifespan="off", **options
        )
        uvicorn.Server(config).run(sockets=[listener])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("--port", type=int, default=0, help="0 for any free port")
    arguments = parser.parse_args()
    run(PEERS[arguments.peer](), arguments.port)


if __name__ == "__main__":
    main()

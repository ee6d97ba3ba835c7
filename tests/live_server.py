"""A server that answers as ``novikoff serve`` does to the live page, with generated numbers."""

import asyncio
import json
import math
import threading

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from novikoff.serve.page.page import routes

WORDS = ["free", "money", "offer", "click", "meeting", "report", "invoice", "lunch", "winner", "urgent", "regards"]
SERVER = {
    "examples_per_second": 10_240.0,
    "predictions_per_second": 812.5,
    "queue": 17,
    "queue_limit": 65_536,
    "latency_ms": {"p50": 0.21, "p99": 2.04},
    "learning": "on",
    "reason": None,
}


def mistake_curve(examples, points=400):
    """Points of a curve whose model learns, whose labels repeat in runs, and whose majority is two thirds."""
    at = dict.fromkeys(max(1, round(examples * (part + 1) / points)) for part in range(points))
    return [
        [n, round(1.6 * math.sqrt(n) + 0.01 * n), round(0.28 * n), round(n / 3), round(4 * math.sqrt(n) + 0.08 * n, 1)]
        for n in at
    ]


def latest_mistakes(examples):
    return [
        {
            "number": examples - 7 * place,
            "label": "spam" if place % 2 else "ham",
            "predicted": "ham" if place % 2 else "spam",
            "score": round(0.31 * math.sin(place + 1), 4),
            "features": [[WORDS[(place + other) % 11], float(1 + other % 3)] for other in range(3 + place % 7)],
        }
        for place in range(12)
    ]


def overview(model="default", examples=12_345, points=400, **changes):
    """Return an overview as the server gives it. Changes to its parts are merged."""
    curve = mistake_curve(examples, points) if examples else []
    _, mistakes, last, majority, limit = curve[-1] if curve else (0, 0, 0, 0, None)
    counts = {"examples": float(examples), "mistakes": mistakes, "updates": round(1.2 * mistakes)}
    served = {"served": examples // 2, "served_mistakes": mistakes // 2, "pending": examples // 99, "largest_delay": 0}
    words = "If some weights separate the examples with margin 0.12, there are at most so many mistakes."
    found = {
        "model": model,
        "learner": "tracker",
        "version": examples,
        "classes": ["ham", "spam"] if examples else [],
        "columns": 57 if examples else 0,
        "counts": counts | served,
        "baselines": {"last_label_mistakes": last, "majority_mistakes": majority},
        "curve": curve,
        "bound": {"mistakes": limit, "words": words},
        "served_bound": {"mistakes": 2 * mistakes, "words": "1 wrong prediction served."} if examples else None,
        "margin_bound": 0.1234567 if examples else None,
        "shadows": [
            {"name": "arow", "learner": "arow", "mistakes": max(0, mistakes - 16), "examples": examples},
            {"name": "plain", "learner": "perceptron", "mistakes": mistakes + 130, "examples": examples},
            {"name": "young", "learner": "passive-aggressive-i", "mistakes": 2, "model_mistakes": 2, "examples": 400},
        ],
        "latest_mistakes": latest_mistakes(examples) if examples else [],
        "largest_weights": [
            {"name": word, "weight": round(2.5 * (-0.82) ** place, 4), "label": "spam"}
            for place, word in enumerate(WORDS if examples else [])
        ],
        "server": SERVER,
    }
    return found | {name: found[name] | value if isinstance(value, dict) else value for name, value in changes.items()}


class LiveServer:
    """A server in a thread, whose overviews tests replace. It can stop and start again on the same port."""

    def __init__(self, overviews, token=None, interval=0.1):
        self.overviews, self.token, self.interval = overviews, token, interval
        self.port, self.seen = 0, []
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def start(self):
        paths = {"/v1/models": self._names, "/v1/models/{model:path}/overview": self._overview, "/events": self._events}
        app = Starlette(routes=[*routes(), *(Route(path, endpoint) for path, endpoint in paths.items())])
        config = uvicorn.Config(app, port=self.port, log_level="critical", lifespan="off", timeout_graceful_shutdown=0)
        self.socket = config.bind_socket()
        self.port = self.socket.getsockname()[1]
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True)
        self.thread.start()

    def stop(self):
        self.server.should_exit = self.server.force_exit = True
        self.thread.join(20)
        assert not self.thread.is_alive()
        self.socket.close()

    def _refusal(self, request, model=None):
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            status, code, message = 401, "no_token", "The token is missing or not known to this server."
        elif model is not None and model not in self.overviews:
            status, code, message = 404, "unknown_model", "There is no model of this name."
        else:
            return None
        return JSONResponse({"error": {"code": code, "message": message}}, status)

    async def _names(self, request):
        return self._refusal(request) or JSONResponse({"models": list(self.overviews)})

    async def _overview(self, request):
        model = request.path_params["model"]
        return self._refusal(request, model) or JSONResponse(self.overviews[model])

    async def _events(self, request):
        model = request.query_params["model"]
        return self._refusal(request, model) or StreamingResponse(self._stream(model), media_type="text/event-stream")

    async def _stream(self, model):
        self.seen.append(model)
        while model in self.overviews and not self.server.should_exit:
            yield f"event: overview\ndata: {json.dumps(self.overviews[model])}\n\n"
            await asyncio.sleep(self.interval)

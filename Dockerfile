# An image of `novikoff serve`. docs/deploy.md says how to run it.

FROM python:3.12.12-slim-bookworm AS build
# The version of the compiler does not change what is computed, so that it is not pinned.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends g++ \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml CMakeLists.txt README.md LICENSE THIRD-PARTY.txt ./
COPY .ci/versions.txt .ci/versions.txt
COPY cpp cpp
COPY playground/page playground/page
COPY src src
RUN pip wheel --no-cache-dir --constraint .ci/versions.txt --wheel-dir /wheels ".[serve]"

FROM python:3.12.12-slim-bookworm
# Nothing is downloaded in this stage: all packages are wheels of the stage before, which has pinned their versions.
# hadolint ignore=DL3013
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels "novikoff[serve]" \
 && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin novikoff \
 && install --directory --owner=10001 --mode=0700 /state
# A container is reached from outside of its loopback interface, which needs tokens: see docs/deploy.md. The variable
# is the name of a file with their hashes.
# hadolint ignore=DL3064
ENV NOVIKOFF_SERVE_STATE=/state \
    NOVIKOFF_SERVE_HOST=0.0.0.0 \
    NOVIKOFF_SERVE_TOKENS=/state/tokens \
    OPENBLAS_NUM_THREADS=1
USER 10001
VOLUME ["/state"]
EXPOSE 8765
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8765/healthz', timeout=3)"]
ENTRYPOINT ["novikoff", "serve"]

"""
A service whose labels come later
=================================

A service predicts whether a message is spam when the message arrives, but its user says
whether it was spam only hours later, after many other messages. The model that learns
the label then differs from the model that predicted, and there are two ways of
counting mistakes: those of the predictions that users saw, and those of the model at
the time of learning. The first count is that of the service.

This example runs the server of ``novikoff serve`` inside this process, without a port,
and lets labels come back after 0, 100 and 400 further messages.
"""

import asyncio
import tempfile
from collections import deque

import httpx
import matplotlib.pyplot as plt
import numpy as np

import novikoff as nk
from novikoff.serve import create_app
from novikoff.serve.settings import Settings

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)

# %%
# The messages
# ------------
#
# Each message has eight words of 60, more than half of which are typical of its label.
# After 1,000 messages the senders of spam change their style: 12 words that were
# typical of spam become typical of other messages, and the other way round. An archive
# of 500 messages with labels is available from the start.

ARCHIVE, MESSAGES, BATCH, CHANGE = 500, 2000, 50, 1000
WORDS = np.array([f"word{k}" for k in range(60)])


def messages():
    """Return texts and labels in the order of their arrival."""
    random = np.random.default_rng(0)
    for number in range(-ARCHIVE, MESSAGES):
        is_spam = random.random() < 0.4
        order = np.roll(np.arange(60), 12 * (number >= CHANGE))
        typical = order[:30] if is_spam else order[30:]
        is_typical = random.random(8) < 0.6
        words = np.where(is_typical, random.choice(typical, 8), random.choice(60, 8))
        yield " ".join(WORDS[words]), "spam" if is_spam else "ham"


every_message = list(messages())

# %%
# The service
# -----------
#
# Messages arrive 50 at a time. ``predict_many`` gives each an id, under which the
# server keeps the prediction. When labels are known, ``label_many`` sends the ids and
# the labels. The answer tells what had been served, and whether the model would be
# wrong now, just before it learns.


async def run(client, name, delay):
    """Predict all messages, send labels ``delay`` messages later; return mistakes."""
    await client.create(name, "perceptron", hashing={"n_bits": 12})
    archive, stream = every_message[:ARCHIVE], every_message[ARCHIVE:]
    await client.learn_many(*zip(*archive, strict=True), model=name)
    waiting, served, learned = deque(), [], []
    for start in range(0, MESSAGES, BATCH):
        batch = stream[start : start + BATCH]
        ids = [f"message-{start + k}" for k in range(BATCH)]
        await client.predict_many([text for text, _ in batch], ids=ids, model=name)
        waiting.extend(zip(ids, (label for _, label in batch), strict=True))
        due = len(waiting) if start + BATCH == MESSAGES else max(0, len(waiting) - delay)
        known = [waiting.popleft() for _ in range(due)]
        if known:
            ids, labels = zip(*known, strict=True)
            answers = await client.label_many(ids, labels, model=name)
            for answer, label in zip(answers, labels, strict=True):
                served.append(answer["served"] != label)
                learned.append(answer["mistake"])
    return np.cumsum(served), np.cumsum(learned), await client.certificate(model=name)


async def serve_all(delays):
    """Start the server in this process, and run the service once for each delay."""
    with tempfile.TemporaryDirectory() as state:
        app = create_app(Settings(state=state, durability="off"))
        async with (
            app.router.lifespan_context(app),
            nk.AsyncClient(transport=httpx.ASGITransport(app)) as client,
        ):
            await client.ready()
            return {delay: await run(client, f"delay-{delay}", delay) for delay in delays}


results = asyncio.run(serve_all([0, 100, 400]))
for delay, (served, learned, _) in results.items():
    print(f"delay {delay:3}: {served[-1]} mistakes served, {learned[-1]} when learned")

# %%
numbers = np.arange(1, MESSAGES + 1)
figure, axes = plt.subplots(figsize=(7, 4.5))
for delay, style, colour in ((0, "-", BLUE), (100, "--", ORANGE), (400, ":", "black")):
    axes.plot(
        numbers, results[delay][0], style, color=colour, lw=2, label=f"served, delay {delay}"
    )
axes.plot(numbers, results[400][1], color=GREY, lw=1, label="when learned, delay 400")
axes.axvline(CHANGE, color=GREY, ls=":", lw=1)
axes.set(xlabel="messages (the words change at the dotted line)", ylabel="mistakes so far")
axes.legend(frameon=False)
plt.show()

# %%
# The model learns the same in all three cases, because the labels come in the same
# order; so the mistakes at the time of learning are the same. Those of the served
# predictions grow with the delay. Before the change of words the difference is small.
# After it, users see the predictions of a model that has not learned the change yet, for
# as long as labels take.

at_learning = {int(learned[-1]) for _, learned, _ in results.values()}
totals = [int(served[-1]) for served, _, _ in results.values()]
assert len(at_learning) == 1
assert totals == sorted(totals)

# %%
# The server counts both, and its certificate says which count a bound is about. For the
# perceptron it also bounds the served mistakes by the updates and the largest delay.
# With a delay of more than a hundred messages that bound is larger than the number of
# messages, so it says nothing here; it is useful if labels come soon.

print(results[100][2]["words"])

"""Writes a state directory of the server with records of all kinds, and what its models answer.

Run it once for each version of the log or of the snapshots: ``python tests/golden/make_state.py tests/golden/state-1``.
A directory that was written is never written again: newer versions must open it.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from engines import learned, random_examples, running

SPECIFICATIONS = {
    "perceptron": {"learner": "perceptron"},
    "tracker": {"learner": "tracker"},
    "arow": {"learner": "arow", "parameters": {"r": 2.0}, "classes": ["a", "b"]},
    "hashed": {"learner": "passive-aggressive-i", "hashing": {"n_bits": 8}},
    "joint": {"learner": "multiclass-arow"},
    "forgetful": {"learner": "averaged-perceptron"},
}
PROBES = [example["x"] for example in random_examples(8, seed=7)]


def facts(client, name):
    """Return what a model has learned and answers, as JSON has it."""
    model = client.model(name)
    answers = [client.predict(name, {"x": x}) for x in PROBES]
    counts = {arm: own[1] for arm, own in learned(model)[3].items()}
    return json.loads(json.dumps({"examples": model.examples, "counts": counts, "answers": answers}))


def fill(client):
    """Learn, predict and label in models of several kinds."""
    for place, (name, specification) in enumerate(SPECIFICATIONS.items()):
        client.create(name, specification)
        classes = ("a", "b", "c") if name == "joint" else ("a", "b")
        examples = random_examples(60, seed=place, classes=classes)
        client.learn(name, examples[:20])
        client.learn(name, [own | {"id": f"{name}-{k}", "weight": 2.0} for k, own in enumerate(examples[20:30])])
        client.engine.add_shadow(name, "other", {"learner": "perceptron"}).result(20)
        client.stream(name, examples[30:50])
        for k, own in enumerate(examples[50:]):
            client.predict(name, {"x": own["x"], "id": f"late-{k}"})
        for k, own in enumerate(examples[50:58]):
            client.learn(name, {"id": f"late-{k}", "y": own["y"]})
    examples = random_examples(300, seed=8)
    decimals = [own | {"x": {name: round(x, 3) for name, x in own["x"].items()}} for own in examples]
    client.learn("tracker", decimals)
    client.learn("hashed", {"text": "words and more words", "y": "a"})
    client.engine.copy("perceptron", "copy").result(20)
    client.learn("copy", random_examples(5, seed=9))
    client.engine.remove_shadow("arow", "other").result(20)
    client.create("deleted")
    client.learn("deleted", random_examples(3))
    client.engine.delete("deleted").result(20)


def main():
    directory = Path(sys.argv[1])
    directory.mkdir()  # an error if it exists: it is never written again
    with running(directory / "state", durability="full", snapshot_every=25) as client:
        fill(client)
        found = {name: facts(client, name) for name in client.engine.names()}
    (directory / "state" / "lock").unlink(missing_ok=True)
    (directory / "expected.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

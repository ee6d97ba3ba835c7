"""
Spam in a stream
================

A mail server has to judge every message when it arrives. Afterwards its user reads the
message and says whether it was spam, and the filter should learn from that answer at
once. There is no training set, nobody knows in advance which words will occur, and the
senders of spam change their words from time to time.

An online learner fits this task: it predicts one message, learns from its label, and
forgets the message. This example runs such a filter over 6,000 generated messages and
counts the mistakes of the predictions, each of which was made before the label was
known.
"""

import matplotlib.pyplot as plt
import numpy as np

import novikoff as nk

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)

# %%
# The messages
# ------------
#
# A message is a dict from words to counts. Ordinary messages and spam share most of
# their words. One message in four is spam, and every 2,000 messages a new campaign
# begins, which has its own words.

ORDINARY = ["meeting", "lunch", "report", "tomorrow", "thanks", "draft", "train", "weekend"]
CAMPAIGNS = [
    ["prize", "winner", "claim", "lottery", "ticket", "jackpot", "lucky", "draw"],
    ["loan", "credit", "approved", "interest", "rate", "debt", "cash", "bank"],
    ["parcel", "fee", "customs", "delivery", "courier", "tracking", "address", "release"],
]
SHARED = [f"word{k}" for k in range(1000)]
MESSAGES, CAMPAIGN_LENGTH = 6000, 2000


def message(random, number):
    """Return the words of one message with their counts, and its label."""
    is_spam = random.random() < 0.25
    typical = CAMPAIGNS[number // CAMPAIGN_LENGTH] if is_spam else ORDINARY
    other = ORDINARY if is_spam else CAMPAIGNS[number // CAMPAIGN_LENGTH]
    words = [*random.choice(typical, size=2), *random.choice(SHARED, size=12)]
    words += [*random.choice(other, size=random.binomial(2, 0.15))]
    counts = {str(word): float(words.count(word)) for word in words}
    return counts, "spam" if is_spam else "ham"


random = np.random.default_rng(0)
stream = [message(random, number) for number in range(MESSAGES)]
print(stream[0])

# %%
# Predict, then learn
# -------------------
#
# ``nk.Tracker()`` needs no parameters: it runs two online learners and predicts with
# the one that has made fewer mistakes of late. ``nk.evaluate.progressive`` hands it one
# message at a time, asks for the prediction, and gives it the label afterwards.
# Features and labels need not be declared.

model = nk.Tracker()
progress = nk.evaluate.progressive(model, stream, every=100)
records = list(progress)
last = records[-1]
print(f"{last.examples} messages, {last.mistakes} mistakes")
print(f"accuracy {last.accuracy:.1%}")
print(f"accuracy of the most frequent label so far: {last.baseline:.1%}")

# %%
# The filter is right in most cases, but it has to learn the words of each campaign from
# its own mistakes. So there are more of them at the start, and in the 500 messages
# after a change than in the 500 before it.

at = {record.examples: record.mistakes for record in records}
for change in range(CAMPAIGN_LENGTH, MESSAGES, CAMPAIGN_LENGTH):
    before, after = at[change] - at[change - 500], at[change + 500] - at[change]
    print(f"new campaign at {change}: {before} mistakes before, {after} after")
    assert before < after

figure, (total, recent) = plt.subplots(2, 1, figsize=(7, 5.5), sharex=True)
total.plot([0, *at], [0, *at.values()], color=BLUE, lw=2)
total.set(ylabel="mistakes so far", ylim=(0, None))
since = [record.mistakes_since for record in records]
recent.bar(list(at), since, width=-85, align="edge", color=BLUE)
recent.set(xlabel="messages", ylabel="mistakes per 100 messages", xlim=(0, MESSAGES))
for axes in (total, recent):
    for number in range(CAMPAIGN_LENGTH, MESSAGES, CAMPAIGN_LENGTH):
        axes.axvline(number, color=ORANGE, ls=":")
        top = 0.93 * axes.get_ylim()[1]
        axes.annotate(" new campaign", (number, top), color=ORANGE)
plt.show()

# %%
# What it has learned
# -------------------
#
# The weights have the names of the words; a positive weight means spam. Typical words
# have the largest weights. The words of the first campaign have kept theirs, although
# they have not occurred for 4,000 messages, so the filter would recognise the campaign
# again.

learned = model.weights_
groups = {"shared words": SHARED, "ordinary words": ORDINARY}
groups |= {f"campaign {k}": words for k, words in enumerate(CAMPAIGNS, start=1)}
figure, axes = plt.subplots(figsize=(7, 3.2))
for height, (name, words) in enumerate(groups.items()):
    weights = [learned.get(word, 0.0) for word in words]
    colour, marker = {"s": (GREY, "|"), "o": (BLUE, "o"), "c": (ORANGE, "^")}[name[0]]
    axes.plot(weights, np.full(len(words), height), marker, color=colour, alpha=0.7)
axes.axvline(0, color=GREY, lw=1)
axes.set_yticks(range(len(groups)), groups)
axes.set(xlabel="weight (positive: spam)", ylim=(-0.5, len(groups) - 0.5))
plt.show()

# %%
# The certificate counts the mistakes of the tracker and of its two members. Its bound is
# about decayed mistakes, where earlier ones count less: the tracker can have at most
# twice as many of them as its better member, and one more.

print(model.certificate_)

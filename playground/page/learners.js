// The learners: their numbers in the kernels, their settings, and what is proven about them.

const KINDS = { perceptron: 0, fixedMargin: 1, dynamicMargin: 2, passiveAggressiveI: 3, passiveAggressiveII: 4, arow: 5 };
const KEEPS = { last: 0, average: 1, votes: 2 };

/** (R/gamma)^2 (docs/theory.md A4). */
function novikoffBound(radius, margin) {
  return margin > 0 ? (radius / margin) ** 2 : Infinity;
}

/** The largest number of updates with the threshold (1 - epsilon) gamma (C2). */
function fixedMarginBound(radius, margin, epsilon) {
  if (!(margin > 0)) return Infinity;
  const ratio = radius / (epsilon * margin);
  return 2 * ratio + 2 * ratio * ratio;
}

/** The largest M with gamma M <= sqrt(s_M), for s_1 = R^2 and s_(M+1) = (1 + 2 (1 - epsilon) / M) s_M + R^2 (C4). */
function dynamicMarginBound(radius, margin, epsilon) {
  if (!(margin > 0)) return Infinity;
  const ratio = margin / radius;
  let square = 1; // s_M / R^2
  for (let M = 1; M <= 1e6; ++M) {
    if (ratio * M > Math.sqrt(square) * (1 + 1e-12)) return M - 1;
    square = (1 + (2 * (1 - epsilon)) / M) * square + 1;
  }
  return Infinity;
}

/** The bounds on |v| after these numbers of updates, in ascending order (C2 and C4); R sqrt(M) for other than margin perceptrons. */
function lengthBounds(state, radius, margin, counts) {
  if (state.learner !== "margin") return counts.map((M) => radius * Math.sqrt(M));
  if (state.threshold === "known") {
    const first = radius + (radius * radius) / (state.epsilon * margin);
    return counts.map((M) => (M > 0 ? first + (1 - state.epsilon / 2) * margin * M : 0));
  }
  let [M, square] = [1, radius * radius];
  return counts.map((count) => {
    for (; M < count; ++M) square = (1 + (2 * (1 - state.epsilon)) / M) * square + radius * radius;
    return count > 0 ? Math.sqrt(square) : 0;
  });
}

const PERCEPTRON_THEOREM = {
  title: "The mistake bound of Block and Novikoff",
  words: [
    "If some line has every point on its right side with margin γ, and no |u| is larger than R, then the perceptron makes at most (R/γ)² mistakes, in any order and however often the points come.",
    "Proof. Every mistake adds at least γ to the projection of v on the best unit vector v*, because y v*·u ≥ γ: after M mistakes it is at least Mγ. Every mistake adds at most R² to |v|², because y v·u ≤ 0: after M mistakes |v| is at most R√M. A projection is never longer than the vector, so Mγ ≤ R√M, and M ≤ (R/γ)².",
  ],
  sources: ["Theory A4 and A5", "Note 0, claims 0.5 to 0.8", "Note 3, claim 3.3"],
};

const LEARNERS = {
  perceptron: {
    name: "Perceptron", python: "Perceptron", family: "online", kind: "perceptron", keep: "last", settings: [],
    rule: "Predict the sign of v·u, where u = (x, 1). On a mistake, add y u to v.",
    theorem: PERCEPTRON_THEOREM, counts: "mistakes", bound: ({ radius, margin }) => novikoffBound(radius, margin), boundText: "(R/γ)²",
  },
  averaged: {
    name: "Averaged perceptron", python: "AveragedPerceptron", family: "online", kind: "perceptron", keep: "average", settings: [],
    rule: "Learn as the perceptron does, and predict with the average of the weights after all examples so far.",
    theorem: {
      title: "The average of a perceptron that halts",
      words: [
        "The perceptron behind the average makes at most (R/γ)² mistakes. The average is what predicts new points: it is steadier than the last weights, because each hypothesis counts with the number of examples that it survived.",
      ],
      sources: ["Theory A4 and G", "Note 0, claim 0.8"],
    },
    counts: "mistakes", bound: ({ radius, margin }) => novikoffBound(radius, margin), boundText: "(R/γ)²",
  },
  voted: {
    name: "Voted perceptron", python: "VotedPerceptron", family: "online", kind: "perceptron", keep: "votes", settings: [],
    rule: "Learn as the perceptron does, and let all hypotheses vote, each with the number of examples that it survived.",
    theorem: {
      title: "A vote of all hypotheses",
      words: [
        "The perceptron behind the vote makes at most (R/γ)² mistakes. If the examples are independent draws, a vote of the hypotheses of one pass errs on a new example with a probability that the number of mistakes bounds. The boundary of a vote need not be a line.",
      ],
      sources: ["Theory A4 and G1", "Note 0, claim 0.8"],
    },
    counts: "mistakes", bound: ({ radius, margin }) => novikoffBound(radius, margin), boundText: "(R/γ)²",
  },
  margin: {
    name: "Margin perceptron", python: "MarginPerceptron", family: "online", kind: "dynamicMargin", keep: "last",
    settings: ["epsilon", "threshold"],
    rule: "Add y u to v on a mistake, and also where the margin y v·u / |v| is below a threshold θ.",
    theorem: {
      title: "A margin from below and from above",
      words: [
        "v is a sum of M vectors y u. A separator of margin γ has y v*·u ≥ γ for each of them, so |v| ≥ Mγ: no margin can exceed |v|/M, whatever the separator.",
        "With θ = (1 − ε)|v|/M the rule asks for a fraction of that bound. When no example is below it, every margin is at least θ, and the largest one is at most |v|/M: the margin reached is at least 1 − ε times the best.",
      ],
      sources: ["Theory B and C1 to C4", "Note 1, claims 1.4 to 1.12"],
    },
    counts: "updates",
    bound: ({ radius, margin, state }) => (state.threshold === "known" ? fixedMarginBound : dynamicMarginBound)(radius, margin, state.epsilon),
    boundText: "bound of C2 or C4",
  },
  pa1: {
    name: "Passive-aggressive I", python: "PassiveAggressiveI", family: "online", kind: "passiveAggressiveI", keep: "last", settings: ["C"],
    rule: "If y v·u < 1, take the smallest step that makes it 1, but at most C: v += τ y u with τ = min(C, (1 − y v·u)/|u|²).",
    theorem: {
      title: "The smallest change that corrects an example",
      words: [
        "For a separator of margin γ, PA-I makes at most max(R², 1/C)/γ² mistakes. Each mistake brings v closer to v*/γ: the squared distance falls by at least min(C, 1/R²), it begins at 1/γ², and it is never negative.",
      ],
      sources: ["Theory I2", "Crammer et al. 2006, theorem 4"],
    },
    counts: "mistakes", bound: ({ radius, margin, state }) => (margin > 0 ? Math.max(radius * radius, 1 / state.C) / (margin * margin) : Infinity),
    boundText: "max(R², 1/C)/γ²",
  },
  pa2: {
    name: "Passive-aggressive II", python: "PassiveAggressiveII", family: "online", kind: "passiveAggressiveII", keep: "last", settings: ["C"],
    rule: "If y v·u < 1, step towards y v·u = 1 by τ = (1 − y v·u)/(|u|² + 1/(2C)): v += τ y u.",
    theorem: {
      title: "A shorter step, for the squared slack",
      words: [
        "For a separator of margin γ, PA-II makes at most (R² + 1/(2C))/γ² mistakes. Each mistake lowers the squared distance of v from v*/γ by at least 1/(R² + 1/(2C)); it begins at 1/γ², and it is never negative.",
      ],
      sources: ["Theory I2", "Crammer et al. 2006, theorem 5"],
    },
    counts: "mistakes", bound: ({ radius, margin, state }) => (margin > 0 ? (radius * radius + 1 / (2 * state.C)) / (margin * margin) : Infinity),
    boundText: "(R² + 1/(2C))/γ²",
  },
  arow: {
    name: "AROW", python: "AROW", family: "online", kind: "arow", keep: "last", settings: ["r"],
    rule: "Each weight has a variance, 1 at first. Where y v·u < 1, weights with a large variance change most, and the variances shrink.",
    theorem: {
      title: "The number of updates, whatever caused them",
      words: [
        "Let z be the sum of y u over the updates and A any positive diagonal matrix. For v*/γ, which has no loss, the number of updates is at most √(v*′A v*) √(z′A⁻¹z)/γ, by Cauchy and Schwarz. Here A has the inverse variances that AROW found.",
        "The mistake bound of the paper is about the full covariance matrix. It does not hold for variances alone, and is not claimed.",
      ],
      sources: ["Theory L1 and L3", "Crammer, Kulesza and Dredze 2009"],
    },
    counts: "updates", bound: ({ margin, sums }) => (sums ? Math.sqrt(sums.comparator) * Math.sqrt(sums.model) / margin : Infinity), boundText: "√(v*′A v*) √(z′A⁻¹z)/γ",
  },
  hard: {
    name: "Hard margin", python: "HardMarginSVM", family: "batch", settings: [],
    rule: "Among all lines that separate the points, find the one with the largest margin.",
    theorem: {
      title: "The largest margin is half the distance of the hulls",
      words: [
        "Any separating line proves a lower bound, its own margin. Any two points of the convex hulls of the classes prove an upper bound, half of their distance, because a line of margin γ has the hulls at least 2γ apart. Each step moves the two points towards each other; the bounds meet at the nearest points.",
      ],
      sources: ["Theory E1 and E2", "Note 4, claims 4.6 and 4.7"],
    },
    theoremThroughOrigin: {
      title: "The largest margin is the distance of the origin from a hull",
      words: [
        "Without an intercept a line passes through the origin, and the points that matter are y x: the negative ones are reflected at the origin. Any separating line proves a lower bound, its own margin. Any point of the convex hull of the y x proves an upper bound, its distance from the origin, because a line of margin γ has the whole hull at least γ away. Each step moves the point towards the origin; the bounds meet at the nearest point.",
      ],
      sources: ["Theory E2", "Note 4, claims 4.6 and 4.7"],
    },
  },
  soft: {
    name: "Soft margin", python: "LinearSVM", family: "batch", settings: ["C", "loss"],
    rule: "Minimise ½|w|² plus C times the sum of the slacks, by which points miss their margin.",
    theorem: {
      title: "Every dual point bounds the objective from below",
      words: [
        "Let P be the objective ½|w|² + C Σξ with ξ = max(0, 1 − y f(x)). Every a with 0 ≤ a ≤ C and Σ y a = 0 gives a number D(a) = Σa − ½|Σ a y x|² that no P can be below. So no model can lower P by more than the gap P − D.",
        "The squared hinge has ξ² in place of ξ, no upper limit on a, and D is smaller by Σa²/(4C).",
      ],
      sources: ["Theory E3", "Note 4, claims 4.8 to 4.10"],
    },
  },
};

// Sets of points to begin with. Those that are drawn at random depend on the seed alone.

/** Numbers with mean 0 and variance 1: sums of twelve uniform ones, which every browser rounds in the same way. */
function nearlyNormal(uniform) {
  return Array.from({ length: Math.floor(uniform.length / 12) }, (_, k) => uniform.slice(12 * k, 12 * k + 12).reduce((p, q) => p + q, -6));
}

function rounded(value, digits = 2) {
  return Number(value.toFixed(digits)) + 0;
}

/** Two clouds with centres at these places, as many points in each, in turn. */
function clouds(kernels, seed, perClass, positive, negative, spread) {
  const draws = nearlyNormal(kernels.uniform(48 * perClass, seed));
  return Array.from({ length: 2 * perClass }, (_, i) => {
    const [x, y] = i % 2 === 0 ? positive : negative;
    return { x: rounded(x + spread * draws[2 * i]), y: rounded(y + spread * draws[2 * i + 1]), label: i % 2 === 0 ? 1 : -1 };
  });
}

/** Points on both sides of a line, none nearer to it than the margin. */
function strip(kernels, seed, count, margin) {
  const uniform = kernels.uniform(2 * count, seed);
  return Array.from({ length: count }, (_, i) => {
    const label = i % 2 === 0 ? 1 : -1;
    const along = 6 * uniform[2 * i] - 3;
    const away = label * (margin + (2.4 - margin) * uniform[2 * i + 1]);
    return { x: rounded(0.8 * along - 0.6 * away + 0.3, 3), y: rounded(0.6 * along + 0.8 * away - 0.2, 3), label };
  });
}

function pairsOf(text) {
  return text.trim().split(" ").map((pair) => pair.split(",").map(Number));
}

const PRESETS = {
  wide: { name: "Wide margin", make: (kernels, seed) => strip(kernels, seed, 24, 0.8) },
  narrow: { name: "Narrow margin", make: (kernels, seed) => strip(kernels, seed, 24, 0.12) },
  gaussians: { name: "Two Gaussians", make: (kernels, seed) => clouds(kernels, seed, 40, [1.2, 1], [-1.2, -0.8], 0.95) },
  flipped: {
    name: "One flipped label",
    make: (kernels, seed) => strip(kernels, seed, 24, 0.7).map((point, i) => (i === 7 ? { ...point, label: -point.label } : point)),
  },
  touching: {
    name: "Touching classes",
    make: () => [
      [-2, 1, 1], [0, 1, 1], [2, 1, 1], [-1, 2.5, 1], [1.5, 2, 1], [0, 1, -1], [-2, -0.5, -1], [2, -0.5, -1], [0, -2, -1], [-1, -1.5, -1],
    ].map(([x, y, label]) => ({ x, y, label })),
  },
  xor: {
    name: "XOR",
    make: () => [[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]].map(([x, y, label]) => ({ x, y, label })),
  },
  iris: {
    name: "Iris: petals of two species",
    make: () => pairsOf(IRIS).map(([x, y], i) => ({ x, y, label: i < 50 ? -1 : 1 })),
  },
  tumours: {
    name: "Tumours: two principal components",
    make: () => pairsOf(TUMOURS).map(([x, y], i) => ({ x, y, label: TUMOUR_LABELS[i] === "p" ? 1 : -1 })),
  },
  empty: { name: "No points", make: () => [] },
};

// AROW, adaptive regularisation of weights (Crammer, Kulesza and Dredze 2009), with one variance per column.
#pragma once

#include <cmath>

#include "novikoff/diagonal_variance.hpp"

namespace novikoff {

/// For an example (u, y), the distribution N(w, S) becomes the one that minimises
///
///   KL(N(w, S) | N(w_old, S_old)) + max(0, 1 - y w.u)^2 / (2r) + u'S u / (2r).
///
/// With V = u'S_old u and the loss l = 1 - y w_old.u > 0: w = w_old + l/(V + r) y S_old u, and 1/s_j += u_j^2/r. Without loss
/// there is no update. A fraction p of an example multiplies both losses, which is the same as r/p in place of r.
///
/// `floor` is the smallest variance: it lets the weights follow a stream whose target moves. The mistake bound of the paper is
/// about the full matrix, and is not claimed here: docs/theory.md L3.
///
/// `state` is the variances of a binary problem, or those of two classes that are learned together.
struct DiagonalArowRule {
  using State = DiagonalVariance;
  static constexpr bool sums_updates = true;

  double r = 1, floor = 0;

  double quiet_margin(double, double) const { return 1; }

  Change update(const auto& x, const SecondOrderInput& s, auto w, auto& state) const {
    const double loss = 1 - s.margin();
    if (!(loss > 0)) return Change::none;
    const double slack = r / s.weight, along = loss / (state.of_score(x, s) + slack);
    state.update(x, s, std::isfinite(along) ? along : 0.0, 1 / slack, floor, w);
    return Change::weights;
  }
};

}  // namespace novikoff

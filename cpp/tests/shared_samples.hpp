// Batches of a sample for a learner behind its lock, with the scores before each example.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "novikoff/shared_learner.hpp"
#include "novikoff/turns.hpp"
#include "samples.hpp"

inline void learn(Learner& learner, Sample& sample, std::size_t begin, std::size_t end, std::span<double> scores = {}) {
  Turns turns;
  std::vector<std::span<double>> places;
  if (!scores.empty()) places.push_back(scores);
  turns.write();
  learn_all(learner, AnyRows(sample.rows()), sample.batch(begin, end), places, 1, turns);
  turns.end_write();
}

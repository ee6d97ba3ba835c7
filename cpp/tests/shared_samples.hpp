// Batches of a sample for a learner, with the scores before each example.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "novikoff/learn_batch.hpp"
#include "samples.hpp"

inline void learn(Learner& learner, Sample& sample, std::size_t begin, std::size_t end, std::span<double> scores = {}) {
  std::vector<std::span<double>> places;
  if (!scores.empty()) places.push_back(scores);
  learn_all(learner, AnyRows(sample.rows()), sample.batch(begin, end), places, 1);
}

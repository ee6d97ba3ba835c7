// An online learner: blocks of problems that learn from each row at once, and the Python class ClassBlock.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "bindings.hpp"
#include "novikoff/batch.hpp"
#include "novikoff/many_classes.hpp"
#include "online_learner.hpp"

using namespace novikoff;

std::unique_ptr<novikoff::ClassBlock> OnlineLearner::block_of(const std::vector<std::size_t>& problems) {
  return read([&](auto&, auto&) {
    for (std::size_t q : problems) check_problem(q);
    check_separate();
    if (problems.size() < 2 || problems.size() > novikoff::ClassBlock::most || votes_ || memory_)
      throw std::invalid_argument("a block has 2 to 8 problems without votes, which forget nothing.");
    return std::make_unique<novikoff::ClassBlock>(learner_, problems);
  });
}

void OnlineLearner::release(novikoff::ClassBlock& block) {
  read([&](auto&, auto&) { block.release(); });
}

OnlineLearner::Reports OnlineLearner::learn_block(novikoff::ClassBlock& block, const RowsInMemory& rows, Codes codes,
                                                  std::optional<Numbers> weights, Numbers squared_norms, Order order,
                                                  Matrix<double> duals) {
  const novikoff::Batch batch = batch_of(rows, codes, weights, squared_norms, order, std::nullopt, 0, rows.count());
  if (duals.shape(0) != rows.count() || duals.shape(1) != block.size())
    throw std::invalid_argument("duals must have one row per row, and one entry per problem in each.");
  std::vector<novikoff::PassReport> reports(block.size());
  read([&](auto&, auto&) { block.learn(rows.view, batch, {{duals.data(), duals.size()}, block.size()}, reports); });
  Reports found;
  for (const novikoff::PassReport& r : reports) found.emplace_back(r.moved, r.mistaken, r.smallest_margin);
  return found;
}

void bind_online_blocks(nb::module_& m, OnlineClass& learner) {
  using nb::arg;
  nb::class_<ClassBlock>(m, "ClassBlock", "Some problems of a learner that learn together.");
  learner.def("block_of", &OnlineLearner::block_of, arg("problems"), nb::keep_alive<0, 1>())
      .def("release", &OnlineLearner::release, arg("block"))
      .def("learn_block", &OnlineLearner::learn_block, arg("block"), arg("rows"), arg("codes").noconvert(),
           arg("weights").noconvert().none(), arg("squared_norms").noconvert(), arg("order").noconvert().none(),
           arg("duals").noconvert());
}

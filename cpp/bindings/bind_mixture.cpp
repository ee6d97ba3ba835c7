// Binding for mixtures of learners.
#include <stdexcept>

#include "bindings.hpp"
#include "novikoff/mixture.hpp"

namespace {

void mix_arrays(double decay, const Vector<double>& decayed, const Vector<double>& whole, const Vector<double>& part,
                const Vector<const std::int32_t>& predictions, const Vector<const std::int32_t>& labels,
                const Vector<const double>& amounts, const Vector<std::int32_t>& leaders) {
  const std::size_t count = decayed.size(), rows = labels.size();
  const bool fit = count > 1 && whole.size() == count && part.size() == count && predictions.size() == (count - 1) * rows &&
                   amounts.size() == rows && leaders.size() == rows;
  if (!fit) throw std::invalid_argument("the arrays do not fit each other");
  const novikoff::MixtureCounts counts{span_of(decayed), span_of(whole), span_of(part)};
  nb::gil_scoped_release unlocked;
  novikoff::mix(decay, counts, span_of(predictions), span_of(labels), span_of(amounts), span_of(leaders));
}

}  // namespace

void bind_mixture(nb::module_& m) {
  m.def("mix", &mix_arrays, nb::arg("decay"), nb::arg("decayed").noconvert(), nb::arg("whole").noconvert(),
        nb::arg("part").noconvert(), nb::arg("predictions"), nb::arg("labels"), nb::arg("amounts"),
        nb::arg("leaders").noconvert(), "Name the leader of a mixture before each example, and count mistakes.");
}

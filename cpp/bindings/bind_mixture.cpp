// Binding for mixtures of learners.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "novikoff/mixture.hpp"

using namespace novikoff;

namespace {

Vote vote_of(const std::string& name) {
  if (name == "leader") return Vote::leader;
  if (name == "majority") return Vote::majority;
  if (name == "share") return Vote::share;
  throw std::invalid_argument("unknown vote");
}

void mix(const std::string& vote, double decay, double beta, double share, const Vector<double>& decayed,
         const Vector<double>& whole, const Vector<double>& part, const Vector<double>& weights, const Vector<double>& fewest,
         const Vector<const std::int32_t>& predictions, const Vector<const std::int32_t>& labels,
         const Vector<const double>& amounts, const Vector<std::int32_t>& chosen,
         const std::optional<Vector<std::int32_t>>& leaders) {
  const std::size_t members = decayed.size() - 1, rows = labels.size();
  const bool fit = decayed.size() > 1 && whole.size() == members + 1 && part.size() == members + 1 &&
                   weights.size() == members && fewest.size() % members == 0 && predictions.size() == members * rows &&
                   amounts.size() == rows && chosen.size() == rows && (!leaders || leaders->size() == rows);
  if (!fit) throw std::invalid_argument("the arrays do not fit each other");
  const Mixture mixture{vote_of(vote), decay, beta, share};
  const MixtureCounts counts{span_of(decayed), span_of(whole), span_of(part), span_of(weights), span_of(fewest)};
  const std::span<std::int32_t> led = leaders ? span_of(*leaders) : std::span<std::int32_t>{};
  nb::gil_scoped_release unlocked;
  MixturePass(mixture, counts).run(span_of(predictions), span_of(labels), span_of(amounts), span_of(chosen), led);
}

}  // namespace

void bind_mixture(nb::module_& m) {
  m.def("mix", &mix, nb::arg("vote"), nb::arg("decay"), nb::arg("beta"), nb::arg("share"), nb::arg("decayed").noconvert(),
        nb::arg("whole").noconvert(), nb::arg("part").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("fewest").noconvert(), nb::arg("predictions"), nb::arg("labels"), nb::arg("amounts"),
        nb::arg("chosen").noconvert(), nb::arg("leaders").noconvert() = nb::none(),
        "Predict examples by the predictions of the members of a mixture, and count mistakes.");
  m.def(
      "power", [](double beta, double exponent) { return Power(beta)(exponent); }, nb::arg("beta"), nb::arg("exponent"),
      "Return beta^exponent as a mixture computes it, with the same bits on every machine.");
}

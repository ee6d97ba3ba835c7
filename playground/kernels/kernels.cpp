// The kernels of the library for the playground: a C interface that `make play` compiles to WebAssembly.
//
// JavaScript creates Points, fills in coordinates and codes, and asks for runs. A run is computed at once and recorded; to step
// through it is to read the records. Whoever creates an object frees it.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "batch_run.hpp"
#include "online_run.hpp"
#include "points.hpp"

using namespace novikoff;
using namespace novikoff::play;

#define EXPORTED(name) extern "C" __attribute__((export_name(name)))

namespace {

struct OnlineRecord {
  std::vector<Visit> visits;
  bool has_converged = false;
};

}  // namespace

// The kernels throw on settings that JavaScript never passes, and this target has no exceptions: a throw ends the module.
extern "C" void* __cxa_allocate_exception(std::size_t) noexcept { __builtin_trap(); }
extern "C" [[noreturn]] void __cxa_throw(void*, void*, void (*)(void*)) { __builtin_trap(); }

EXPORTED("points_new") Points* points_new(std::size_t count) { return new Points(count); }
EXPORTED("points_free") void points_free(Points* points) { delete points; }
EXPORTED("points_coordinates") double* points_coordinates(Points* points) { return points->coordinates.data(); }
EXPORTED("points_codes") std::int32_t* points_codes(Points* points) { return points->codes.data(); }
EXPORTED("points_measure") void points_measure(Points* points) { points->measure(); }

/// Runs an online learner until it has converged, or made all passes, or `max_visits` visits.
EXPORTED("online_new")
OnlineRecord* online_new(const Points* points, std::int32_t kind, std::int32_t keep, double parameter, bool intercept,
                         bool shuffled, std::uint32_t seed, std::size_t max_passes, std::size_t max_visits) {
  OnlineLearner learner(*points,
                        {static_cast<Kind>(kind), static_cast<Keep>(keep), parameter, intercept, shuffled, seed, max_passes});
  auto* const record = new OnlineRecord;
  while (!learner.has_ended() && record->visits.size() < max_visits) record->visits.push_back(learner.visit());
  record->has_converged = learner.has_converged();
  return record;
}
EXPORTED("online_free") void online_free(OnlineRecord* record) { delete record; }
EXPORTED("online_visits") const Visit* online_visits(const OnlineRecord* record) { return record->visits.data(); }
EXPORTED("online_count") std::size_t online_count(const OnlineRecord* record) { return record->visits.size(); }
EXPORTED("online_converged") bool online_converged(const OnlineRecord* record) { return record->has_converged; }
EXPORTED("online_fields") std::size_t online_fields() { return sizeof(Visit) / sizeof(double); }

/// The votes of the voted perceptron after so many visits, at places of the plane: from -1 to 1. The places are overwritten
/// with the votes, two numbers by one.
EXPORTED("votes_at")
void votes_at(const Points* points, bool intercept, bool shuffled, std::uint32_t seed, std::size_t visits, double* places,
              std::size_t count) {
  OnlineLearner learner(*points, {Kind::perceptron, Keep::votes, 0, intercept, shuffled, seed, SIZE_MAX});
  for (std::size_t i = 0; i < visits; ++i) learner.visit();
  const Hypothesis& h = learner.hypothesis();
  std::vector<double> scratch(scratch_size(h, 2));
  const DenseRows<double> rows{places, count, 2, 2, 1};
  for (std::size_t i = 0; i < count; ++i) places[i] = score(h, rows[i], 2, Tie::mistake, scratch);
}

EXPORTED("hard_margin_new")
Frames* hard_margin_new(const Points* points, std::int32_t intercept, std::size_t max_steps, double tol) {
  auto* const frames = new Frames(points->count());
  HardMargin(*points, static_cast<Intercept>(intercept)).solve(max_steps, tol, *frames);
  return frames;
}
EXPORTED("soft_margin_new")
Frames* soft_margin_new(const Points* points, double C, bool squared, bool intercept, std::size_t max_steps, double tol) {
  auto* const frames = new Frames(points->count());
  SoftMargin(*points, C, squared, intercept).solve(max_steps, tol, *frames);
  return frames;
}
EXPORTED("frames_free") void frames_free(Frames* frames) { delete frames; }
EXPORTED("frames_count") std::size_t frames_count(const Frames* frames) { return frames->count(); }
EXPORTED("frames_data") const double* frames_data(const Frames* frames) { return frames->data(); }
EXPORTED("frame_fields") std::size_t frame_fields_count() { return frame_fields; }

EXPORTED("numbers_new") double* numbers_new(std::size_t count) { return new double[count]; }
EXPORTED("numbers_free") void numbers_free(double* numbers) { delete[] numbers; }

/// Fills in uniform random numbers from 0 to 1, of the generator that orders the rows.
EXPORTED("fill_uniform") void fill_uniform(double* numbers, std::size_t count, std::uint32_t seed) {
  Random random{seed};
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(random.next() >> 11) * 0x1p-53;
}

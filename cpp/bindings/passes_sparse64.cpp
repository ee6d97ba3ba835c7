// The passes of online learners over sparse rows with 64-bit column numbers.
#include <cstdint>

#include "novikoff/rows.hpp"
#include "novikoff/rule_passes.hpp"

namespace novikoff {

template struct RulePasses<CsrRows<float, std::int64_t>>;
template struct RulePasses<CsrRows<double, std::int64_t>>;
template void learn_seen(Learner&, const SparseRow<float, std::int64_t>&, double, std::int32_t, double);
template void learn_seen(Learner&, const SparseRow<double, std::int64_t>&, double, std::int32_t, double);

}  // namespace novikoff

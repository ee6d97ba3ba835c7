// The passes of online learners over dense rows.
#include <cstdint>

#include "novikoff/rows.hpp"
#include "novikoff/rule_passes.hpp"

namespace novikoff {

template struct RulePasses<DenseRows<float>>;
template struct RulePasses<DenseRows<double>>;
template void learn_seen(Learner&, const DenseRow<float>&, double, std::int32_t, double);
template void learn_seen(Learner&, const DenseRow<double>&, double, std::int32_t, double);

}  // namespace novikoff

#include "bindings.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The compiled kernels of novikoff.";
  bind_rows(m);
  bind_keys(m);
  bind_online(m);
}

#include "bindings.hpp"

void bind_class_descent(nb::module_& m);

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // models still alive when the interpreter ends are not an error
  m.doc() = "The compiled kernels of novikoff.";
  bind_rows(m);
  bind_hashing(m);
  bind_online(m);
  bind_batch(m);
  bind_crammer_singer(m);
  bind_class_descent(m);
  bind_products(m);
  bind_mixture(m);
  bind_svmlight(m);
  bind_delimited(m);
  bind_json(m);
  bind_encoding(m);
  bind_examples(m);
  bind_answers(m);
  bind_exit(m);
}

// Runs the tests of all files that are linked with this one.
#include "check.hpp"

int main() { return check::run_all(); }

#include "maximum.h"
#include "harness/maximum_reference.h"
#include "harness/program.h"

int main(int argc, char** argv) {
  return run_program({maximum, maximum_reference, [](std::size_t) { return 0.0; }}, argc, argv);
}

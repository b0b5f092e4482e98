#include "maximum.h"
#include "maximum_reference.h"
#include "program.h"

int main(int argc, char** argv) {
  return run_program({maximum, maximum_reference, [](std::size_t) { return 0.0; }}, argc, argv);
}

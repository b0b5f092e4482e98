#include "harness/program.h"
#include "harness/reference.h"
#include "transpose.h"

int main(int argc, char** argv) {
  return run_program({transpose, transpose_reference}, argc, argv);
}

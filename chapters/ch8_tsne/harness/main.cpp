#include "distances.h"
#include "harness/program.h"

int main(int argc, char** argv) {
  return run_program({squared_distances, workspace_bytes, error_bound}, argc, argv);
}

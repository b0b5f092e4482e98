#include "baselines/map.h"
#include "harness/map_reference.h"
#include "harness/program.h"

int main(int argc, char** argv) {
  return run_program({[](const double* d_in, double* d_out, std::size_t size, void*,
                         cudaStream_t stream) { map_log_density(d_in, d_out, size, stream); },
                      map_reference, [](std::size_t) { return 0.0; }},
                     argc, argv);
}

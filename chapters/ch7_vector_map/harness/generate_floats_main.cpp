#include "generate_floats/generate_float.h"
#include "harness/generated_numbers.h"

namespace {

struct Floats final : GeneratedNumbers<float> {
  Floats(const MapSize& size, std::uint64_t seed)
      : GeneratedNumbers(generate_floats, {/*is_philox=*/true, /*is_on_host=*/false}, size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<Floats>(argc, argv); }

#include "generate/generate.h"
#include "harness/generated_numbers.h"

namespace {

struct Doubles final : GeneratedNumbers<double> {
  Doubles(const MapSize& size, std::uint64_t seed)
      : GeneratedNumbers(generate_doubles, generator(), size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<Doubles>(argc, argv); }

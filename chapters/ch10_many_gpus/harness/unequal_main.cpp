#include "unequal.h"

#include "common/harness/program.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t kDefaultSize = 1000;

std::size_t parse(Options& options) {
  return options.integer<std::size_t>("--size", 1, 1LL << 49).value_or(kDefaultSize);
}

// Prints the shares of three GPUs, even if the shares are wrong. The first GPU is the fastest.
void run(const Program& program, std::size_t size) {
  refuse_csv(program);
  const std::vector<double> speeds{3, 1, 2};
  std::printf("%s: %zu elements on GPUs of speeds 3, 1 and 2\n", program.name.c_str(), size);
  double slowest = 0;
  for (std::size_t g = 0; g < speeds.size(); ++g) {
    const std::size_t begin = unequal_share_begin(size, speeds, g);
    const std::size_t end = unequal_share_begin(size, speeds, g + 1);
    const double time = (static_cast<double>(end) - static_cast<double>(begin)) / speeds[g];
    std::printf("  GPU %zu: %zu to %zu, done after %.1f\n", g, begin, end, time);
    slowest = std::max(slowest, time);
  }
  std::printf("  all are done after %.1f; with equal shares after %.1f\n", slowest,
              static_cast<double>(size) / 3);
  if (unequal_share_begin(size, speeds, 0) != 0 ||
      unequal_share_begin(size, speeds, speeds.size()) != size) {
    throw std::runtime_error("WRONG: the shares do not cover all elements.");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return program_main(argc, argv, {{"--size N", "how many elements to divide"}}, parse, run);
}

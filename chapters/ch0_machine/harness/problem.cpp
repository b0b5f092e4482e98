#include "harness/problem.h"

#include "common/harness/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <stdexcept>

namespace {

constexpr int kMaxNumbers = 1 << 24;
constexpr int kMaxThreads = 1 << 20;  // more than a block may have, so that a learner can try it
constexpr std::size_t kShown = 20;

std::string text_of(int number) {
  return number == kUnwritten ? "nothing (no thread wrote it)" : std::to_string(number);
}

}  // namespace

std::vector<OptionHelp> NumbersOptions::options() {
  return {{"--n N", "numbers"}, {"--threads T", "threads of a block"}};
}

NumbersOptions::Asked NumbersOptions::parse(Options& options) {
  const auto n = options.integer<int>("--n", 1, kMaxNumbers);
  return {n, options.integer<int>("--threads", 1, kMaxThreads)};
}

Sizes<NumbersSize> NumbersOptions::sizes(const Asked& asked, bool) {
  const NumbersSize size{asked.n.value_or(10), asked.threads.value_or(4)};
  return {size, size};
}

MemoryNeed NumbersOptions::memory_need(const NumbersSize& size, bool) {
  return {format("arrays of %d numbers", size.n), 12.0 * size.n, 20.0 * size.n,
          largest_that_fits("--n", size.n)};
}

std::vector<int> random_numbers(int n, std::uint64_t seed) {
  std::vector<int> numbers(n);
  RandomBits bits(seed);
  for (int& number : numbers) number = static_cast<int>(bits() % 199) - 99;
  return numbers;
}

std::string shown_and_right(const std::vector<int>& actual, const std::vector<int>& expected) {
  std::printf("   i  expected  got\n");
  for (std::size_t i = 0; i < std::min(kShown, expected.size()); ++i) {
    std::printf("%4zu  %8d  %s\n", i, expected[i], text_of(actual[i]).c_str());
  }
  if (expected.size() > kShown) std::printf(" ...\n");
  std::fflush(stdout);  // before the message, which goes to stderr
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (actual[i] == expected[i]) continue;
    throw std::runtime_error(format("WRONG: element %zu: expected %d, got %s.", i, expected[i],
                                    text_of(actual[i]).c_str()));
  }
  return format("%zu numbers, all right", expected.size());
}

#include "pair_index.h"
#include "pairs.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/program.h"

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

constexpr int kDefaultCount = 16384;

// The first and the last pair of each row, which show a row that is off by one.
struct Borders {
  std::vector<long long> numbers;
  std::vector<Pair> pairs;
};

Borders borders(int count) {
  Borders result;
  for (int i = 0; i < count - 1; ++i) {
    for (const int j : {i + 1, count - 1}) {
      result.pairs.push_back({i, j});
      result.numbers.push_back(pair_index(i, j, count));
    }
  }
  return result;
}

void check_pairs(const Program& program, int count) {
  refuse_csv(program);
  const auto [numbers, pairs] = borders(count);
  const DeviceBuffer<long long> d_numbers(numbers);
  DeviceBuffer<int> d_i(numbers.size()), d_j(numbers.size());
  d_i.fill_bytes(0xff);
  d_j.fill_bytes(0xff);
  pairs_at(d_numbers.data(), d_i.data(), d_j.data(), static_cast<int>(numbers.size()), count);
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here
  const std::vector<int> i = d_i.to_host(), j = d_j.to_host();

  std::size_t wrong = 0, first = 0;
  for (std::size_t t = numbers.size(); t-- > 0;) {
    if (i[t] == pairs[t].i && j[t] == pairs[t].j) continue;
    ++wrong;
    first = t;
  }
  std::printf("%s: the first and last pairs of the rows, for %d vectors: %zu of %zu are correct\n",
              program.name.c_str(), count, numbers.size() - wrong, numbers.size());
  std::fflush(stdout);  // before the message, which goes to stderr
  if (wrong == 0) return;
  throw std::runtime_error(format("WRONG: pair %lld is (%d, %d), the kernel finds (%d, %d).",
                                  numbers[first], pairs[first].i, pairs[first].j, i[first],
                                  j[first]));
}

}  // namespace

int main(int argc, char** argv) {
  const auto parse = [](Options& options) {
    return options.integer<int>("--n", 2, kMaxCount).value_or(kDefaultCount);
  };
  return program_main(argc, argv, {{"--n N", "number of vectors"}}, parse, check_pairs);
}

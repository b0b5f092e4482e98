#pragma once

#include "common/ceil_div.h"
#include "common/harness/cpu_baseline.h"
#include "common/harness/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

// Random doubles in host memory, generated and first touched by `threads` threads: a computer with
// several processors keeps memory near the core that touched it first. The values depend on the
// seed, not on the number of threads.
class HostVector {
 public:
  using Distribution = std::vector<double> (*)(std::size_t count, std::uint64_t seed);

  HostVector(std::size_t size, std::uint64_t seed, unsigned threads,
             Distribution random_numbers = random_doubles)
      : values_(new double[size]), size_(size) {
    const std::size_t pieces = ceil_div(size, kPieceSize);
    for_each_chunk(pieces, threads, [&](unsigned, std::size_t first, std::size_t last) {
      for (std::size_t piece = first; piece < last; ++piece) {
        const std::size_t begin = piece * kPieceSize;
        const std::vector<double> random =
            random_numbers(std::min(kPieceSize, size - begin), (seed << 32) + piece);
        std::copy(random.begin(), random.end(), values_.get() + begin);
      }
    });
  }
  const double* data() const { return values_.get(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kPieceSize = 65536;  // doubles from one seed

  std::unique_ptr<double[]> values_;
  std::size_t size_;
};

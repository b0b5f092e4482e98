#pragma once

#include "scan.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <algorithm>
#include <vector>

// Data and sizes that the operations of this chapter share.

// The byte of an output that is not written: as an int 2,139,062,143, which no test computes.
constexpr int kUnwritten = 0x7f;

// Random ints from -m to m, where m is 1000 or, for many elements, the largest number with which
// the absolute values add up to at most 2^31 - 1.
inline std::vector<int> small_ints(std::size_t size, std::uint64_t seed) {
  const std::size_t most = std::min<std::size_t>(1000, kMaxSize / std::max<std::size_t>(size, 1));
  RandomBits bits(seed);
  std::vector<int> values(size);
  for (int& value : values) {
    value = static_cast<int>(bits() % (2 * most + 1)) - static_cast<int>(most);
  }
  return values;
}

// An operation on ints whose output has as many ints.
struct OnSmallInts : Computation {
  explicit OnSmallInts(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override { in.host = small_ints(size, seed); }
  double work() const override { return in.bytes() + out.bytes(); }  // bytes to read and write
  std::string text() const override { return format("%zu ints", size); }

  std::size_t size;
  Input<int> in{this, "in", size};
  Output<int> out{this, "out", size, 0, kUnwritten};
  Workspace workspace{this, workspace_bytes(size)};
};

// The operation with this `make`, and what all of this chapter have in common.
inline Operation scan_operation(std::unique_ptr<Computation> (*make)(const Shape&)) {
  Operation operation;
  operation.make = make;
  // To check: a prime, which no tile divides. To time: 13 times the L2 cache of an H200.
  operation.extents = {{"--size N", "how many ints", kMaxSize, 100'003, 100'000'000}};
  // None; one; a warp and a tile of 1024, each also with one less and one more; two tiles, for a
  // carry; three, for a carry that adds up; primes; more than 32 tiles.
  operation.shapes = shapes_of(
      {0, 1, 2, 3, 31, 32, 33, 511, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 5003, 10007, 40009});
  operation.ceiling = plain_copy;
  return operation;
}

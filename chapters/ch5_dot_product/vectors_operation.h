#pragma once

#include "accurate_dot.h"
#include "dot_product.h"

#include "common/harness/host_vector.h"
#include "common/harness/operation.h"

#include <memory>
#include <vector>

// What the operations of this chapter on two vectors of doubles have in common: data, sizes and the
// ceiling. The result is one double.

// For a stage that does not define it: at worst all products are added one after another; adding a
// 0 rounds nothing.
[[gnu::weak]] SumOrder sum_order(std::size_t size) { return {size, false}; }

// The right value of a number, and how far a result may be from it.
struct Expected {
  double value, tolerance;
};

struct VectorsFunction {
  const char* result;  // its name
  void (*run)(const double* d_a, const double* d_b, double* d_result, std::size_t size,
              void* d_workspace, cudaStream_t stream);
  Expected (*expected)(const std::vector<double>& a, const std::vector<double>& b);
};

// The values depend on the seed, not on the number of threads that generate them.
inline std::vector<double> random_vector(std::size_t size, std::uint64_t seed) {
  const HostVector vector(size, seed, cpu_cores());
  return {vector.data(), vector.data() + size};
}

struct VectorsComputation final : Computation {
  VectorsComputation(const VectorsFunction& function, const Shape& shape)
      : function(function), size(shape[0]) {}

  void fill(std::uint64_t seed) override {
    a.host = random_vector(size, seed);
    b.host = random_vector(size, seed + 1);
  }
  void run(cudaStream_t stream) override { function.run(a, b, result, size, workspace, stream); }
  void expect() override {
    const auto [value, tolerance] = function.expected(a.host, b.host);
    result.expect({value}, tolerance);
  }
  double work() const override { return a.bytes() + b.bytes(); }  // each is read once

  std::string text() const override { return format("two vectors of %zu doubles", size); }
  // To the last bit, because the chapter asks whether the next run gives the same bits.
  std::string report() const override {
    const double number = result.result[0];
    return format("%s, within %.2g of the CPU's result\n  result %.17g = %a", text().c_str(),
                  result.bound(), number, number);
  }

  VectorsFunction function;
  std::size_t size;
  Input<double> a{this, "a", size};
  Input<double> b{this, "b", size};
  Output<double> result{this, function.result, 1};
  Workspace workspace{this, kWorkspaceBytes, 0};
};

inline Operation vectors_operation(const VectorsFunction& function) {
  Operation operation;
  operation.make = [=](const Shape& shape) {
    return std::make_unique<VectorsComputation>(function, shape);
  };
  // To check: a prime, so no block, tile or pair divides it. To time: a vector has 13 times the L2
  // cache of an H200.
  operation.extents = {{"--size N", "doubles per vector", kMaxSize, 1'000'003, 100'000'000}};
  // No element; one; a warp, a block of 256, a tile of 2048, and the sizes around them; an even and
  // an odd number of elements; primes; many blocks.
  operation.shapes = shapes_of({0,   1,    2,    3,    31,   32,   33,   255,  256,   257,   511,
                                513, 1023, 1024, 1025, 2047, 2048, 2049, 4099, 10007, 100003});
  operation.in_turn = shapes_of({5000, 3, 10007, 0, 1024});
  operation.same_bits_twice = false;  // sum_order() says whether
  operation.ceiling = input_read;     // a kernel must read both vectors
  return operation;
}

#pragma once

#include "saxpy.h"

#include "common/harness/format.h"
#include "common/harness/operation.h"

#include <cstddef>
#include <string>

// What the operations of this chapter have in common: the options, and the sizes to try.

constexpr std::size_t kToCheck = 100'003;     // a prime: no block and no vector divides it
constexpr std::size_t kToTime = 100'000'000;  // 400 MB per array, 6 times an H200's L2 cache
constexpr std::size_t kBlock = 256;           // threads of a block, unless the caller asks for more

inline const Extent kElements{"--n N", "elements of each array", kMaxSize, kToCheck, kToTime};
inline const Extent kThreads{"--threads T",
                             "threads of a block; libraries and the CPU choose their own number",
                             kMaxSize,
                             kBlock,
                             kBlock,
                             /*least=*/1,
                             /*is_column=*/false};

// A shape is {n, threads}.
inline Operation array_operation() {
  Operation operation;
  operation.extents = {kElements, kThreads};
  operation.threads_extent = 1;
  // None, for which a grid has no block; one; a warp, a vector and a block, also with one element
  // less and one more; primes; one thread per block, so that a grid-stride loop needs many
  // iterations; the largest block.
  operation.shapes = {{0, 256},     {1, 256},     {2, 256},   {3, 256},    {4, 256},
                      {5, 256},     {31, 32},     {32, 32},   {33, 32},    {255, 256},
                      {256, 256},   {257, 256},   {258, 256}, {1023, 256}, {1024, 1024},
                      {1025, 1024}, {10007, 100}, {10007, 1}, {9001, 7},   {60013, 32}};
  operation.case_name = [](const Shape& shape) {
    return format("n%zu_threads%zu", shape[0], shape[1]);
  };
  return operation;
}

// "1000 elements, all right"
inline std::string all_right(std::size_t n) { return format("%zu elements, all right", n); }

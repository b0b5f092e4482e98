#pragma once

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Kernels with a bug. Each has a correct variant, which differs only by the bug. A mark is a
// comment at a line that a finding must name:
//
//     __global__ void reverse(int* out, bool right) {
//       __shared__ int values[64];
//       values[threadIdx.x] = 1;  // finds: race store by 32
//       if (right) __syncthreads();
//       out[threadIdx.x] = values[63 - threadIdx.x];  // finds: race load by 31, 64 times
//     }
//
//     {"reverse", launch(reverse, 1, 64), "race on values"},
//
// The runner (marked_kernels.cpp) reads the marks from the source file. The correct kernel must
// have no finding. The wrong one must have the findings that are marked, with their places in the
// order of the marks, and no others, and it must leave the device with the error of that kind of
// finding. A mark is
//
//     finds[ in CASES]: KIND[ OPERATION[ by THREAD[ of block BLOCK]]][, N times]
//
// CASES are names, separated by commas, which can contain `*`. Without them the mark belongs to the
// case that has the name of the kernel around the line. THREAD and BLOCK are `5` or `3,2,1`; a
// thread without a block is in block 0. `and` joins two places in one line. N is the finding's
// count. A mark in a line of its own belongs to the next line of code.
//
// docs/simulator.md has the kinds. Four more are `nothing`, for a kernel without a bug, `missed`,
// for a bug that the simulator is known not to find, `cuda_error`, for a call of the runtime that
// fails in that line, and `warning`, which the simulator prints and does not count as a finding.
// `finds in right NAME: KIND` is a finding that the simulator is known to report in the correct
// kernel.

// Device memory for kernels, filled with zeros.
struct Buffers {
  int *in, *out;  // 1024 elements
  int* count;     // 16 elements
};

using Launch = std::function<void(const Buffers&, bool right)>;

struct MarkedCase {
  // `text` is part of a finding's message and of its facts, which are one line each, with "\n"
  // before and after them; `...` stands for any text. `findings` are those of the wrong kernel.
  MarkedCase(std::string the_name, Launch the_launch, std::string the_text = "",
             std::size_t the_findings = 1)
      : MarkedCase(std::move(the_name), "", std::move(the_launch), std::move(the_text),
                   the_findings) {}
  // A case that compute-sanitizer checks too; `the_mistake` says what the wrong kernel does.
  MarkedCase(std::string the_name, const char* the_mistake, Launch the_launch,
             std::string the_text = "", std::size_t the_findings = 1)
      : name(std::move(the_name)),
        mistake(the_mistake),
        launch(std::move(the_launch)),
        text(std::move(the_text)),
        findings(the_findings) {}

  std::string name, mistake;
  Launch launch;
  std::string text;
  std::size_t findings;
};

struct MarkedFile {
  std::string path;
  std::vector<MarkedCase> cases;
  std::string topic = {};  // of cases that compute-sanitizer checks too
};

struct Mark {
  std::string cases;  // a pattern
  bool in_right = false;
  int line = 0;
  std::string kind;
  std::uint64_t times = 0;                        // 0: any number
  std::string operation;                          // empty: any
  std::optional<std::array<unsigned, 3>> thread;  // of `block`; none: any
  std::array<unsigned, 3> block = {};
};

// The marks of one variant of a case, from top to bottom. Throws std::runtime_error for a mark of
// the file that cannot be read or belongs to no case.
std::vector<Mark> marks_of(const MarkedFile& file, const MarkedCase& one, bool right);

// Memory of one int for each thread: numbers from 0 to 6, or zeros.
DeviceBuffer<int> numbers(int threads);
template <typename T>
DeviceBuffer<T> zeros(std::size_t size) {
  DeviceBuffer<T> buffer(size);
  buffer.fill_bytes(0);
  return buffer;
}

// Launches one of the two kernels. Each argument points to memory of its own, with an int for each
// thread: numbers if the kernel only reads it, otherwise zeros. Only a .cu file can call it.
template <typename... T>
Launch pair(void (*right)(T*...), void (*wrong)(T*...), int blocks = 1, int block_threads = 128,
            std::size_t shared_bytes = 0) {
  return [=](const Buffers&, bool is_right) {
    const int threads = blocks * block_threads;
    std::vector<DeviceBuffer<int>> memory;
    (memory.push_back(std::is_const_v<T> ? numbers(threads) : zeros<int>(threads)), ...);
    std::vector<int*> pointers;
    for (DeviceBuffer<int>& d_ints : memory) pointers.push_back(d_ints.data());
    std::vector<void*> arguments;
    for (int*& pointer : pointers) arguments.push_back(&pointer);
    CUDA_CHECK(cudaLaunchKernel(is_right ? right : wrong, dim3(blocks), dim3(block_threads),
                                arguments.data(), shared_bytes, nullptr));
    CUDA_CHECK(cudaDeviceSynchronize());
  };
}

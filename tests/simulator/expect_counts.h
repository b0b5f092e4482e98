#pragma once

#include "common/cuda_check.h"
#include "program/learners_code.h"
#include "trace/kernel_tracer.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <ostream>

// Functions that read the counts of the tracer.

// All accesses of one kind since the program started.
inline cuda_simulator::AccessCounts total_of(cuda_simulator::MemorySpace space,
                                             cuda_simulator::AccessKind kind) {
  cuda_simulator::AccessCounts total;
  for (const auto& kernel : cuda_simulator::KernelTracer::get().kernels()) {
    kernel->for_each_access([&](cuda_simulator::Step step, cuda_simulator::MemorySpace of,
                                const cuda_simulator::AccessCounts& counts) {
      if (of == space && step.kind() == kind) total.add(counts);
    });
  }
  return total;
}

// All accesses on one line of this file.
inline cuda_simulator::AccessCounts on_line(int line) {
  cuda_simulator::AccessCounts total;
  for (const auto& kernel : cuda_simulator::KernelTracer::get().kernels()) {
    kernel->for_each_access([&](cuda_simulator::Step step, cuda_simulator::MemorySpace,
                                const cuda_simulator::AccessCounts& counts) {
      if (cuda_simulator::learners_position(step.code()).line == line) total.add(counts);
    });
  }
  return total;
}

struct Cost {
  std::uint64_t requests, lanes, units;  // sectors, or wavefronts of shared memory
  bool operator==(const Cost& other) const {
    return requests == other.requests && lanes == other.lanes && units == other.units;
  }
};
inline std::ostream& operator<<(std::ostream& os, const Cost& cost) {
  return os << cost.requests << " requests of " << cost.lanes << " lanes, " << cost.units
            << " sectors or wavefronts";
}

// The accesses of one kind that `launch` adds.
template <typename Launch>
Cost cost_of(cuda_simulator::MemorySpace space, cuda_simulator::AccessKind kind, Launch launch) {
  const cuda_simulator::AccessCounts before = total_of(space, kind);
  launch();
  CUDA_CHECK(cudaGetLastError());
  const cuda_simulator::AccessCounts after = total_of(space, kind);
  const std::uint64_t sectors = after.sectors - before.sectors;
  const std::uint64_t wavefronts = after.wavefronts - before.wavefronts;
  return {after.requests - before.requests, after.lanes - before.lanes, sectors + wavefronts};
}

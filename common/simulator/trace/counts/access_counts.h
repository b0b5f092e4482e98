#pragma once

#include "execution/grid.h"
#include "execution/lanes.h"
#include "trace/counts/block_steps.h"
#include "trace/counts/code_map.h"
#include "trace/counts/element_map.h"
#include "trace/counts/request_example.h"
#include "trace/warp/access.h"
#include "trace/warp/control_flow.h"
#include "trace/warp/request_shape.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cuda_simulator {

// The cost of one request, and its cost if the same lanes used consecutive addresses: in sectors,
// or in wavefronts for shared memory.
struct RequestUnits {
  int units, ideal_units;
};

// The cost of one access of the source, summed over its warp requests.
struct AccessCounts {
  std::uint64_t requests = 0, lanes = 0;
  std::uint64_t sectors = 0, ideal_sectors = 0;        // global memory
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;  // shared memory
  std::uint64_t different_addresses = 0;               // constant memory
  int max_sectors = 0, max_conflict_ways = 0;
  bool approximate = false;

  // The most frequent distance in bytes from a lane's address to the next lane's, by majority vote.
  std::int64_t stride_bytes = 0;
  std::int64_t stride_votes = 0;

  // The position in the order of the kernel's first accesses.
  std::size_t order = 0;
  // The first of the requests that have max_sectors or max_conflict_ways.
  std::shared_ptr<const RequestExample> example;

  struct Added {
    bool is_costliest;  // no earlier request was as costly
    RequestUnits units;
  };
  Added add(const WarpRequest& request);
  // The shapes of its requests.
  RequestShapes& shapes(MemorySpace space) {
    if (!shapes_) shapes_ = std::make_shared<RequestShapes>(space == MemorySpace::shared);
    return *shapes_;
  }
  void add(const AccessCounts& other);

 private:
  // The cost of a request, in units. ways: of a bank conflict, or addresses in constant memory.
  struct Cost {
    int units, ideal_units, ways;
  };
  static Cost cost_of(const WarpRequest& request);
  void vote_for(std::optional<std::int64_t> stride);
  bool shows_more_than(const AccessCounts& other) const;

  std::shared_ptr<RequestShapes> shapes_;
};

// The sum over all executions of one basic block by warps.
struct BasicBlockCounts : BlockExecutions {
  std::uint64_t divergences = 0;  // executions after which the lanes took different paths
  std::uintptr_t next_code = 0;   // the beginning of one of the paths that follow it in the program
};

// The accesses of threads to a local array that is indexed by data.
struct LocalAccesses {
  const char* array = nullptr;
  std::uint64_t count = 0;
};

// All counts of one kernel with one launch configuration.
struct KernelCounts {
  std::string name;
  dim3 blocks, block;
  std::size_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::size_t accessed_shared_bytes = 0;  // of all static variables that a launch has accessed
  std::uint64_t launches = 0, blocks_run = 0, threads_run = 0, barriers = 0;
  // The requests of each launch's busiest warp, summed over the launches.
  std::uint64_t busiest_warp_requests = 0;
  ControlFlow control_flow;
  std::map<std::uintptr_t, LocalAccesses> local_accesses;  // by code
  std::size_t numbered_accesses = 0;
  std::vector<ElementMap> elements;  // only if requested
  std::vector<BlockSteps> steps;     // only if requested

  // All kinds of atomic functions at one place are counted together, and `volatile` makes no
  // difference.
  static Step as_counted(Step step) {
    const AccessKind kind =
        is_atomic(step.kind()) ? AccessKind::atomic : without_volatile(step.kind());
    return {step.code(), step.bytes(), kind};
  }
  AccessCounts& access(Step step, MemorySpace space) {
    return accesses_[as_counted(step).bits() | static_cast<unsigned>(space) << kSpaceShift];
  }
  BasicBlockCounts& basic_block(std::uintptr_t code) { return basic_blocks_[code]; }
  // Calls function(Step, MemorySpace, const AccessCounts&).
  template <typename Function>
  void for_each_access(Function function) const {
    accesses_.for_each([&](std::uint64_t key, const AccessCounts& counts) {
      const std::uint64_t space = key >> kSpaceShift & 0xf;
      function(Step::from_bits(key & ~(std::uint64_t{0xf} << kSpaceShift)),
               static_cast<MemorySpace>(space), counts);
    });
  }
  // Calls function(code, const BasicBlockCounts&).
  template <typename Function>
  void for_each_basic_block(Function function) const {
    basic_blocks_.for_each(function);
  }

  bool is_for(const Grid& grid) const;

 private:
  static constexpr int kSpaceShift = 4;  // a kind of access uses fewer bits of a Step
  CodeMap<AccessCounts> accesses_;
  CodeMap<BasicBlockCounts> basic_blocks_;
};

}  // namespace cuda_simulator

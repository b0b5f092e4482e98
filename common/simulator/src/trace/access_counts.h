#pragma once

#include "grid.h"
#include "trace/access.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace cuda_simulator {

// What one access of the source cost, summed over its warp requests.
struct AccessCounts {
  std::uint64_t requests = 0, lanes = 0;
  std::uint64_t sectors = 0, ideal_sectors = 0;        // global memory
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;  // shared memory
  int max_sectors = 0, max_conflict_ways = 0;
  bool approximate = false;

  // The most frequent distance in bytes from a lane's address to the next lane's, by majority vote.
  std::int64_t stride_bytes = 0;
  std::int64_t stride_votes = 0;

  void add(const WarpRequest& request);
  void add(const AccessCounts& other);
};

// Everything counted for one kernel launched with one configuration.
struct KernelCounts {
  std::string name;
  dim3 blocks, block;
  std::size_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint64_t launches = 0, blocks_run = 0, threads_run = 0, barriers = 0;
  std::unordered_map<std::uint64_t, AccessCounts> accesses;  // by AccessKey::bits()

  bool is_for(const Grid& grid) const;
};

}  // namespace cuda_simulator

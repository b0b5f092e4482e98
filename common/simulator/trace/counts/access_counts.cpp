#include "trace/counts/access_counts.h"

#include "trace/counts/request_cost.h"

#include <algorithm>
#include <utility>

namespace cuda_simulator {

AccessCounts::Added AccessCounts::add(const WarpRequest& request) {
  Added added{};
  const RequestCost cost(request);
  ++requests;
  lanes += static_cast<unsigned>(lane_count(request.lanes));
  approximate |= request.approximate;
  if (request.space() == MemorySpace::shared) {
    const Wavefronts passes = cost.wavefronts();
    added = {passes.ways > max_conflict_ways, {passes.taken, passes.ideal}};
    wavefronts += static_cast<unsigned>(passes.taken);
    ideal_wavefronts += static_cast<unsigned>(passes.ideal);
    max_conflict_ways = std::max(max_conflict_ways, passes.ways);
  } else {
    const int touched = cost.sectors(), ideal = cost.ideal_sectors();
    added = {touched > max_sectors, {touched, ideal}};
    sectors += static_cast<unsigned>(touched);
    ideal_sectors += static_cast<unsigned>(ideal);
    max_sectors = std::max(max_sectors, touched);
  }
  if (const std::optional<std::int64_t> stride = cost.first_stride()) {
    if (*stride == stride_bytes) {
      ++stride_votes;
    } else if (--stride_votes < 0) {
      stride_bytes = *stride;
      stride_votes = 1;
    }
  }
  return added;
}

void AccessCounts::add(const AccessCounts& other) {
  requests += other.requests;
  lanes += other.lanes;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  order = order == 0 ? other.order : std::min(order, other.order);
  if (!example || (other.example && other.shows_more_than(*this))) example = other.example;
  max_sectors = std::max(max_sectors, other.max_sectors);
  max_conflict_ways = std::max(max_conflict_ways, other.max_conflict_ways);
  approximate |= other.approximate;
  if (other.stride_votes > stride_votes) {
    stride_bytes = other.stride_bytes;
    stride_votes = other.stride_votes;
  }
}

bool AccessCounts::shows_more_than(const AccessCounts& other) const {
  const auto cost = [](const AccessCounts& counts) {
    return std::max(counts.max_sectors, counts.max_conflict_ways);  // one of them is 0
  };
  const auto place = [](const RequestExample& of) { return std::pair(of.block, of.warp); };
  return cost(*this) > cost(other) ||
         (cost(*this) == cost(other) && place(*example) < place(*other.example));
}

bool KernelCounts::is_for(const Grid& grid) const {
  const auto same = [](dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
  return name == grid.kernel_name && same(blocks, grid.blocks) && same(block, grid.block) &&
         static_shared_bytes == grid.static_shared_bytes &&
         dynamic_shared_bytes == grid.dynamic_shared_bytes;
}

}  // namespace cuda_simulator

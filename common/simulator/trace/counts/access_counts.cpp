#include "trace/counts/access_counts.h"

#include "trace/counts/request_cost.h"

#include <algorithm>
#include <utility>

namespace cuda_simulator {

AccessCounts::Cost AccessCounts::cost_of(const WarpRequest& request) {
  const RequestCost cost(request);
  if (request.space() == MemorySpace::shared) {
    const Wavefronts passes = cost.wavefronts();
    return {passes.taken, passes.ideal, passes.ways};
  }
  const bool is_constant = request.space() == MemorySpace::constant;
  return {cost.sectors(), cost.ideal_sectors(), is_constant ? cost.different_addresses() : 0};
}

AccessCounts::Added AccessCounts::add(const WarpRequest& request) {
  Cost cost;
  if (RequestShape* const shape = request.shape) {
    const int kind = static_cast<int>(request.step.kind());  // one place may execute several kinds
    if (shape->cost_kind != kind) {
      cost = cost_of(request);
      shape->cost_kind = kind;
      shape->units = cost.units;
      shape->ideal_units = cost.ideal_units;
      shape->ways = cost.ways;
    }
    cost = {shape->units, shape->ideal_units, shape->ways};
  } else {
    cost = cost_of(request);
  }
  bool is_costliest;
  const auto units = static_cast<unsigned>(cost.units),
             ideal = static_cast<unsigned>(cost.ideal_units);
  ++requests;
  lanes += static_cast<unsigned>(lane_count(request.lanes));
  approximate |= request.approximate;
  if (request.space() == MemorySpace::shared) {
    is_costliest = cost.ways > max_conflict_ways;
    wavefronts += units;
    ideal_wavefronts += ideal;
    max_conflict_ways = std::max(max_conflict_ways, cost.ways);
  } else {
    is_costliest = cost.units > max_sectors;
    sectors += units;
    ideal_sectors += ideal;
    max_sectors = std::max(max_sectors, cost.units);
    different_addresses += static_cast<unsigned>(cost.ways);
  }
  vote_for(RequestCost(request).first_stride());
  return {is_costliest, {cost.units, cost.ideal_units}};
}

void AccessCounts::vote_for(std::optional<std::int64_t> stride) {
  if (!stride) return;
  if (*stride == stride_bytes) {
    ++stride_votes;
  } else if (--stride_votes < 0) {
    stride_bytes = *stride;
    stride_votes = 1;
  }
}

void AccessCounts::add(const AccessCounts& other) {
  requests += other.requests;
  lanes += other.lanes;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  different_addresses += other.different_addresses;
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

#include "trace/counts/step_recorder.h"

#include "execution/lanes.h"
#include "program/environment.h"
#include "trace/report/finding_log.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace cuda_simulator {
namespace {

// The limits for one block: more than a reader steps through, and as much as a page can hold.
constexpr std::size_t kMostSteps = 10'000, kMostNumbers = 120'000;
constexpr std::size_t kMostFindingBlocks = 2;  // per kernel
constexpr std::size_t kMostKernels = 24;

}  // namespace

void BlockSteps::clear() {
  arrays.clear();
  steps.clear();
  numbers.clear();
  excess = left_out = 0;
}

void StepRecorder::begin_grid(const Block& block, KernelCounts& kernel) {
  block_ = &block;
  kernel_ = &kernel;
  suspended_.clear();
  wanted_ = environment_switch("CUDA_SIMULATOR_STEPS", /*usual=*/false) &&
            !block.grid().of_library &&
            (!kernel.steps.empty() || kernels_kept_ < kMostKernels);
}

void StepRecorder::begin_block() {
  if (!wanted_) return;
  current_.clear();
  const uint3 index = block_->grid().block_index(block_->index());
  current_.block[0] = index.x;
  current_.block[1] = index.y;
  current_.block[2] = index.z;
  current_.launch = kernel_->launches;
  has_finding_ = false;
  findings_before_ = FindingLog::get().all().size();
}

void StepRecorder::block_suspended() {
  if (wanted_) suspended_[block_->index()] = {std::move(current_), has_finding()};
}

void StepRecorder::block_resumed() {
  if (!wanted_) return;
  auto& [steps, has_finding] = suspended_[block_->index()];
  current_ = std::move(steps);
  has_finding_ = has_finding;
  findings_before_ = FindingLog::get().all().size();
}

bool StepRecorder::has_finding() const {
  return has_finding_ || FindingLog::get().all().size() > findings_before_;
}

bool StepRecorder::has_room() {
  if (current_.steps.size() < kMostSteps && current_.numbers.size() < kMostNumbers) return true;
  ++current_.left_out;
  return false;
}

void StepRecorder::add_request(const WarpRequest& request, RequestUnits units) {
  if (units.units > units.ideal_units) current_.excess += units.units - units.ideal_units;
  if (!has_room()) return;
  const std::uint16_t array = array_number(request);
  const std::uintptr_t begin = current_.arrays[array].begin;
  const std::size_t first_number = current_.numbers.size();
  const auto offset = [&](int lane) {
    return static_cast<std::int64_t>(request.addresses[lane] - begin);
  };
  if (request.is_regular) {
    current_.numbers.push_back(offset(0));
    current_.numbers.push_back(request.stride);
  } else {
    for_each_lane(request.lanes, [&](int lane) { current_.numbers.push_back(offset(lane)); });
  }
  current_.steps.push_back({BlockStep::Kind::request, request.approximate, request.is_regular,
                            request.space(), 0, static_cast<std::uint16_t>(request.warp), array,
                            request.lanes, static_cast<std::uint32_t>(units.units),
                            static_cast<std::uint32_t>(units.ideal_units), request.step.bits(),
                            first_number});
}

// The array of the first lane. Blocks use a few arrays, most of them many times.
std::uint16_t StepRecorder::array_number(const WarpRequest& request) {
  std::vector<NamedArray>& arrays = current_.arrays;
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& array) {
    return array.begin == request.array.begin && array.space == request.space();
  });
  if (found != arrays.end()) return static_cast<std::uint16_t>(found - arrays.begin());
  if (arrays.size() < std::numeric_limits<std::uint16_t>::max()) {
    arrays.push_back(memory_.named(request.array));
  }
  return static_cast<std::uint16_t>(arrays.size() - 1);
}

void StepRecorder::add_barrier() {
  if (!has_room()) return;
  const int threads = block_->grid().threads_per_block();
  std::uint32_t waiting = 0;
  std::uint64_t code = 0;
  for (int thread = 0; thread < threads; ++thread) {
    if (block_->state(thread) == Block::ThreadState::ended) continue;
    if (waiting++ == 0) code = reinterpret_cast<std::uintptr_t>(block_->waits_at(thread));
  }
  current_.steps.push_back({BlockStep::Kind::barrier, false, false, MemorySpace::global, 0, 0, 0,
                            waiting, 0, 0, code, current_.numbers.size()});
}

void StepRecorder::add_divergence(std::uintptr_t code, int warp,
                                  const std::vector<std::uint32_t>& ways) {
  if (!has_room()) return;
  std::uint32_t lanes = 0;
  const std::size_t first_number = current_.numbers.size();
  for (const std::uint32_t way : ways) {
    lanes |= way;
    current_.numbers.push_back(way);
  }
  current_.steps.push_back({BlockStep::Kind::divergence, false, false, MemorySpace::global, 0,
                            static_cast<std::uint16_t>(warp), 0, lanes, 0, 0, code, first_number});
}

void StepRecorder::add_warp_call(int warp, std::uint32_t lanes) {
  if (lanes == 0 || !has_room()) return;
  const int first = warp * kWarpSize + __builtin_ctz(lanes);
  const WarpCall::Operation operation = block_->warp_call_of(first).operation;
  const std::size_t first_number = current_.numbers.size();
  if (operation == WarpCall::Operation::shuffle) {
    for_each_lane(lanes, [&](int lane) {
      current_.numbers.push_back(block_->warp_call_of(warp * kWarpSize + lane).source_lane);
    });
  }
  current_.steps.push_back(
      {BlockStep::Kind::warp_call, false, false, MemorySpace::global,
       static_cast<std::uint8_t>(operation), static_cast<std::uint16_t>(warp), 0, lanes, 0, 0,
       reinterpret_cast<std::uintptr_t>(block_->waits_at(first)), first_number});
}

void StepRecorder::end_block() {
  if (!wanted_) return;
  using Reason = BlockSteps::Reason;
  const std::vector<BlockSteps>& kept = kernel_->steps;
  const auto with_findings = std::count_if(kept.begin(), kept.end(), [](const BlockSteps& steps) {
    return steps.reason == Reason::finding;
  });
  const bool is_costliest = std::all_of(kept.begin(), kept.end(), [&](const BlockSteps& steps) {
    return steps.excess < current_.excess;
  });
  if (kept.empty()) {
    keep(Reason::first);
  } else if (has_finding() && static_cast<std::size_t>(with_findings) < kMostFindingBlocks) {
    keep(Reason::finding);
  } else if (is_costliest) {
    keep(Reason::costliest);
  }
}

void StepRecorder::keep(BlockSteps::Reason reason) {
  std::vector<BlockSteps>& kept = kernel_->steps;
  if (kept.empty()) ++kernels_kept_;
  if (reason == BlockSteps::Reason::costliest) {
    const auto is_costliest = [](const BlockSteps& steps) {
      return steps.reason == BlockSteps::Reason::costliest;
    };
    kept.erase(std::remove_if(kept.begin(), kept.end(), is_costliest), kept.end());
  }
  current_.reason = reason;
  kept.push_back(current_);
}

}  // namespace cuda_simulator

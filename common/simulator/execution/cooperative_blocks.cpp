#include "execution/cooperative_blocks.h"

#include "execution/kernel_failure.h"
#include "trace/tracer.h"

#include "simulator/findings.h"

#include <string>
#include <utility>

namespace cuda_simulator {
namespace {

// Linux gives a process 65530 mappings, and a guard page takes two of them.
constexpr std::uint64_t kMostGuards = 16 << 10;

}  // namespace

CooperativeBlocks::CooperativeBlocks(Block& block, Tracer* tracer)
    : block_(block),
      tracer_(tracer),
      count_(block.grid().block_count()),
      shared_ranges_(shared_ranges(block.grid().dynamic_shared_bytes)) {}

bool CooperativeBlocks::has_failed() const {
  return block_.grid().error.load(std::memory_order_relaxed) != cudaSuccess;
}

void CooperativeBlocks::run() {
  const auto threads = static_cast<std::uint64_t>(block_.grid().threads_per_block());
  const bool guarded = count_ * threads <= kMostGuards;
  auto usual_stacks = block_.exchange_stacks(nullptr);
  std::vector<Waiting> waiting;
  for (std::uint64_t index = 0; index < count_ && !has_failed(); ++index) {
    block_.exchange_stacks(Block::make_stacks(static_cast<int>(threads), guarded));
    block_.begin(index);
    go_on(waiting);
  }
  while (!waiting.empty() && !has_failed()) {
    if (waiting.size() < count_) {
      refuse_missing_blocks(waiting.front(), waiting.size());
      break;
    }
    if (tracer_) tracer_->grid_synchronised();
    std::vector<Waiting> earlier;
    earlier.swap(waiting);
    for (Waiting& one : earlier) {
      if (has_failed()) break;
      resume(one);
      go_on(waiting);
    }
  }
  block_.exchange_stacks(std::move(usual_stacks));
}

void CooperativeBlocks::go_on(std::vector<Waiting>& waiting) {
  if (!block_.run_until_grid_waits()) {
    block_.end();
    return;
  }
  if (tracer_) tracer_->block_suspended(shared_ranges_);
  waiting.push_back({block_.suspend(), save_shared_memory(shared_ranges_)});
}

void CooperativeBlocks::resume(Waiting& waiting) {
  restore_shared_memory(shared_ranges_, waiting.shared_memory);
  block_.resume(std::move(waiting.block));
  if (tracer_) tracer_->block_resumed(block_.index(), shared_ranges_);
}

void CooperativeBlocks::refuse_missing_blocks(Waiting& first, std::size_t waiting) {
  resume(first);
  block_.fail_where_grid_waits(
      {finding_kind::kDeadlock,
       "waits at a sync() of the grid that only " + std::to_string(waiting) + " of " +
           std::to_string(count_) +
           " blocks reach; the others have ended. On a GPU the kernel would never end. Every block "
           "must reach the sync()",
       "wait", cudaErrorLaunchTimeout});
}

}  // namespace cuda_simulator

#include "execution/resident_blocks.h"

#include "execution/kernel_failure.h"

#include "simulator/findings.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace cuda_simulator {
namespace {

// Linux gives a process 65530 mappings, and a guard page takes two of them.
constexpr std::uint64_t kMostGuards = 16 << 10;
// The threads of blocks that wait for others: a quarter of what an H200 runs at the same time. Each
// needs a stack of a page or two.
constexpr std::uint64_t kMostWaitingThreads = 64 << 10;
// Enough to meet other blocks at each step of a protocol. A paused block needs stacks and paths of
// its own: with 64 of them, a sum by one atomic function per block took nine times as long.
constexpr int kMostPauses = 8;
constexpr std::size_t kMostPaused = 8;
// How often blocks look in vain before that can be an error: in all, and each of them. A thread
// looks some fifty times before another block runs.
constexpr std::size_t kMostIdleTurns = 4096, kMostIdleTurnsOfEach = 32;

std::uint64_t most_resident(const Grid& grid) {
  if (grid.is_cooperative) return std::numeric_limits<std::uint64_t>::max();
  return kMostWaitingThreads / static_cast<std::uint64_t>(grid.threads_per_block());
}

}  // namespace

ResidentBlocks::ResidentBlocks(Block& block, Tracer* tracer)
    : block_(block),
      tracer_(tracer),
      whole_bytes_(block.stacks().bytes()),
      count_(block.grid().block_count()),
      most_resident_(most_resident(block.grid())),
      shared_ranges_(shared_ranges(block.grid().dynamic_shared_bytes)),
      unused_(block.unused_stacks()) {
  if (block.grid().is_cooperative) unused_.clear();  // it needs all guards
}

bool ResidentBlocks::has_failed() const {
  return block_.grid().error.load(std::memory_order_relaxed) != cudaSuccess;
}

void ResidentBlocks::run() {
  while (!has_failed()) {
    if (can_start()) {
      if (!block_.has_stacks()) block_.exchange_stacks(unused_stacks());
      block_.begin(next_++);
      run_block(/*is_new=*/true, /*has_news=*/true);
    } else if (!waiting_.empty()) {
      continue_one();
    } else if (!at_grid_.empty()) {
      pass_grid();
    } else {
      break;
    }
  }
  if (stacks_made_ > 0 || !block_.has_stacks()) keep_whole_stacks();
}

// Usually a few blocks pause. Their stacks serve the next launches too: to reserve and to guard
// them takes longer than most blocks run.
void ResidentBlocks::keep_whole_stacks() {
  if (block_.has_stacks()) unused_.push_back(block_.exchange_stacks(nullptr));
  unused_.erase(
      std::remove_if(unused_.begin(), unused_.end(),
                     [this](const auto& stacks) { return stacks->bytes() < whole_bytes_; }),
      unused_.end());
  if (unused_.empty()) unused_.push_back(Block::make_stacks(kMaxBlockThreads, true));
  block_.exchange_stacks(std::move(unused_.back()));
  unused_.pop_back();
  if (unused_.size() > kMostPaused) unused_.resize(kMostPaused);
}

void ResidentBlocks::run_block(bool is_new, bool has_news) {
  const bool others_can_run = tracer_ && (can_start() || !waiting_.empty());
  const bool pauses =
      others_can_run && block_.grid().order.interleaves() && waiting_.size() < kMostPaused;
  block_.may_pause(others_can_run, !pauses ? 0 : is_new ? kMostPauses : block_.pauses());
  const Block::Pause pause = block_.run_until_pause();
  if (pause != Block::Pause::for_memory || has_news) idle_turns_ = 0;
  if (pause == Block::Pause::none) return block_.end();
  if (pause == Block::Pause::for_grid) {
    if (tracer_) tracer_->block_suspended(shared_ranges_);
    at_grid_.push_back(suspended(pause));
    return;
  }
  tracer_->block_interrupted(shared_ranges_);
  waiting_.push_back(suspended(pause));
  if (pause != Block::Pause::for_memory) return;
  const std::size_t most = std::max(kMostIdleTurns, kMostIdleTurnsOfEach * waiting_.size());
  if (++idle_turns_ % most == 0 && tracer_->refuse_endless_wait(count_ - next_))
    block_.end_grid_with(cudaErrorLaunchTimeout);
}

ResidentBlocks::Waiting ResidentBlocks::suspended(Block::Pause pause) {
  return {block_.suspend(), save_shared_memory(shared_ranges_), pause};
}

std::unique_ptr<FiberStacks> ResidentBlocks::unused_stacks() {
  if (!unused_.empty()) {
    auto stacks = std::move(unused_.back());
    unused_.pop_back();
    return stacks;
  }
  ++stacks_made_;
  const bool is_cooperative = block_.grid().is_cooperative;
  if (!is_cooperative && stacks_made_ <= kMostPaused)
    return Block::make_stacks(kMaxBlockThreads, true);
  const int threads = block_.grid().threads_per_block();
  const std::uint64_t blocks = stacks_made_ + (is_cooperative ? 0 : kMostPaused);
  const bool guarded = blocks * static_cast<std::uint64_t>(threads) <= kMostGuards;
  return Block::make_stacks(threads, guarded);
}

void ResidentBlocks::resume(Waiting& waiting) {
  if (block_.has_stacks()) unused_.push_back(block_.exchange_stacks(nullptr));
  restore_shared_memory(shared_ranges_, waiting.shared_memory);
  block_.resume(std::move(waiting.block));
}

bool ResidentBlocks::can_continue(const Waiting& waiting) const {
  return waiting.pause != Block::Pause::for_memory || tracer_->has_changed(waiting.block.index);
}

// Without one that can continue, all look again in turn: a thread may count how often it looks.
void ResidentBlocks::continue_one() {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [this](const Waiting& waiting) { return can_continue(waiting); });
  const bool has_news = found != waiting_.end();
  const auto next = has_news ? found : waiting_.begin();
  Waiting waiting = std::move(*next);
  waiting_.erase(next);
  resume(waiting);
  if (tracer_ && waiting.pause == Block::Pause::for_grid) {
    tracer_->block_resumed(block_.index(), shared_ranges_);
  } else if (tracer_) {
    tracer_->block_continues(block_.index(), shared_ranges_);
  }
  run_block(/*is_new=*/false, has_news);
}

void ResidentBlocks::pass_grid() {
  if (at_grid_.size() < count_) return refuse_missing_blocks();
  if (tracer_) tracer_->grid_synchronised();
  waiting_.swap(at_grid_);
}

// Some blocks wait for the grid, and others have ended.
void ResidentBlocks::refuse_missing_blocks() {
  const std::size_t waiting = at_grid_.size();
  resume(at_grid_.front());
  if (tracer_) tracer_->block_resumed(block_.index(), shared_ranges_);
  block_.fail_where_grid_waits(
      {finding_kind::kDeadlock,
       "waits at a sync() of the grid that only " + std::to_string(waiting) + " of " +
           std::to_string(count_) +
           " blocks reach; the others have ended. On a GPU the kernel would never end. Every block "
           "must reach the sync()",
       "wait", cudaErrorLaunchTimeout});
}

}  // namespace cuda_simulator

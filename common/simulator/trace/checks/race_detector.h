#pragma once

#include "execution/lanes.h"
#include "execution/shared_memory.h"
#include "trace/checks/clock.h"
#include "trace/checks/code_table.h"
#include "trace/checks/concurrent_launches.h"
#include "trace/checks/release_acquire.h"
#include "trace/checks/shadow_cell.h"
#include "trace/checks/shadow_memory.h"
#include "trace/warp/access.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuda_simulator {

// Finds two accesses to one byte, at least one of them a store, whose order is not defined. Two
// atomic accesses do not race. Within a block a barrier orders accesses, and within a warp also
// __syncwarp() or any other warp function. Between blocks of a launch, only ReleaseAcquire orders
// them. Between ConcurrentLaunches nothing does.
// A volatile access counts as atomic with respect to other volatile and atomic accesses, as in PTX;
// a store does so only after a fence of its thread. Without a fence it is data, not a flag.
// A load that does not wait for another thread's compare-and-swap is not a race: it is the usual
// first guess, which the thread's own compare-and-swap then checks.
// The shadow of each 4-byte word has cells for the last store and compare-and-swap, two loads and
// two atomic accesses. Of the accesses that may still race, it keeps one of each kind, and a second
// one by another thread: the first thread's next access cannot race with its own.
class RaceDetector {
 public:
  // The shadow of shared memory is forgotten when the block ends; that of variables, when the
  // launch ends. The shadow of device memory is also used for launches that may overlap.
  enum class Lifetime { block, launch, streams };
  struct Access {
    std::uintptr_t code;
    int thread;
    std::uint64_t block;
    AccessKind kind;
    Epoch epoch = 0;
  };
  struct Race {
    Access earlier, later;
  };

  RaceDetector(std::size_t bytes, Lifetime lifetime, const Clock& clock,
               const ReleaseAcquire& release_acquire, const ConcurrentLaunches& concurrent,
               CodeTable& codes)
      : common_(bytes / 4 + 1),
        rare_(bytes / 4 + 1),
        lifetime_(lifetime),
        clock_(clock),
        release_acquire_(release_acquire),
        concurrent_(concurrent),
        codes_(codes) {}

  // Looks for races between the accesses of a request's unchecked lanes and earlier accesses. Calls
  // on_race(lane, const Race&), at most once per lane.
  template <typename OnRace>
  void check(const WarpRequest& request, OnRace on_race) {
    if (lifetime_ == Lifetime::block && postpone(request)) return;
    const AccessKind kind = request.step.kind();
    const std::uint32_t lanes = request.unchecked_lanes;
    std::uint32_t flags = 0;
    if (__builtin_expect(is_volatile(kind), 0)) {
      codes_.mark_volatile(codes_.number_of(request.step.code()));
      if (kind == AccessKind::volatile_store) flags = fenced_lanes(request);
    }
    if (__builtin_expect(is_async_copy(kind), 0)) {
      codes_.mark_async_copy(codes_.number_of(request.step.code()));
    }
    if (flags != 0) check_as(AccessKind::atomic_exchange, request, flags, on_race);
    if (flags != lanes) check_as(without_volatile(kind), request, lanes & ~flags, on_race);
  }

  // Calls on_rival(const Access&, offset) for accesses of earlier launches to a range that a
  // concurrent work now reads or writes completely.
  template <typename OnRival>
  void for_each_rival(std::size_t offset, std::size_t bytes, bool writes, OnRival on_rival) const {
    for (std::size_t at = offset / 4; at < (offset + bytes + 3) / 4; ++at) {
      const CommonCells& common = common_[at];
      const std::size_t first = std::max(offset, at * 4) - at * 4;
      const std::size_t end = std::min(offset + bytes, at * 4 + 4) - at * 4;
      const unsigned of_word = (1u << end) - (1u << first);  // a mask of the bytes
      const auto check_cell = [&](const ShadowCell& cell, AccessKind kind) {
        const unsigned of_both = cell.block_bytes() & of_word;
        if (of_both != 0 && concurrent_.at(cell.epoch()))
          on_rival(access(cell.code_number(), cell.thread(), cell.epoch(), kind),
                   at * 4 + static_cast<unsigned>(__builtin_ctz(of_both)));
      };
      check_cell(common.store, AccessKind::store);
      if (writes) check_cell(common.load, AccessKind::load);
      if (writes && common.load.marked()) check_cell(rare_[at].load, AccessKind::load);
      if (!common.store.marked()) continue;
      const RareCells& rare = rare_[at];
      for (const ShadowCell& atomic : rare.atomics) check_cell(atomic, AccessKind::atomic);
      check_cell(rare.compare_and_swap, AccessKind::atomic_compare_and_swap);
    }
  }

  // The last writer of a byte, in all launches since the memory was allocated.
  struct LastStore {
    enum class By { no_thread, thread, atomic_function, earlier_launch, unknown };
    By by = By::unknown;
    Epoch epoch = 0;
    int thread = 0;
    std::uint64_t block = 0;
  };
  LastStore last_store(std::size_t offset) const;

  void forget(std::size_t offset, std::size_t bytes);
  void forget_all();

  // For shared memory, the shadow of a block while others run.
  struct OfBlock;
  OfBlock block_interrupted(const std::vector<SharedRange>& ranges);
  void block_continues(const std::vector<SharedRange>& ranges, const OfBlock& of_block);

 private:
  struct Current {
    Epoch epoch, lifetime_begin;
    unsigned code_number;
    AccessKind kind;
    int thread = 0;
    unsigned bytes = 0xf;  // a mask of the word's bytes

    bool is_load() const { return kind == AccessKind::load; }
    ShadowCell cell(int by_thread) const { return {epoch, code_number, by_thread, 0xf, 0xf}; }
  };
  // The cells that most words need. load.marked() means that the word's RareCells hold or once held
  // a load; store.marked() means the same for atomic accesses.
  struct CommonCells {
    ShadowCell store, load;
  };
  struct RareCells {
    ShadowCell load, atomics[2], compare_and_swap;
  };
  // The loads of a full warp from shared memory.
  struct PostponedLoads {
    Step step;
    int warp;
    Epoch epoch;
    std::uintptr_t region_begin;
    std::array<std::uint32_t, kWarpSize> offsets;
  };
  static constexpr std::size_t kMostPostponed = 4096;

  // A phase lies between two barriers of the block. Until something other than a load comes, its
  // loads cannot race: not with each other, and the barrier has ordered everything before. So they
  // are only kept, and recorded when something else does come. Usually the next barrier comes
  // first, and nothing later can race with them. Without it, a tiled matrix product takes twice the
  // time. Returns whether the request needs nothing more now.
  bool postpone(const WarpRequest& request) {
    if (last_change_ >= clock_.last_barrier()) return false;
    if (!postponed_.empty() && postponed_.front().epoch < clock_.last_barrier()) postponed_.clear();
    if (request.step.kind() == AccessKind::load && postponed_.size() < kMostPostponed) {
      if (request.unchecked_lanes != ~0u) return false;
      postponed_.push_back(
          {request.step, request.warp, clock_.now(), request.array.region_begin, {}});
      for (int lane = 0; lane < kWarpSize; ++lane)
        postponed_.back().offsets[lane] = static_cast<std::uint32_t>(request.offset(lane));
      return true;
    }
    last_change_ = clock_.now();
    record_postponed();
    return false;
  }
  template <typename OnRace>
  void check_as(AccessKind kind, const WarpRequest& request, std::uint32_t lanes, OnRace on_race) {
    check_at(clock_.now(), kind, request, lanes, on_race);
  }
  template <typename OnRace>
  void check_at(Epoch epoch, AccessKind kind, const WarpRequest& request, std::uint32_t lanes,
                OnRace on_race) {
    Current current{epoch, lifetime_begin(), codes_.number_of(request.step.code()), kind};
    if (request.bytes() >= 4 && !is_atomic(kind)) {
      if (lanes == ~0u && current.is_load() && request.is_at_one_address())
        lanes = lanes_that_count(request, current);
      lanes = remember_settled(request, lanes, current);
    }
    for_each_lane(lanes, [&](int lane) {
      current.thread = request.thread(lane);
      const std::optional<Race> race = check_lane(request, lane, current);
      if (__builtin_expect(race.has_value(), 0)) on_race(lane, *race);
    });
  }
  static unsigned words_of(const WarpRequest& request) {
    return request.bytes() <= 4 ? 1 : request.bytes() / 4;
  }
  // The lanes to check in a warp whose lanes all load the same words. The first lane, the last two,
  // and the lanes whose threads are in the cells leave the same cells as all lanes would. Returns
  // all lanes if there may be a race. Without it, ch6_matmul_tiled needs 77 % more instructions.
  std::uint32_t lanes_that_count(const WarpRequest& request, const Current& current) const {
    std::uint32_t lanes = 0xc0000001;
    const auto add = [&](const ShadowCell& load) {
      if (load.thread() / kWarpSize == request.warp) lanes |= 1u << load.thread() % kWarpSize;
    };
    for (unsigned i = 0; i < words_of(request); ++i) {
      const std::size_t word = request.offset(0) / 4 + i;
      const CommonCells& cells = common_[word];
      if (!is_settled(cells.store, current) || cells.store.marked()) return ~0u;
      add(cells.load);
      if (cells.load.marked()) add(rare_[word].load);
    }
    return lanes;
  }
  // Records the accesses of all lanes if every cell of their words is settled, as when a kernel
  // uses data for the first time. Returns the remaining lanes: all lanes if a cell is not settled,
  // or the lanes from the first one that shares a word with an earlier lane. Without it,
  // ch3_transpose_vectorized needs 25 % more instructions.
  std::uint32_t remember_settled(const WarpRequest& request, std::uint32_t lanes,
                                 const Current& current) {
    const unsigned words = words_of(request);
    const Epoch limit = settled_before(current);
    bool settled = true;
    for (std::uint32_t left = lanes; settled && left != 0; left &= left - 1) {
      const CommonCells* const cells = cells_of(request, __builtin_ctz(left));
      for (unsigned i = 0; i < words; ++i) {
        settled &= cells[i].store.epoch() < limit && cells[i].load.epoch() < limit &&
                   !cells[i].store.marked() && (current.is_load() || !cells[i].load.marked());
      }
    }
    if (!settled) return lanes;
    const auto own = current.is_load() ? &CommonCells::load : &CommonCells::store;
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = __builtin_ctz(lanes);
      const ShadowCell cell = current.cell(request.thread(lane));
      CommonCells* const cells = cells_of(request, lane);
      for (unsigned i = 0; i < words; ++i) {
        if ((cells[i].*own).epoch() == current.epoch) return lanes;
        (cells[i].*own).replace(cell);
      }
    }
    return 0;
  }
  // The cells of the lane's first word; the cells of its other words follow.
  CommonCells* cells_of(const WarpRequest& request, int lane) {
    return &common_[request.offset(lane) / 4];
  }
  std::optional<Race> check_lane(const WarpRequest& request, int lane, Current& current) {
    const std::size_t offset = request.offset(lane);
    if (request.bytes() < 4) current.bytes = ((1u << request.bytes()) - 1) << offset % 4;
    std::optional<Race> first;
    const std::size_t first_word = offset / 4;
    for (std::size_t word = first_word; word < first_word + words_of(request); ++word) {
      if (__builtin_expect(remember_harmless(word, current), 1)) continue;
      const std::optional<Race> race = check_busy_word(word, current);
      if (!first) first = race;
    }
    return first;
  }

  bool is_before_barrier(const ShadowCell& cell) const {
    return cell.epoch() < clock_.last_barrier();
  }

  Epoch lifetime_begin() const {
    if (lifetime_ == Lifetime::block) return clock_.first_begin();
    return lifetime_ == Lifetime::launch
               ? clock_.launch_begin()
               : std::min(clock_.launch_begin(), concurrent_.first_epoch());
  }
  // Returns whether an access at this epoch may still race.
  bool is_alive(Epoch epoch, const Current& current) const {
    return epoch >= current.lifetime_begin &&
           (epoch >= clock_.launch_begin() || concurrent_.at(epoch));
  }
  // Returns whether no later access of the running block can race with it, in this block.
  bool is_settled(const ShadowCell& cell, const Current& current) const {
    const Epoch epoch = cell.epoch();
    return epoch < current.lifetime_begin ||
           (epoch < clock_.last_barrier() && clock_.is_of_block(epoch));
  }
  // All cells from before this epoch are settled.
  Epoch settled_before(const Current& current) const {
    return lifetime_ == Lifetime::block ? clock_.last_barrier() : current.lifetime_begin;
  }
  // Records the access if nothing in the word's cells can race with it; otherwise returns false.
  // Without it, ch2_subset_sum_vectorized needs 26 % more instructions.
  bool remember_harmless(std::size_t word, const Current& current) {
    CommonCells& cells = common_[word];
    if (!is_settled(cells.store, current) || cells.store.marked() || is_atomic(current.kind))
      return false;
    if (current.is_load()) {
      remember_load(word, current);
      return true;
    }
    if (!is_settled(cells.load, current)) return false;
    if (cells.load.marked() && !is_settled(rare_[word].load, current)) return false;
    cells.store = cell_of(current, cells.store);
    return true;
  }
  void remember_load(std::size_t word, const Current& current) {
    CommonCells& common = common_[word];
    if (put_first(common.load, current)) return;
    const bool first_represents_all =
        !clock_.is_of_block(common.load.epoch()) && common.load.epoch() >= clock_.launch_begin() &&
        release_acquire_.none() && (common.load.block_bytes() & current.bytes) == current.bytes;
    // Without this line, ch2_subset_sum_vectorized needs 25 % more instructions
    if (first_represents_all) return;
    put_second(common.load, rare_[word].load, current);
    common.load.mark();
  }
  // Stores an access in the first of two cells of its kind; returns false if it must go into the
  // second. An access of an earlier block stays, because it may race with everything that this
  // block does. An access of this block that a barrier has ordered is replaced, because all later
  // accesses may also race with the new one.
  bool put_first(ShadowCell& first, const Current& current) const {
    const Epoch epoch = first.epoch();
    const bool stays = is_alive(epoch, current) &&
                       (!clock_.is_of_block(epoch) ||
                        (epoch >= clock_.last_barrier() && first.thread() != current.thread));
    if (!stays) first.replace(cell_of(current, first));
    return !stays;
  }
  // The second cell is for a different warp than the first: lanes of one warp are ordered more
  // easily.
  void put_second(const ShadowCell& first, ShadowCell& second, const Current& current) const {
    const bool is_free = is_before_barrier(second) || second.thread() == current.thread ||
                         !clock_.is_of_block(first.epoch()) ||
                         !clock_.is_of_block(second.epoch()) ||
                         (second.own_bytes() & current.bytes) == 0 ||
                         second.thread() / kWarpSize == first.thread() / kWarpSize;
    if (is_free) second = cell_of(current, second);
  }
  ShadowCell cell_of(const Current& current, const ShadowCell& before) const {
    unsigned own = current.bytes, block = current.bytes;
    if (own != 0xf && clock_.is_of_block(before.epoch())) {
      block |= before.block_bytes();
      if (before.thread() == current.thread && before.epoch() == current.epoch)
        own |= before.own_bytes();
    }
    return {current.epoch, current.code_number, current.thread, own, block};
  }

  void record_postponed();
  std::uint32_t fenced_lanes(const WarpRequest& request) const;
  std::optional<Race> check_busy_word(std::size_t word, const Current& current);
  std::optional<Race> find_race(std::size_t word, const Current& current) const;
  bool unordered(const ShadowCell& earlier, const Current& current) const;
  bool races_with_load(const ShadowCell& load, const Current& current) const;
  bool comes_after_own_atomic(const RareCells& rare, Epoch earlier, const Current& current) const;
  Access access(unsigned code, int thread, Epoch epoch, AccessKind kind) const;
  Race race_with(const ShadowCell& earlier, AccessKind kind, const Current& current) const;
  void remember(std::size_t word, const Current& current);

  ShadowMemory<CommonCells> common_;
  ShadowMemory<RareCells> rare_;
  const Lifetime lifetime_;
  const Clock& clock_;
  const ReleaseAcquire& release_acquire_;
  const ConcurrentLaunches& concurrent_;
  CodeTable& codes_;

  std::vector<PostponedLoads> postponed_;  // all in one phase
  Epoch last_change_ = 0;  // when something other than a load last began to be recorded
};

struct RaceDetector::OfBlock {
  std::vector<CommonCells> common;
  std::vector<RareCells> rare;
};

}  // namespace cuda_simulator

#pragma once

#include "execution/lanes.h"
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

namespace cuda_simulator {

// Finds two accesses to one byte, at least one of them a store, that nothing orders: which comes
// first is chance. Two atomic accesses do not race. Within a block a barrier orders, within a warp
// also a __syncwarp() or another warp function; between blocks of a launch, only ReleaseAcquire;
// and of ConcurrentLaunches nothing is ordered.
//
// A volatile access is an atomic one to other volatile and atomic accesses, as in PTX; a store only
// after a fence of its thread, for without one it is no flag but data.
//
// A load that does not wait for a compare-and-swap of another thread is no race either: it is the
// usual first guess, which the thread's own compare-and-swap then checks.
//
// The shadow of each word of 4 bytes has cells for the last store and compare-and-swap, two loads
// and two atomic accesses: of those that may still race, one each, and one more by another thread,
// or it would be nobody's rival.
class RaceDetector {
 public:
  // The shadow of shared memory is forgotten when the block ends, of variables when the launch
  // ends. That of the devices' memory serves launches that may overlap, too.
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

  // Looks for races of what a request's unchecked lanes do with earlier accesses. Calls
  // on_race(lane, const Race&), at most once for each lane.
  template <typename OnRace>
  void check(const WarpRequest& request, OnRace on_race) {
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

  // Calls on_rival(const Access&, offset) for what earlier launches did with a stretch that is now
  // read or written whole, by what they may overlap.
  template <typename OnRival>
  void for_each_rival(std::size_t offset, std::size_t bytes, bool writes, OnRival on_rival) const {
    for (std::size_t at = offset / 4; at < (offset + bytes + 3) / 4; ++at) {
      const CommonCells& common = common_[at];
      const std::size_t first = std::max(offset, at * 4) - at * 4;
      const std::size_t end = std::min(offset + bytes, at * 4 + 4) - at * 4;
      const unsigned of_word = (1u << end) - (1u << first);  // the bytes, as a mask
      const auto look_at = [&](const ShadowCell& cell, AccessKind kind) {
        const unsigned of_both = cell.block_bytes() & of_word;
        if (of_both != 0 && concurrent_.at(cell.epoch()))
          on_rival(access(cell.code_number(), cell.thread(), cell.epoch(), kind),
                   at * 4 + static_cast<unsigned>(__builtin_ctz(of_both)));
      };
      look_at(common.store, AccessKind::store);
      if (writes) look_at(common.load, AccessKind::load);
      if (writes && common.load.marked()) look_at(rare_[at].load, AccessKind::load);
      if (!common.store.marked()) continue;
      const RareCells& rare = rare_[at];
      for (const ShadowCell& atomic : rare.atomics) look_at(atomic, AccessKind::atomic);
      look_at(rare.compare_and_swap, AccessKind::atomic_compare_and_swap);
    }
  }

  // Who stored to a byte last, of all launches since the memory was allocated.
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

 private:
  struct Current {
    Epoch epoch, lifetime_begin;
    unsigned code_number;
    AccessKind kind;
    int thread = 0;
    unsigned bytes = 0xf;  // of the word, as a mask

    bool is_load() const { return kind == AccessKind::load; }
    ShadowCell cell(int by_thread) const { return {epoch, code_number, by_thread, 0xf, 0xf}; }
  };
  // What most words have. load.marked() says that the word's RareCells hold a load, or once did,
  // store.marked() the same of atomic accesses.
  struct CommonCells {
    ShadowCell store, load;
  };
  struct RareCells {
    ShadowCell load, atomics[2], compare_and_swap;
  };

  template <typename OnRace>
  void check_as(AccessKind kind, const WarpRequest& request, std::uint32_t lanes, OnRace on_race) {
    Current current{clock_.now(), lifetime_begin(), codes_.number_of(request.step.code()), kind};
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
  // The lanes to check of a warp whose lanes all load the same words: the first and the last two,
  // and those whose threads are in the cells, leave there what all lanes would leave. All lanes, if
  // there may be a race. Without it, ch6_matmul_tiled takes 77 % more instructions.
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
  // Remembers the accesses of all lanes if every cell of their words is settled, as where a kernel
  // uses data for the first time. Returns the lanes left over: all, if some cell is not settled, or
  // those from the first on that shares a word with an earlier lane. ch3_transpose_vectorized takes
  // 25 % more instructions without it.
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
  // Those of the lane's first word; the others of its access follow it.
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
    if (lifetime_ == Lifetime::block) return clock_.block_begin();
    return lifetime_ == Lifetime::launch
               ? clock_.launch_begin()
               : std::min(clock_.launch_begin(), concurrent_.first_epoch());
  }
  // Whether something that may still race was done at this epoch.
  bool is_alive(Epoch epoch, const Current& current) const {
    return epoch >= current.lifetime_begin &&
           (epoch >= clock_.launch_begin() || concurrent_.at(epoch));
  }
  // Whether nothing that the running block does from now on can race with it, in this block.
  bool is_settled(const ShadowCell& cell, const Current& current) const {
    const Epoch epoch = cell.epoch();
    return epoch < current.lifetime_begin ||
           (epoch >= clock_.block_begin() && epoch < clock_.last_barrier());
  }
  // All cells from before this are settled.
  Epoch settled_before(const Current& current) const {
    return current.lifetime_begin == clock_.block_begin() ? clock_.last_barrier()
                                                          : current.lifetime_begin;
  }
  // Remembers the access if nothing in the word's cells can race with it; otherwise returns false.
  // ch2_subset_sum_vectorized took 26 % more instructions without it.
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
    const bool first_says_all = common.load.epoch() < clock_.block_begin() &&
                                common.load.epoch() >= clock_.launch_begin() &&
                                release_acquire_.none() &&
                                (common.load.block_bytes() & current.bytes) == current.bytes;
    if (first_says_all) return;  // ch2_subset_sum_vectorized took 25 % more instructions without it
    put_second(common.load, rare_[word].load, current);
    common.load.mark();
  }
  // Puts an access among two of its kind; false if it has to go into the second place. One of an
  // earlier block stays: it may race with everything that this block does. One of this block that a
  // barrier has ordered makes place, as all that follow may race with the new one too.
  bool put_first(ShadowCell& first, const Current& current) const {
    const Epoch epoch = first.epoch();
    const bool stays = is_alive(epoch, current) &&
                       (epoch < clock_.block_begin() ||
                        (epoch >= clock_.last_barrier() && first.thread() != current.thread));
    if (!stays) first.replace(cell_of(current, first));
    return !stays;
  }
  // The second place is for another warp than the first's: its own lanes are ordered more easily.
  void put_second(const ShadowCell& first, ShadowCell& second, const Current& current) const {
    const bool is_free = is_before_barrier(second) || second.thread() == current.thread ||
                         first.epoch() < clock_.block_begin() ||
                         (second.own_bytes() & current.bytes) == 0 ||
                         second.thread() / kWarpSize == first.thread() / kWarpSize;
    if (is_free) second = cell_of(current, second);
  }
  ShadowCell cell_of(const Current& current, const ShadowCell& before) const {
    unsigned own = current.bytes, block = current.bytes;
    if (own != 0xf && before.epoch() >= clock_.block_begin()) {
      block |= before.block_bytes();
      if (before.thread() == current.thread && before.epoch() == current.epoch)
        own |= before.own_bytes();
    }
    return {current.epoch, current.code_number, current.thread, own, block};
  }

  std::uint32_t fenced_lanes(const WarpRequest& request) const;
  std::optional<Race> check_busy_word(std::size_t word, const Current& current);
  std::optional<Race> find_race(std::size_t word, const Current& current) const;
  bool unordered(const ShadowCell& earlier, const Current& current) const;
  bool races_with_load(const ShadowCell& load, const Current& current) const;
  bool comes_after_own_atomic(const RareCells& rare, const Current& current) const;
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
};

}  // namespace cuda_simulator

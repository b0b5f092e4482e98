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
      : common_(index_of(bytes / 4) + 1),
        rare_(index_of(bytes / 4) + 1),
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
      const CommonCells& common = common_[index_of(at)];
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
      if (writes && common.load.marked()) look_at(rare_[index_of(at)].load, AccessKind::load);
      if (!common.store.marked()) continue;
      const RareCells& rare = rare_[index_of(at)];
      for (const ShadowCell& atomic : rare.atomics) look_at(atomic, AccessKind::atomic);
      look_at(rare.compare_and_swap, AccessKind::atomic_compare_and_swap);
    }
  }

  void forget(std::size_t offset, std::size_t bytes);
  void forget_all();

 private:
  struct Current {
    Epoch epoch;
    unsigned code_number;
    int thread;
    AccessKind kind;
    unsigned bytes;  // of the word, as a mask
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
    Current current{clock_.now(), codes_.number_of(request.step.code()), 0, kind, 0xf};
    const unsigned bytes = request.bytes(), words = bytes <= 4 ? 1 : bytes / 4;
    // The cells of shared memory are near; those at regular distances the processor sees coming.
    if (lifetime_ != Lifetime::block && !request.is_regular) {
      for_each_lane(lanes, [&](int lane) {
        __builtin_prefetch(&common_[index_of(request.offset(lane) / 4)], /*for writing*/ 1);
      });
    }
    if (bytes >= 4 && !is_atomic(kind)) {
      const Settled settled = settled_now();
      const bool is_load = kind == AccessKind::load;
      if (is_load && lanes == ~0u && request.is_at_one_address())
        lanes = lanes_that_count(request, words, settled);
      lanes = is_load ? lanes_after_settled<true>(request, lanes, words, settled, current)
                      : lanes_after_settled<false>(request, lanes, words, settled, current);
      lanes = is_load ? lanes_left_by<true>(request, lanes, words, settled, current)
                      : lanes_left_by<false>(request, lanes, words, settled, current);
    }
    for_each_lane(lanes, [&](int lane) {
      const std::size_t offset = request.offset(lane);
      current.thread = request.thread(lane);
      if (bytes < 4) current.bytes = ((1u << bytes) - 1) << offset % 4;
      std::optional<Race> first;
      for (unsigned i = 0; i < words; ++i) {
        const std::size_t word = index_of(offset / 4 + i);
        if (__builtin_expect(remember_harmless(word, current), 1)) continue;
        const std::optional<Race> race = check_busy_word(word, current);
        if (!first) first = race;
      }
      if (__builtin_expect(first.has_value(), 0)) on_race(lane, *first);
    });
  }

  // Which cells are settled: see is_settled(). As bits, which are quicker to compare.
  struct Settled {
    std::uint64_t lifetime, block, block_length;

    bool contains(ShadowCell cell) const {
      return cell.bits() < lifetime || cell.bits() - block < block_length;
    }
    // All cells below it are settled, and often there are no others.
    std::uint64_t limit() const { return lifetime == block ? block + block_length : lifetime; }
  };
  Settled settled_now() const {
    const std::uint64_t block = ShadowCell::bits_from(clock_.block_begin());
    return {ShadowCell::bits_from(lifetime_begin()), block,
            ShadowCell::bits_from(clock_.last_barrier()) - block};
  }
  // A word's two cells, as one value of the processor's.
  using CellPair __attribute__((vector_size(16), may_alias)) = std::uint64_t;

  // Of a warp's lanes that all load the same words, those that leave there what all would leave:
  // the first and the last two, and whose threads the cells have already. All, if there may be a
  // race.
  std::uint32_t lanes_that_count(const WarpRequest& request, unsigned words,
                                 Settled settled) const {
    std::uint32_t lanes = 0xc0000001;
    const auto add = [&](const ShadowCell& load) {
      if (load.thread() / kWarpSize == request.warp) lanes |= 1u << load.thread() % kWarpSize;
    };
    for (unsigned i = 0; i < words; ++i) {
      const std::size_t word = index_of(request.offset(0) / 4 + i);
      const CommonCells& cells = common_[word];
      if (!settled.contains(cells.store) || cells.store.marked()) return ~0u;
      add(cells.load);
      if (cells.load.marked()) add(rare_[word].load);
    }
    return lanes;
  }
  // What remember_harmless() does, for whole words, where all lanes' cells are settled. Returns the
  // lanes that it leaves to others: all of them, or those from the first on that shares a word with
  // one before.
  template <bool kIsLoad>
  std::uint32_t lanes_after_settled(const WarpRequest& request, std::uint32_t lanes, unsigned words,
                                    Settled settled, const Current& current) {
    switch (words) {
      case 1:
        return lanes_after_settled<kIsLoad, 1>(request, lanes, settled, current);
      case 2:
        return lanes_after_settled<kIsLoad, 2>(request, lanes, settled, current);
      case 4:
        return lanes_after_settled<kIsLoad, 4>(request, lanes, settled, current);
      default:
        return lanes;
    }
  }
  template <bool kIsLoad, unsigned kWords>
  std::uint32_t lanes_after_settled(const WarpRequest& request, std::uint32_t lanes,
                                    Settled settled, const Current& current) {
    if (current.epoch >> (Clock::kEpochBits - 1) != 0) return lanes;  // or differences would wrap
    const std::uintptr_t region = request.array.region_begin;
    const std::size_t first = (request.addresses[0] - region) / 4;
    if (lanes == ~0u && request.is_one_stretch() &&
        has_cells_side_by_side(first, kWarpSize * kWords)) {
      CommonCells* const cells = &common_[index_of(first)];
      return lanes_after_settled<kIsLoad, kWords>(request, lanes, settled, current, [=](int lane) {
        return cells + static_cast<unsigned>(lane) * kWords;
      });
    }
    std::array<CommonCells*, kWarpSize> cells;
    for_each_lane(lanes, [&](int lane) {
      cells[lane] = &common_[index_of((request.addresses[lane] - region) / 4)];
    });
    return lanes_after_settled<kIsLoad, kWords>(request, lanes, settled, current,
                                                [&](int lane) { return cells[lane]; });
  }
  // `cells_of(lane)` are those of the lane's first word.
  template <bool kIsLoad, unsigned kWords, typename CellsOf>
  std::uint32_t lanes_after_settled(const WarpRequest& request, std::uint32_t lanes,
                                    Settled settled, const Current& current, CellsOf cells_of) {
    const CellPair limit = {settled.limit(), settled.limit()};
    CellPair differences = {~std::uint64_t{0}, ~std::uint64_t{0}}, all = {};
    for_each_lane(lanes, [&](int lane) {
      const auto* const pairs = reinterpret_cast<const CellPair*>(cells_of(lane));
      for (unsigned i = 0; i < kWords; ++i) {
        differences &= pairs[i] - limit;
        all |= pairs[i];
      }
    });
    const bool below_limit = (differences[0] & differences[1]) >> 63 != 0;  // all are negative
    if (!below_limit || ShadowCell::has_mark(all[0]) || (!kIsLoad && ShadowCell::has_mark(all[1])))
      return lanes;

    if (request.has_distinct_words() && !ShadowCell::has_mark(all[kIsLoad ? 1 : 0])) {
      for_each_lane(lanes, [&](int lane) {
        const ShadowCell cell(current.epoch, current.code_number, request.thread(lane), 0xf, 0xf);
        CommonCells* const its_cells = cells_of(lane);
        for (unsigned i = 0; i < kWords; ++i) {
          (kIsLoad ? its_cells[i].load : its_cells[i].store) = cell;
        }
      });
      return 0;
    }
    const std::uint64_t taken = ShadowCell::bits_from(current.epoch);
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      const ShadowCell cell(current.epoch, current.code_number, request.thread(lane), 0xf, 0xf);
      CommonCells* const its_cells = cells_of(lane);
      for (unsigned i = 0; i < kWords; ++i) {
        ShadowCell& own = kIsLoad ? its_cells[i].load : its_cells[i].store;
        if (own.bits() >= taken) return left;
        own.replace(cell);
      }
    }
    return 0;
  }
  // What remember_harmless() does, for whole words of all lanes at once. Returns the lanes that it
  // leaves to others: some of their words have cells that are not settled, and not only loads.
  template <bool kIsLoad>
  std::uint32_t lanes_left_by(const WarpRequest& request, std::uint32_t lanes, unsigned words,
                              Settled settled, const Current& current) {
    std::uint32_t left = 0;
    for_each_lane(lanes, [&](int lane) {
      const ShadowCell cell(current.epoch, current.code_number, request.thread(lane), 0xf, 0xf);
      const std::size_t first = request.offset(lane) / 4;
      bool harmless = true;
      for (unsigned i = 0; i < words; ++i) {
        const std::size_t word = index_of(first + i);
        CommonCells& cells = common_[word];
        harmless &= settled.contains(cells.store) && !cells.store.marked();
        if (!harmless || (kIsLoad && is_known_from_two_warps(word, cell))) continue;
        harmless = (settled.contains(cells.load) && (kIsLoad || !cells.load.marked())) ||
                   (kIsLoad && is_own_since_barrier(cells.load, cell));
        if (harmless) (kIsLoad ? cells.load : cells.store).replace(cell);
      }
      left |= static_cast<std::uint32_t>(!harmless) << lane;
    });
    return left;
  }

  // Whether remember_load() would change nothing: since the last barrier, threads of two warps have
  // loaded the word, and the one that does now is neither of those. A tile's words are all read so.
  bool is_known_from_two_warps(std::size_t word, const ShadowCell& load) const {
    const ShadowCell first = common_[word].load;
    if (!first.marked() || is_before_barrier(first) || first.is_by_thread_of(load)) return false;
    const ShadowCell second = rare_[word].load;
    return !is_before_barrier(second) && !second.is_by_thread_of(load) &&
           second.thread() / kWarpSize != first.thread() / kWarpSize;
  }
  bool is_own_since_barrier(const ShadowCell& earlier, const ShadowCell& now) const {
    return !is_before_barrier(earlier) && earlier.is_by_thread_of(now);
  }
  bool is_before_barrier(const ShadowCell& cell) const {
    return cell.epoch() < clock_.last_barrier();
  }

  // Where a word's cells are. A cache line is left out now and then: the words of a column would
  // otherwise all compete for a few places of the processor's cache.
  static std::size_t index_of(std::size_t word) { return word + (word >> 8) * 4; }
  static bool has_cells_side_by_side(std::size_t first_word, std::size_t words) {
    return first_word >> 8 == (first_word + words - 1) >> 8;
  }
  Epoch lifetime_begin() const {
    if (lifetime_ == Lifetime::block) return clock_.block_begin();
    return lifetime_ == Lifetime::launch
               ? clock_.launch_begin()
               : std::min(clock_.launch_begin(), concurrent_.first_epoch());
  }
  // Whether something that may still race was done at this epoch.
  bool is_alive(Epoch epoch) const {
    return epoch >= lifetime_begin() && (epoch >= clock_.launch_begin() || concurrent_.at(epoch));
  }
  // Whether nothing that the running block does from now on can race with it, in this block.
  bool is_settled(const ShadowCell& cell) const {
    const Epoch epoch = cell.epoch();
    return epoch < lifetime_begin() ||
           (epoch >= clock_.block_begin() && epoch < clock_.last_barrier());
  }
  // Remembers the access if a look at the word's cells shows that nothing in them races with it;
  // else returns false.
  bool remember_harmless(std::size_t word, const Current& current) {
    CommonCells& cells = common_[word];
    if (!is_settled(cells.store) || cells.store.marked() || is_atomic(current.kind)) return false;
    if (current.kind == AccessKind::load) {
      remember_load(word, current);
      return true;
    }
    if (!is_settled(cells.load)) return false;
    if (cells.load.marked() && !is_settled(rare_[word].load)) return false;
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
    if (first_says_all) return;
    put_second(common.load, rare_[word].load, current);
    common.load.mark();
  }
  // Puts an access among two of its kind; false if it has to go into the second place. One of an
  // earlier block stays: it may race with everything that this block does. One of this block that a
  // barrier has ordered makes place, as all that follow may race with the new one too.
  bool put_first(ShadowCell& first, const Current& current) const {
    const Epoch epoch = first.epoch();
    const bool stays =
        is_alive(epoch) && (epoch < clock_.block_begin() ||
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

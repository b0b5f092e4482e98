#pragma once

#include "simulator/groups.h"

// Groups of consecutive threads with a size known to the compiler, and functions that divide
// groups.

namespace cooperative_groups {

namespace details {

// The members of a tile of kSize lanes, for any parent.
template <unsigned kSize, bool kIsLarge = (kSize > 32)>
class TileOfSize {
  static_assert(kSize > 0 && (kSize & (kSize - 1)) == 0,
                "a tile must have 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024 threads");

 public:
  CUDA_SIMULATOR_CALLED static void sync() {
    cuda_simulator::synchronise_warp(lanes(), __builtin_return_address(0));
  }
  static unsigned thread_rank() { return cuda_simulator::rank_in_block() & (kSize - 1); }
  static constexpr unsigned num_threads() { return kSize; }
  static constexpr unsigned size() { return kSize; }

  // Ranks are taken modulo the size. A member whose source is outside the tile keeps its own value.

  template <typename T>
  CUDA_SIMULATOR_CALLED T shfl(T value, int source_rank) const {
    return cuda_simulator::shuffle_object(
        lanes(), value, cuda_simulator::lane_at(source_rank, kSize), __builtin_return_address(0));
  }
  template <typename T>
  CUDA_SIMULATOR_CALLED T shfl_up(T value, unsigned delta) const {
    return cuda_simulator::shuffle_object(lanes(), value, cuda_simulator::lane_below(delta, kSize),
                                          __builtin_return_address(0));
  }
  template <typename T>
  CUDA_SIMULATOR_CALLED T shfl_down(T value, unsigned delta) const {
    return cuda_simulator::shuffle_object(lanes(), value, cuda_simulator::lane_above(delta, kSize),
                                          __builtin_return_address(0));
  }
  template <typename T>
  CUDA_SIMULATOR_CALLED T shfl_xor(T value, unsigned lane_mask) const {
    return cuda_simulator::shuffle_object(
        lanes(), value, cuda_simulator::lane_across(static_cast<int>(lane_mask), kSize),
        __builtin_return_address(0));
  }

  CUDA_SIMULATOR_CALLED int any(int predicate) const {
    return cuda_simulator::ballot(lanes(), predicate != 0, __builtin_return_address(0)) != 0;
  }
  // 0 in the last tile of a block that does not fill it, as on a GPU.
  CUDA_SIMULATOR_CALLED int all(int predicate) const {
    return cuda_simulator::ballot(lanes(), predicate != 0, __builtin_return_address(0)) == lanes();
  }
  CUDA_SIMULATOR_CALLED unsigned ballot(int predicate) const {
    return cuda_simulator::ballot(lanes(), predicate != 0, __builtin_return_address(0)) >>
           first_lane();
  }
  template <typename T>
  CUDA_SIMULATOR_CALLED unsigned match_any(T value) const {
    return matches(value, __builtin_return_address(0)) >> first_lane();
  }
  template <typename T>
  CUDA_SIMULATOR_CALLED unsigned match_all(T value, int& predicate) const {
    predicate = matches(value, __builtin_return_address(0)) == lanes();
    return predicate ? lanes() >> first_lane() : 0;
  }

 protected:
  CUDA_SIMULATOR_UNTRACED __forceinline__ static int first_lane() {
    return cuda_simulator::lane() & ~static_cast<int>(kSize - 1);
  }
  CUDA_SIMULATOR_UNTRACED __forceinline__ static unsigned lanes() {
    return ~0u >> (32 - kSize) << first_lane();
  }

 private:
  friend struct GroupAccess;

  template <typename T>
  CUDA_SIMULATOR_UNTRACED __forceinline__ static unsigned matches(T value, const void* caller) {
    static_assert(std::is_arithmetic_v<T>, "match_any and match_all need an arithmetic type");
    return cuda_simulator::match_any(lanes(), cuda_simulator::to_bits(value), caller);
  }
};

// The members of a tile of several warps.
template <unsigned kSize>
class TileOfSize<kSize, true> {
  static_assert((kSize & (kSize - 1)) == 0 && kSize <= 1024,
                "a tile must have 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024 threads");

 public:
  CUDA_SIMULATOR_CALLED static void sync() {
    cuda_simulator::synchronise_tile(kSize, __builtin_return_address(0));
  }
  static unsigned thread_rank() { return cuda_simulator::rank_in_block() & (kSize - 1); }
  static constexpr unsigned num_threads() { return kSize; }
  static constexpr unsigned size() { return kSize; }

  template <typename T>
  CUDA_SIMULATOR_CALLED T shfl(T value, unsigned source_rank) const {
    return exchange(value, __builtin_return_address(0),
                    [source_rank](const auto& of_rank) { return of_rank(source_rank % kSize); });
  }
  CUDA_SIMULATOR_CALLED int any(int predicate) const {
    return count(predicate, __builtin_return_address(0)) > 0;
  }
  CUDA_SIMULATOR_CALLED int all(int predicate) const {
    return count(predicate, __builtin_return_address(0)) == kSize;
  }

  // Calls compute(of_rank), where of_rank(r) is the value of the thread of rank r.
  template <typename T, typename Compute>
  CUDA_SIMULATOR_UNTRACED static T exchange(T value, const void* caller, Compute compute) {
    static_assert(std::is_trivially_copyable_v<T>, "groups exchange only trivially copyable types");
    static_assert(sizeof(T) <= 32, "groups exchange values of at most 32 bytes");
    const unsigned first = cuda_simulator::rank_in_block() & ~(kSize - 1);
    cuda_simulator::put_value(&value, sizeof value);
    cuda_simulator::synchronise_tile(kSize, caller);
    value = compute([first](unsigned rank) CUDA_SIMULATOR_UNTRACED {
      T other;
      cuda_simulator::get_value(&other, sizeof other, first + rank);
      return other;
    });
    cuda_simulator::synchronise_tile(kSize, caller);
    return value;
  }

 private:
  CUDA_SIMULATOR_UNTRACED static unsigned count(int predicate, const void* caller) {
    return exchange(unsigned(predicate != 0), caller, [](const auto& of_rank) {
      unsigned sum = 0;
      for (unsigned rank = 0; rank < kSize; ++rank) sum += of_rank(rank);
      return sum;
    });
  }
};

}  // namespace details

// A tile with its parent type.
template <unsigned kSize, typename Parent = void>
class thread_block_tile : public details::TileOfSize<kSize> {
 public:
  static unsigned meta_group_rank() { return Parent::thread_rank() / kSize; }
  static unsigned meta_group_size() { return (Parent::size() + kSize - 1) / kSize; }
  operator thread_block_tile<kSize>() const {
    return thread_block_tile<kSize>(meta_group_rank(), meta_group_size());
  }

 private:
  friend struct details::GroupAccess;
  thread_block_tile() = default;
};

// A tile of any parent.
template <unsigned kSize>
class thread_block_tile<kSize, void> : public details::TileOfSize<kSize>, public thread_group {
  static_assert(kSize <= 32, "name the parent of a tile of more than 32 threads, or write auto");
  using Tile = details::TileOfSize<kSize>;

 public:
  using Tile::num_threads;
  using Tile::size;
  using Tile::sync;
  using Tile::thread_rank;
  unsigned meta_group_rank() const { return meta_group_rank_; }
  unsigned meta_group_size() const { return meta_group_size_; }

 private:
  template <unsigned, typename>
  friend class thread_block_tile;
  friend struct details::GroupAccess;
  explicit thread_block_tile(unsigned meta_group_rank, unsigned meta_group_size)
      : thread_group(Tile::lanes(), meta_group_rank, meta_group_size) {}
};

namespace details {

template <typename Group>
constexpr unsigned kTileSize = 0;  // not a tile
template <unsigned kSize, typename Parent>
constexpr unsigned kTileSize<thread_block_tile<kSize, Parent>> = kSize;

template <typename Group>
constexpr bool kIsOfOneWarp =
    (kTileSize<Group> > 0 && kTileSize<Group> <= 32) || std::is_same_v<Group, coalesced_group>;

// The access to groups that functions on groups need.
struct GroupAccess {
  template <unsigned kSize, typename Parent>
  static unsigned lanes(const thread_block_tile<kSize, Parent>&) {
    return TileOfSize<kSize>::lanes();
  }
  static unsigned lanes(const coalesced_group& group) { return group.lanes_; }

  template <typename Group>
  CUDA_SIMULATOR_UNTRACED __forceinline__ static void wait(const Group& group, const void* caller) {
    if constexpr (kTileSize < Group >> 32) {
      cuda_simulator::synchronise_tile(kTileSize<Group>, caller);
    } else if constexpr (kTileSize<Group> != 0) {
      cuda_simulator::synchronise_warp(lanes(group), caller);
    } else if constexpr (std::is_same_v<Group, grid_group>) {
      cuda_simulator::synchronise_grid(caller);
    } else {
      static_cast<const thread_group&>(group).wait(caller);
    }
  }

  template <unsigned kSize, typename Parent>
  static thread_block_tile<kSize, Parent> tile() {
    if constexpr (std::is_void_v<Parent>) {
      return thread_block_tile<kSize>(0, 1);
    } else {
      return {};
    }
  }
  static coalesced_group coalesced(unsigned lanes, unsigned meta_group_rank,
                                   unsigned meta_group_size) {
    return coalesced_group(lanes, meta_group_rank, meta_group_size);
  }

  // The part of `lanes`, by rank, that this lane is in.
  CUDA_SIMULATOR_UNTRACED __forceinline__ static coalesced_group part(unsigned lanes, unsigned size,
                                                                      const void* caller) {
    check_size(size, caller);
    const unsigned count = static_cast<unsigned>(__builtin_popcount(lanes));
    const unsigned part = cuda_simulator::rank_among(lanes) / size;
    unsigned members = 0;
    for (unsigned rank = part * size; rank < count && rank < (part + 1) * size; ++rank) {
      members |= 1u << cuda_simulator::lane_of_rank(lanes, rank);
    }
    return coalesced_group(members, part, (count + size - 1) / size);
  }
  CUDA_SIMULATOR_UNTRACED __forceinline__ static thread_group part(const thread_group& group,
                                                                   unsigned size,
                                                                   const void* caller) {
    if (group.kind_ == thread_group::Kind::lanes) return part(group.lanes_, size, caller);
    if (group.kind_ == thread_group::Kind::grid)
      cuda_simulator::refuse_grid_as_thread_group(caller);
    check_size(size, caller);
    const unsigned rank = cuda_simulator::rank_in_block() & ~(size - 1);
    const unsigned left = cuda_simulator::threads_of_block() - rank;
    const unsigned count = left < size ? left : size;
    const unsigned first_lane = static_cast<unsigned>(cuda_simulator::lane()) & ~(size - 1);
    return thread_group(~0u >> (32 - count) << first_lane, rank / size,
                        (cuda_simulator::threads_of_block() + size - 1) / size);
  }

 private:
  CUDA_SIMULATOR_UNTRACED __forceinline__ static void check_size(unsigned size,
                                                                 const void* caller) {
    if (!cuda_simulator::divides_warp(size)) cuda_simulator::refuse_tile_size(size, caller);
  }
};

}  // namespace details

// Tiles of kSize threads, in the order of the parent's ranks. The parent is a block or a tile.
template <unsigned kSize, typename Parent>
thread_block_tile<kSize, Parent> tiled_partition(const Parent&) {
  static_assert(std::is_same_v<Parent, thread_block> || details::kTileSize<Parent> != 0,
                "tiled_partition<size> divides only a block or a tile; for other groups use "
                "tiled_partition(group, size)");
  static_assert(details::kTileSize<Parent> == 0 || kSize < details::kTileSize<Parent>,
                "the parts must be smaller than the tile");
  return details::GroupAccess::tile<kSize, Parent>();
}

// The same with a size at run time, a power of two up to 32.
CUDA_SIMULATOR_CALLED inline thread_group tiled_partition(const thread_group& parent,
                                                          unsigned size) {
  return details::GroupAccess::part(parent, size, __builtin_return_address(0));
}
CUDA_SIMULATOR_CALLED inline coalesced_group tiled_partition(const coalesced_group& parent,
                                                             unsigned size) {
  return details::GroupAccess::part(details::GroupAccess::lanes(parent), size,
                                    __builtin_return_address(0));
}

inline thread_block_tile<1> this_thread() { return details::GroupAccess::tile<1, void>(); }

// The members with the same predicate, or the same label, as this member.
template <typename Group>
CUDA_SIMULATOR_CALLED coalesced_group binary_partition(const Group& group, bool predicate) {
  static_assert(details::kIsOfOneWarp<Group>,
                "this function divides only tiles and coalesced groups");
  const unsigned lanes = details::GroupAccess::lanes(group);
  const unsigned yes = cuda_simulator::ballot(lanes, predicate, __builtin_return_address(0));
  if (yes == lanes || yes == 0) return details::GroupAccess::coalesced(lanes, 0, 1);
  return details::GroupAccess::coalesced(predicate ? yes : lanes & ~yes, predicate, 2);
}

template <typename Group, typename Label>
CUDA_SIMULATOR_CALLED coalesced_group labeled_partition(const Group& group, Label label) {
  static_assert(details::kIsOfOneWarp<Group>,
                "this function divides only tiles and coalesced groups");
  static_assert(std::is_integral_v<Label> || std::is_pointer_v<Label>,
                "a label must be an integer or a pointer");
  if constexpr (std::is_same_v<Label, bool>) return binary_partition(group, label);
  const void* const caller = __builtin_return_address(0);
  const unsigned lanes = details::GroupAccess::lanes(group);
  const unsigned members = cuda_simulator::match_any(lanes, cuda_simulator::to_bits(label), caller);
  const int leader = __builtin_ctz(members);
  const unsigned leaders = cuda_simulator::ballot(lanes, cuda_simulator::lane() == leader, caller);
  return details::GroupAccess::coalesced(
      members, static_cast<unsigned>(__builtin_popcount(leaders & ((1u << leader) - 1))),
      static_cast<unsigned>(__builtin_popcount(leaders)));
}

}  // namespace cooperative_groups

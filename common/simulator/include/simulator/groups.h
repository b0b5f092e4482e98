#pragma once

#include "simulator/group_lanes.h"
#include "simulator/vector_types.h"

// Cooperative groups whose size is known only at run time: thread_group and the groups that convert
// to it. tiles.h has the others. Names and results are those of CUDA 13.

namespace cooperative_groups {

namespace details {
struct GroupAccess;
}  // namespace details

// Any group except a grid: a block, or lanes of a warp. As in CUDA, a grid_group also converts to
// it. But CUDA stores the kind of a thread_group in the same bytes as the pointer that the sync()
// of a grid_group needs. So on a GPU the converted group has a different kind, whose sync() does
// not wait for the grid. Here such a group cannot be used.
class thread_group {
 public:
  unsigned long long num_threads() const;
  unsigned long long size() const;
  unsigned long long thread_rank() const;
  CUDA_SIMULATOR_CALLED void sync() const { wait(__builtin_return_address(0)); }

  thread_group(const thread_group&) = default;
  thread_group& operator=(const thread_group&) = delete;  // as in CUDA

 protected:
  enum class Kind : unsigned char { block, grid, lanes };
  explicit thread_group(Kind kind) : kind_(kind) {}
  thread_group(unsigned lanes, unsigned meta_group_rank, unsigned meta_group_size)
      : kind_(Kind::lanes),
        lanes_(lanes),
        meta_group_rank_(meta_group_rank),
        meta_group_size_(meta_group_size) {}

  void wait(const void* caller) const;

  Kind kind_;
  unsigned lanes_ = 0, meta_group_rank_ = 0, meta_group_size_ = 1;

 private:
  friend struct details::GroupAccess;
};

// The threads of a block.
class thread_block : public thread_group {
 public:
  CUDA_SIMULATOR_CALLED static void sync() {
    cuda_simulator::synchronise_block(__builtin_return_address(0));
  }
  struct arrival_token {};
  arrival_token barrier_arrive() const { return {}; }
  CUDA_SIMULATOR_CALLED void barrier_wait(arrival_token&&) const {
    cuda_simulator::synchronise_block(__builtin_return_address(0));
  }

  static unsigned thread_rank() { return cuda_simulator::rank_in_block(); }
  static unsigned num_threads() { return cuda_simulator::threads_of_block(); }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 dim_threads() { return blockDim; }
  static dim3 group_dim() { return dim_threads(); }

 private:
  friend thread_block this_thread_block();
  thread_block() : thread_group(Kind::block) {}
};

inline thread_block this_thread_block() { return {}; }

// Tiles of more than 32 threads need no memory here, as on GPUs from compute capability 8.0 on.
template <unsigned kMaxBlockSize = 1024>
struct alignas(8) block_tile_memory {};
template <unsigned kMaxBlockSize>
thread_block this_thread_block(block_tile_memory<kMaxBlockSize>&) {
  return this_thread_block();
}

// All threads of a launch. They can wait for each other after cudaLaunchCooperativeKernel; after a
// launch with <<<...>>>, sync() ends the grid, as on a GPU.
class grid_group : public thread_group {
 public:
  static bool is_valid() { return cuda_simulator::is_cooperative_launch(); }
  CUDA_SIMULATOR_CALLED static void sync() {
    cuda_simulator::synchronise_grid(__builtin_return_address(0));
  }
  struct arrival_token {};
  arrival_token barrier_arrive() const { return {}; }
  CUDA_SIMULATOR_CALLED void barrier_wait(arrival_token&&) const {
    cuda_simulator::synchronise_grid(__builtin_return_address(0));
  }

  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long num_threads() {
    return num_blocks() * cuda_simulator::threads_of_block();
  }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  static unsigned long long thread_rank() {
    return block_rank() * cuda_simulator::threads_of_block() + cuda_simulator::rank_in_block();
  }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return dim_blocks(); }
  static dim3 block_index() { return blockIdx; }
  static dim3 dim_threads() {
    return {gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z};
  }
  static dim3 thread_index() {
    return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
            blockIdx.z * blockDim.z + threadIdx.z};
  }

 private:
  friend grid_group this_grid();
  grid_group() : thread_group(Kind::grid) {}
};

inline grid_group this_grid() { return {}; }

// Some lanes of a warp: those that have reached the same place together.
class coalesced_group : public thread_group {
 public:
  CUDA_SIMULATOR_CALLED void sync() const { wait(__builtin_return_address(0)); }
  unsigned num_threads() const { return static_cast<unsigned>(__builtin_popcount(lanes_)); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const { return cuda_simulator::rank_among(lanes_); }
  unsigned meta_group_rank() const { return meta_group_rank_; }
  unsigned meta_group_size() const { return meta_group_size_; }

  // A member whose source is outside the group keeps its own value.

  template <typename T>
  CUDA_SIMULATOR_CALLED T shfl(T value, int source_rank) const {
    return take(value, source_rank, __builtin_return_address(0));
  }
  template <typename T>
  CUDA_SIMULATOR_CALLED T shfl_up(T value, int delta) const {
    return take(value, static_cast<int>(thread_rank()) - delta, __builtin_return_address(0));
  }
  template <typename T>
  CUDA_SIMULATOR_CALLED T shfl_down(T value, unsigned delta) const {
    return take(value, static_cast<int>(thread_rank() + delta), __builtin_return_address(0));
  }

  CUDA_SIMULATOR_CALLED int any(int predicate) const {
    return cuda_simulator::ballot(lanes_, predicate != 0, __builtin_return_address(0)) != 0;
  }
  CUDA_SIMULATOR_CALLED int all(int predicate) const {
    return cuda_simulator::ballot(lanes_, predicate != 0, __builtin_return_address(0)) == lanes_;
  }
  CUDA_SIMULATOR_CALLED unsigned ballot(int predicate) const {
    return cuda_simulator::by_rank(
        lanes_, cuda_simulator::ballot(lanes_, predicate != 0, __builtin_return_address(0)));
  }
  template <typename T>
  CUDA_SIMULATOR_CALLED unsigned match_any(T value) const {
    return matches(value, __builtin_return_address(0));
  }
  template <typename T>
  CUDA_SIMULATOR_CALLED unsigned match_all(T value, int& predicate) const {
    const unsigned matching = matches(value, __builtin_return_address(0));
    predicate = matching == cuda_simulator::by_rank(lanes_, lanes_);
    return predicate ? matching : 0;
  }

 private:
  friend struct details::GroupAccess;
  friend coalesced_group coalesced_threads();
  explicit coalesced_group(unsigned lanes, unsigned meta_group_rank = 0,
                           unsigned meta_group_size = 1)
      : thread_group(lanes, meta_group_rank, meta_group_size) {}

  template <typename T>
  CUDA_SIMULATOR_UNTRACED __forceinline__ T take(T value, int source_rank,
                                                 const void* caller) const {
    const int source =
        source_rank < 0 ? cuda_simulator::lane()
                        : cuda_simulator::lane_of_rank(lanes_, static_cast<unsigned>(source_rank));
    return cuda_simulator::shuffle_object(lanes_, value, source, caller);
  }
  template <typename T>
  CUDA_SIMULATOR_UNTRACED __forceinline__ unsigned matches(T value, const void* caller) const {
    static_assert(std::is_arithmetic_v<T>, "match_any and match_all need an arithmetic type");
    const std::uint64_t bits = cuda_simulator::to_bits(value);
    return cuda_simulator::by_rank(lanes_, cuda_simulator::match_any(lanes_, bits, caller));
  }
};

CUDA_SIMULATOR_CALLED inline coalesced_group coalesced_threads() {
  return coalesced_group(cuda_simulator::active_mask(__builtin_return_address(0)));
}

CUDA_SIMULATOR_CALLED inline unsigned long long thread_group::num_threads() const {
  switch (kind_) {
    case Kind::block:
      return thread_block::num_threads();
    case Kind::grid:
      cuda_simulator::refuse_grid_as_thread_group(__builtin_return_address(0));
    case Kind::lanes:
      break;
  }
  return static_cast<unsigned long long>(__builtin_popcount(lanes_));
}

__forceinline__ unsigned long long thread_group::size() const { return num_threads(); }

CUDA_SIMULATOR_CALLED inline unsigned long long thread_group::thread_rank() const {
  switch (kind_) {
    case Kind::block:
      return thread_block::thread_rank();
    case Kind::grid:
      cuda_simulator::refuse_grid_as_thread_group(__builtin_return_address(0));
    case Kind::lanes:
      break;
  }
  return cuda_simulator::rank_among(lanes_);
}

CUDA_SIMULATOR_UNTRACED inline void thread_group::wait(const void* caller) const {
  switch (kind_) {
    case Kind::block:
      cuda_simulator::synchronise_block(caller);
      break;
    case Kind::grid:
      cuda_simulator::refuse_grid_as_thread_group(caller);
    case Kind::lanes:
      cuda_simulator::synchronise_warp(lanes_, caller);
      break;
  }
}

}  // namespace cooperative_groups

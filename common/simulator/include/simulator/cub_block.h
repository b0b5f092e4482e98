#pragma once

// CUB's collective functions of a warp and a block: code of the kernel, with counts.

#include "simulator/cub_operators.h"

#include <cuda_runtime.h>

#include <type_traits>

namespace cub {

// All of them reduce warp by warp here.
enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace detail {

constexpr int kLanes = 32;

// The lanes of a warp, or of the first `lanes` threads of the last one.
__device__ __forceinline__ unsigned mask_of(int lanes) {
  return lanes < kLanes ? (1u << lanes) - 1 : 0xffffffff;
}
__device__ __forceinline__ int thread_of_block() {
  return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}

// The result is in lane 0 of each `Width` lanes. `valid`: the lanes that take part.
template <int Width, typename T, typename Op>
__device__ __forceinline__ T reduce_lanes(T value, Op op, int lane, int valid, unsigned mask) {
  for (int distance = 1; distance < Width; distance *= 2) {
    const T other = __shfl_down_sync(mask, value, distance, Width);
    if (lane + distance < valid) value = op(value, other);
  }
  return value;
}

}  // namespace detail

// LOGICAL_WARP_THREADS: a power of two. The result is in the first lane of each logical warp.
template <typename T, int LOGICAL_WARP_THREADS = 32>
class WarpReduce {
  static_assert(std::is_arithmetic_v<T>, "In the simulator, cub::WarpReduce is for numbers only.");
  static_assert(LOGICAL_WARP_THREADS >= 1 && LOGICAL_WARP_THREADS <= 32 &&
                    (LOGICAL_WARP_THREADS & (LOGICAL_WARP_THREADS - 1)) == 0,
                "In the simulator, a logical warp of CUB has 1, 2, 4, 8, 16 or 32 threads.");

 public:
  struct TempStorage {};
  __device__ __forceinline__ explicit WarpReduce(TempStorage&) {}

  template <typename Op>
  __device__ __forceinline__ T Reduce(T value, Op op, int valid_items = LOGICAL_WARP_THREADS) {
    const int lane = detail::thread_of_block() % detail::kLanes;
    const int first = lane / LOGICAL_WARP_THREADS * LOGICAL_WARP_THREADS;
    return detail::reduce_lanes<LOGICAL_WARP_THREADS>(
        value, op, lane - first, valid_items, detail::mask_of(LOGICAL_WARP_THREADS) << first);
  }
  __device__ __forceinline__ T Sum(T value, int valid_items = LOGICAL_WARP_THREADS) {
    return Reduce(value, cub::Sum(), valid_items);
  }
};

// The result is in thread 0. Before the storage is used again, the block needs __syncthreads().
template <typename T, int BLOCK_DIM_X,
          BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1>
class BlockReduce {
  static_assert(std::is_arithmetic_v<T>, "In the simulator, cub::BlockReduce is for numbers only.");
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static constexpr int kWarps = (kThreads + detail::kLanes - 1) / detail::kLanes;

 public:
  struct TempStorage {
    T of_warp[kWarps];
  };
  __device__ __forceinline__ BlockReduce() : storage_(own_storage()) {}
  __device__ __forceinline__ explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  template <typename Op>
  __device__ __forceinline__ T Reduce(T value, Op op, int num_valid = kThreads) {
    const int thread = detail::thread_of_block(), lane = thread % detail::kLanes;
    const int first = thread - lane;
    const int lanes = kThreads - first < detail::kLanes ? kThreads - first : detail::kLanes;
    value = detail::reduce_lanes<detail::kLanes>(value, op, lane, num_valid - first,
                                                 detail::mask_of(lanes));
    if (lane == 0) storage_.of_warp[thread / detail::kLanes] = value;
    __syncthreads();
    if (thread == 0) {
      for (int warp = 1; warp < kWarps && warp * detail::kLanes < num_valid; ++warp)
        value = op(value, storage_.of_warp[warp]);
    }
    return value;
  }
  template <int ITEMS, typename Op>
  __device__ __forceinline__ T Reduce(T (&items)[ITEMS], Op op) {
    T value = items[0];
    for (int i = 1; i < ITEMS; ++i) value = op(value, items[i]);
    return Reduce(value, op);
  }
  __device__ __forceinline__ T Sum(T value, int num_valid = kThreads) {
    return Reduce(value, cub::Sum(), num_valid);
  }
  template <int ITEMS>
  __device__ __forceinline__ T Sum(T (&items)[ITEMS]) {
    return Reduce(items, cub::Sum());
  }

 private:
  __device__ __forceinline__ static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage& storage_;
};

// Every thread gets its prefix. Before the storage is used again, the block needs __syncthreads().
template <typename T, int BLOCK_DIM_X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockScan {
  static_assert(std::is_arithmetic_v<T>, "In the simulator, cub::BlockScan is for numbers only.");
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static constexpr int kWarps = (kThreads + detail::kLanes - 1) / detail::kLanes;

 public:
  struct TempStorage {
    T of_warp[kWarps];
  };
  __device__ __forceinline__ BlockScan() : storage_(own_storage()) {}
  __device__ __forceinline__ explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  template <typename Op>
  __device__ __forceinline__ void InclusiveScan(T input, T& output, Op op) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate);
  }
  template <typename Op>
  __device__ __forceinline__ void InclusiveScan(T input, T& output, Op op, T& block_aggregate) {
    T before;
    scan(input, output, before, op, block_aggregate);
  }
  template <typename Op>
  __device__ __forceinline__ void ExclusiveScan(T input, T& output, T initial_value, Op op) {
    T aggregate;
    ExclusiveScan(input, output, initial_value, op, aggregate);
  }
  template <typename Op>
  __device__ __forceinline__ void ExclusiveScan(T input, T& output, T initial_value, Op op,
                                                T& block_aggregate) {
    T after, before;
    scan(input, after, before, op, block_aggregate);
    output = detail::thread_of_block() == 0 ? initial_value : op(initial_value, before);
  }
  __device__ __forceinline__ void InclusiveSum(T input, T& output) {
    InclusiveScan(input, output, cub::Sum());
  }
  __device__ __forceinline__ void InclusiveSum(T input, T& output, T& block_aggregate) {
    InclusiveScan(input, output, cub::Sum(), block_aggregate);
  }
  __device__ __forceinline__ void ExclusiveSum(T input, T& output) {
    ExclusiveScan(input, output, T{0}, cub::Sum());
  }
  __device__ __forceinline__ void ExclusiveSum(T input, T& output, T& block_aggregate) {
    ExclusiveScan(input, output, T{0}, cub::Sum(), block_aggregate);
  }

 private:
  __device__ __forceinline__ static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }

  // after, before: the prefix with and without the thread's own value; thread 0 has none before.
  template <typename Op>
  __device__ __forceinline__ void scan(T value, T& after, T& before, Op op, T& aggregate) {
    const int thread = detail::thread_of_block(), lane = thread % detail::kLanes;
    const int warp = thread / detail::kLanes, first = thread - lane;
    const int lanes = kThreads - first < detail::kLanes ? kThreads - first : detail::kLanes;
    for (int distance = 1; distance < detail::kLanes; distance *= 2) {
      const T other = __shfl_up_sync(detail::mask_of(lanes), value, distance);
      if (lane >= distance) value = op(other, value);
    }
    const T previous = __shfl_up_sync(detail::mask_of(lanes), value, 1);
    if (lane == lanes - 1) storage_.of_warp[warp] = value;
    __syncthreads();
    T warps_before = value;  // of the warps before this one; not used in warp 0
    aggregate = storage_.of_warp[0];
    for (int other = 1; other <= kWarps; ++other) {
      if (other == warp) warps_before = aggregate;
      if (other < kWarps) aggregate = op(aggregate, storage_.of_warp[other]);
    }
    after = warp == 0 ? value : op(warps_before, value);
    before = lane == 0 ? warps_before : warp == 0 ? previous : op(warps_before, previous);
  }

  TempStorage& storage_;
};

}  // namespace cub

// Stage 08: persistent kernel with a grid-wide barrier
//
// The passes of stage 07 in one kernel. The grid has as many blocks as the GPU runs at once, and
// they stay until all items are added. Between two passes the blocks wait at grid.sync(), a barrier
// for a grid as __syncthreads() is for a block. It needs a cooperative launch, which is refused
// unless all blocks fit at the same time. A block computes several parts of the column per pass.
// The shifts of all passes are parameters of the launch. Items of 0, which change nothing, fill up
// the last pass.
//
// Cost: the loads and stores of stage 07. One launch for up to 120 passes, and a barrier between
// two passes; stage 07 has a launch per pass. Next: 09_thrust.cu, for comparison.

#include "packed_vector.h"
#include "shifts.h"
#include "subset_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cooperative_groups.h>

#include <algorithm>
#include <cstdint>
#include <utility>

constexpr int kThreads = 512;
constexpr int kBlocksPerMultiprocessor = 2;  // at least; nvcc limits the registers for it
constexpr int kItemsPerPass = 3;
constexpr int kListedItems = 10;
constexpr int kPassesPerLaunch = 120;  // 3840 bytes; a launch has at most 4 KB of parameters

struct ListedItems {
  int items[kListedItems];
  bool are_listed;  // false from the second launch on
};

struct Passes {
  Shifts<kItemsPerPass> shifts[kPassesPerLaunch];
  int count;
};
static_assert(sizeof(ListedItems) + sizeof(Passes) + 3 * sizeof(void*) <= 4096);

// Returns vector `v` of the column moved up by `shift` bits; the bits that enter from below are 0.
__device__ uint4 shifted_vector(const uint4* column, int v, int shift) {
  const int from = v - shift / kVectorBits;
  const uint4 high = from >= 0 ? column[from] : uint4{};
  const uint4 low = from >= 1 ? column[from - 1] : uint4{};
  return moved_up(low, high, shift % kVectorBits);
}

// Computes the column after the listed items.
__device__ void list_sums(uint4* column, const ListedItems& listed, int target) {
  __shared__ uint4 vectors[kThreads];
  constexpr int kBlockBits = kThreads * kVectorBits;
  for (long long first = blockIdx.x * kThreads; first <= target / kVectorBits;
       first += gridDim.x * kThreads) {
    vectors[threadIdx.x] = uint4{};
    __syncthreads();  // all are 0 before any thread sets a bit
    for (unsigned subset = threadIdx.x; subset < 1 << kListedItems; subset += kThreads) {
      long long sum = 0;
      for (int k = 0; k < kListedItems; ++k) sum += (subset >> k & 1) * listed.items[k];
      if (sum <= target && sum / kBlockBits == first / kThreads) {
        const int bit = static_cast<int>(sum % kBlockBits);
        atomicOr(reinterpret_cast<std::uint32_t*>(vectors) + bit / 32, 1u << bit % 32);
      }
    }
    __syncthreads();  // all bits are set before any thread stores
    const long long v = first + threadIdx.x;
    if (v <= target / kVectorBits) column[v] = vectors[threadIdx.x];
  }
}

// Not __restrict__: each pass reads the column that the previous pass wrote.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    subset_sum_persistent_kernel(uint4* before, uint4* column, const ListedItems listed,
                                 const Passes passes, int target) {
  const auto grid = cooperative_groups::this_grid();
  if (listed.are_listed) list_sums(before, listed, target);
  const int last = target / kVectorBits;
  for (int pass = 0; pass < passes.count; ++pass) {
    grid.sync();  // this pass reads what all blocks have written
    for (int v = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); v <= last;
         v += static_cast<int>(gridDim.x * kThreads)) {
      uint4 vector = before[v];
#pragma unroll
      for (int subset = 1; subset < 1 << kItemsPerPass; ++subset) {
        vector = vector | shifted_vector(before, v, passes.shifts[pass].by[subset]);
      }
      if (v == last) vector = without_sums_past(vector, target);
      column[v] = vector;
    }
    uint4* const written = column;
    column = before;
    before = written;
  }
}

// Asks the driver how many blocks run at the same time.
static int resident_blocks() {
  int device = 0, multiprocessors = 0, blocks = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, subset_sum_persistent_kernel,
                                                           kThreads, /*dynamicSMemSize=*/0));
  return multiprocessors * blocks;
}

const void* subset_sum(const std::vector<int>& items, int target, void* d_table, int /*chunk*/,
                       cudaStream_t stream) {
  const std::size_t pitch = packed_column_bytes(target);
  auto* column = static_cast<uint4*>(d_table);
  uint4* other = column + pitch / sizeof(uint4);
  const int blocks = std::min(ceil_div(target / kVectorBits + 1, kThreads), resident_blocks());

  ListedItems listed{};
  const auto listed_count = std::min<std::size_t>(items.size(), kListedItems);
  std::copy_n(items.data(), listed_count, listed.items);
  std::vector<int> rest(items.begin() + static_cast<std::ptrdiff_t>(listed_count), items.end());
  rest.resize(ceil_div(rest.size(), std::size_t{kItemsPerPass}) * kItemsPerPass);
  const int* item = rest.data();
  auto passes_left = static_cast<int>(rest.size()) / kItemsPerPass;
  listed.are_listed = true;
  while (listed.are_listed || passes_left > 0) {
    Passes passes{};
    passes.count = std::min(passes_left, kPassesPerLaunch);
    for (int pass = 0; pass < passes.count; ++pass, item += kItemsPerPass) {
      passes.shifts[pass] = shifts_of<kItemsPerPass>(item, target);
    }
    void* arguments[] = {&column, &other, &listed, &passes, &target};
    CUDA_CHECK(
        cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(subset_sum_persistent_kernel),
                                    dim3(blocks), dim3(kThreads), arguments, 0, stream));
    listed.are_listed = false;
    passes_left -= passes.count;
    if (passes.count % 2 == 1) std::swap(column, other);
  }
  return column;
}

TableLayout table_layout(std::size_t /*item_count*/, int target) {
  return {true, packed_column_bytes(target), 2};
}

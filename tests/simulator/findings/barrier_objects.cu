#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <cuda/barrier>

#include <utility>

#include "marked_kernels.h"

// Bugs in the use of cuda::barrier, found at the learner's line.

namespace {

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

enum class Bug { none, too_often, no_sync, no_wait, too_few, too_many, reads_early, early_store };

template <Bug kWrong>
__global__ void reverse(int* in, int* out, bool right) {
  __shared__ BlockBarrier barrier;
  __shared__ int row[64];
  const Bug bug = right ? Bug::none : kWrong;
  const int i = static_cast<int>(threadIdx.x);
  const int count = bug == Bug::too_few ? 32 : bug == Bug::too_many ? 65 : 64;
  // finds in no_sync: race store by 0
  if (i == 0) init(&barrier, count);
  if (bug != Bug::no_sync) __syncthreads();
  // finds in no_wait, too_few: race copy
  cuda::memcpy_async(&row[i], &in[i], 4, barrier);
  if (bug == Bug::reads_early) out[i] = row[i];  // finds in reads_early: uninitialised load by 0
  // finds in too_often: group call by 0
  // finds in no_sync: race load
  BlockBarrier::arrival_token token = barrier.arrive(bug == Bug::too_often ? 65 : 1);
  if (bug == Bug::early_store) row[i] = 0;  // finds in early_store: race store
  // finds in too_many: deadlock wait by 0
  // finds in no_sync: race load
  if (bug != Bug::no_wait) barrier.wait(std::move(token));
  // finds in no_wait, too_few: race load
  // finds in early_store: race load
  out[i] = row[63 - i];
}

__global__ void misaligned(int* in, int* out, bool right) {
  __shared__ BlockBarrier barrier;
  __shared__ __align__(16) int row[8];
  init(&barrier, 1);
  // finds: async_copy call by 0
  cuda::memcpy_async(row, &in[right ? 4 : 1], cuda::aligned_size_t<16>(16), barrier);
  barrier.arrive_and_wait();
  out[0] = row[3];
}

INSTANTIATE_TEST_SUITE_P(
    BarrierObjects, MarkedKernels,
    marked_kernels({
        {"too_often", launch(reverse<Bug::too_often>, 1, 64),
         "arrived 65 times at a cuda::barrier that expects 64 more arrivals"},
        {"no_sync", launch(reverse<Bug::no_sync>, 1, 64), "", 2},
        {"no_wait", launch(reverse<Bug::no_wait>, 1, 64)},
        {"too_few", launch(reverse<Bug::too_few>, 1, 64)},
        {"too_many", launch(reverse<Bug::too_many>, 1, 64), "no thread of the block can continue"},
        {"reads_early", launch(reverse<Bug::reads_early>, 1, 64),
         "while an asynchronous copy into it is still in flight"},
        {"early_store", launch(reverse<Bug::early_store>, 1, 64)},
        {"misaligned", launch(misaligned, 1, 1),
         "with cuda::aligned_size_t<16>, but an address or the size is not a multiple of 16"},
    }),
    case_name);

}  // namespace

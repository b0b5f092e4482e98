#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "common/device_buffer.h"
#include "marked_kernels.h"

// Bugs in the use of asynchronous copies, found at the learner's line.

namespace {

enum class Bug {
  none,
  no_commit,
  no_wait,
  waits_for_less,
  waits_too_late,
  no_barrier,
  reuses_at_once
};

// Copies two rows, one after the other, and reverses each. Without a barrier, a copy has a race at
// its start and at its end.
template <Bug kWrong>
__global__ void reverse(int* in, int* out, bool right) {
  __shared__ int row[64];
  const Bug bug = right ? Bug::none : kWrong;
  const int i = static_cast<int>(threadIdx.x);
  for (int first = 0; first < 128; first += 64) {
    // finds in no_barrier, reuses_at_once: race copy
    __pipeline_memcpy_async(&row[i], &in[first + i], 4);
    if (bug != Bug::no_commit) __pipeline_commit();
    if (bug == Bug::waits_for_less) __pipeline_wait_prior(1);
    if (bug == Bug::none || bug == Bug::no_barrier || bug == Bug::no_commit ||
        bug == Bug::reuses_at_once) {
      __pipeline_wait_prior(0);  // finds in no_barrier, reuses_at_once: race copy
    }
    if (bug != Bug::no_barrier) __syncthreads();
    if (bug == Bug::waits_too_late) __pipeline_wait_prior(0);  // finds in waits_too_late: race
    // finds in no_wait, no_commit, waits_for_less: uninitialised load by 0
    // finds in waits_too_late, no_barrier, reuses_at_once: race load
    out[first + i] = row[63 - i];
    if (bug != Bug::reuses_at_once) __syncthreads();
  }
}

__global__ void copy(const int* in, int* out, int from, int to, std::size_t bytes,
                     std::size_t zero_bytes) {
  __shared__ __align__(16) int row[64];
  if (threadIdx.x < 64) row[threadIdx.x] = 0;
  __syncthreads();
  // finds in past_source: out_of_bounds load by 0
  // finds in past_shared: out_of_bounds copy by 0
  // finds in misaligned_source: misaligned load by 0
  // finds in misaligned_destination: misaligned copy by 0
  // finds in unwritten_source: uninitialised load by 0
  // finds in odd_size, more_zeros_than_bytes: async_copy call by 0
  __pipeline_memcpy_async(&row[to], &in[from], bytes, zero_bytes);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = row[to];
}

template <int kFrom, int kTo, std::size_t kBytes, std::size_t kZeroBytes>
void copy_wrong(Buffers d, bool right) {
  if (right) {
    copy<<<1, 1>>>(d.in, d.out, 1022, 0, 8, 0);
    copy<<<1, 1>>>(d.in, d.out, 1024, 0, 8, 8);  // reads nothing
  } else {
    copy<<<1, 1>>>(d.in, d.out, kFrom, kTo, kBytes, kZeroBytes);
  }
}

__global__ void arguments_exchanged(int* out, bool right) {
  __shared__ int value;
  value = 1;
  // finds: async_copy call by 0
  right ? __pipeline_memcpy_async(&value, out, 4) : __pipeline_memcpy_async(out, &value, 4);
}

__global__ void local_source(int* out, bool right) {
  __shared__ int value;
  int own[2] = {1, 2};
  // finds: async_copy call by 0
  __pipeline_memcpy_async(&value, right ? out : &own[threadIdx.x], 4);
}

constexpr char kInFlight[] = "while an asynchronous copy into it is still in flight";

INSTANTIATE_TEST_SUITE_P(
    AsyncCopies, MarkedKernels,
    marked_kernels({
        {"no_wait", launch(reverse<Bug::no_wait>, 1, 64),
         "row in shared memory is read while an asynchronous copy into it is still in "
         "flight...__pipeline_wait_prior()"},
        {"no_commit", launch(reverse<Bug::no_commit>, 1, 64), kInFlight},
        {"waits_for_less", launch(reverse<Bug::waits_for_less>, 1, 64), kInFlight},
        {"waits_too_late", launch(reverse<Bug::waits_too_late>, 1, 64)},
        {"no_barrier", launch(reverse<Bug::no_barrier>, 1, 64), "", 2},
        {"reuses_at_once", launch(reverse<Bug::reuses_at_once>, 1, 64), "", 2},
        {"past_source", copy_wrong<1024, 0, 8, 4>, "element 1024 of an array of 1024"},
        {"past_shared", copy_wrong<0, 64, 16, 0>,
         "at byte 256 of row, a __shared__ variable of 256 bytes"},
        {"misaligned_source", copy_wrong<1, 0, 8, 0>,
         "an access of 8 bytes needs an address that is a multiple of 8"},
        {"misaligned_destination", copy_wrong<0, 2, 16, 0>,
         "this address is 8 bytes past a multiple"},
        {"unwritten_source",
         [](Buffers d, bool right) {
           const DeviceBuffer<int> d_unwritten(64);
           copy<<<1, 1>>>(right ? d.in : d_unwritten.data(), d.out, 0, 0, 4, 0);
         },
         "before anything has written it"},
        {"odd_size", copy_wrong<0, 0, 12, 0>,
         "called __pipeline_memcpy_async for 12 bytes; it can copy 4, 8 or 16"},
        {"more_zeros_than_bytes", copy_wrong<0, 0, 4, 8>,
         "with 8 bytes of zeros, but it copies only 4 bytes"},
        {"arguments_exchanged", launch(arguments_exchanged, 1, 1),
         "with a target that is not in shared memory; the target is the first argument"},
        {"local_source", launch(local_source, 1, 1), "with a local variable as its source"},
    }),
    case_name);

}  // namespace

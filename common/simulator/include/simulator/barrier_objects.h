#pragma once

#include "simulator/keywords.h"

#include <cstddef>
#include <cstdint>

// What cuda::barrier, cuda::pipeline and the functions memcpy_async() of libcu++ and of cooperative
// groups have in common. `caller` is an address in the learner's code.

namespace cuda_simulator {

// The state of a barrier, in the learner's memory; eight bytes, as on a GPU.
struct BarrierState {
  std::uint64_t phase : 24, expected : 20, pending : 20;
};
constexpr unsigned kPhases = 1 << 24;
constexpr unsigned kMostArrivals = (1 << 20) - 1;

void init_barrier(BarrierState* barrier, std::ptrdiff_t expected, const void* caller);
unsigned phase_of(const BarrierState* barrier);
// Returns whether this arrival is the last of its phase: then the thread must call
// complete_phase(). `drops`: later phases expect one arrival less.
bool arrive_at(BarrierState* barrier, std::ptrdiff_t count, bool drops, const void* caller);
void complete_phase(BarrierState* barrier);
// Waits until `phase` is over.
void wait_at(BarrierState* barrier, unsigned phase, const void* caller);
// Arrives, completes the phase if nothing else is missing, and waits for it.
void arrive_and_wait_at(BarrierState* barrier, const void* caller);
// Returns whether `phase` is over. If it is not, other threads run first.
bool try_wait_at(BarrierState* barrier, unsigned phase, const void* caller);

// The part of an asynchronous copy that one of `members` threads makes: every `members`-th unit of
// up to 16 bytes, from unit `rank` on. `alignment`: of both addresses and of `bytes`, as promised
// by cuda::aligned_size_t. With a barrier the data arrives when its phase completes, otherwise with
// the thread's batch (__pipeline_commit). A copy that does not go from global to shared memory is
// made at once, as on a GPU.
struct CopyPart {
  std::size_t bytes, alignment;
  unsigned long long rank, members;
};
void copy_asynchronously(void* to, const void* from, const CopyPart& part,
                         const BarrierState* barrier, const void* caller);
// Waits for all batches of this thread except the last `batches`.
void wait_for_batches(std::size_t batches, const void* caller);

}  // namespace cuda_simulator

#include "simulator/barrier_objects.h"

#include "execution/block.h"
#include "execution/kernel_failure.h"
#include "trace/tracer.h"

#include "simulator/findings.h"
#include "simulator/group_lanes.h"
#include "simulator/warp_functions.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace cuda_simulator {
namespace {

[[noreturn]] void refuse(std::string what, const void* caller) {
  stop_tracing_this_thread();
  end_kernel({finding_kind::kGroup, std::move(what), "call", cudaErrorLaunchFailure}, caller);
}

}  // namespace

void init_barrier(BarrierState* barrier, std::ptrdiff_t expected, const void* caller) {
  if (in_device_code()) {
    if (expected < 1 || expected > kMostArrivals) {
      refuse("initialised a cuda::barrier for " + std::to_string(expected) +
                 " arrivals; the number must be from 1 to " + std::to_string(kMostArrivals),
             caller);
    }
    current_block->barrier_object_used(barrier, /*initialises=*/true, caller);
  }
  unveil(barrier, sizeof *barrier);
  *barrier = {0, static_cast<std::uint64_t>(expected), static_cast<std::uint64_t>(expected)};
}

namespace {

bool count_arrival(BarrierState* barrier, std::ptrdiff_t count, bool drops, const void* caller) {
  current_block->barrier_object_used(barrier, /*initialises=*/false, caller);
  unveil(barrier, sizeof *barrier);
  if (count < 1 || count > static_cast<std::ptrdiff_t>(barrier->pending)) {
    refuse("arrived " + std::to_string(count) + " times at a cuda::barrier that expects " +
               std::to_string(barrier->pending) +
               " more arrivals in this phase. Give init() the number of arrivals, and wait for "
               "each phase",
           caller);
  }
  barrier->pending = (barrier->pending - static_cast<unsigned>(count)) & kMostArrivals;
  if (drops) barrier->expected = (barrier->expected - 1u) & kMostArrivals;
  return barrier->pending == 0;
}

void begin_next_phase(BarrierState* barrier) {
  unveil(barrier, sizeof *barrier);
  barrier->phase = (barrier->phase + 1u) % kPhases;
  barrier->pending = barrier->expected;
}

}  // namespace

unsigned phase_of(const BarrierState* barrier) {
  unveil(barrier, sizeof *barrier);
  return barrier->phase;
}

bool arrive_at(BarrierState* barrier, std::ptrdiff_t count, bool drops, const void* caller) {
  const bool is_last = count_arrival(barrier, count, drops, caller);
  current_block->arrive_at_object(barrier);
  return is_last;
}

void complete_phase(BarrierState* barrier) {
  begin_next_phase(barrier);
  current_block->arrive_at_object(barrier);  // the completion comes before what others do next
  current_block->release_object(barrier);
}

void wait_at(BarrierState* barrier, unsigned phase, const void* caller) {
  current_block->barrier_object_used(barrier, /*initialises=*/false, caller);
  if (phase_of(barrier) != phase) return current_block->pass_object(barrier);
  current_block->wait_at_object(barrier, /*arrives=*/false, caller);
}

void arrive_and_wait_at(BarrierState* barrier, const void* caller) {
  if (count_arrival(barrier, 1, false, caller)) {
    begin_next_phase(barrier);
    current_block->release_object_and_go_on(barrier, caller);
  } else {
    current_block->wait_at_object(barrier, /*arrives=*/true, caller);
  }
}

// Threads that the block does not have are not missing.
BarrierState& Block::tile_barrier(unsigned size) {
  const unsigned tile = static_cast<unsigned>(thread_) / size;
  BarrierState& barrier = tile_barriers_[__builtin_ctz(size) - 6][tile];
  if (barrier.pending == 0) {
    const unsigned left = static_cast<unsigned>(threads_) - tile * size;
    barrier.pending = std::min(left, size) & kMostArrivals;
  }
  return barrier;
}

void synchronise_tile(unsigned size, const void* caller) {
  BarrierState& barrier = current_block->tile_barrier(size);
  barrier.pending = (barrier.pending - 1u) & kMostArrivals;
  if (barrier.pending == 0) {
    current_block->release_object_and_go_on(&barrier, caller);
  } else {
    current_block->wait_at_object(&barrier, /*arrives=*/true, caller);
  }
}

void put_value(const void* value, std::size_t bytes) {
  std::memcpy(current_block->exchanged_value(current_block->thread()).data(), value, bytes);
}

void get_value(void* value, std::size_t bytes, unsigned rank_in_block) {
  if (rank_in_block < threads_of_block()) {
    const auto thread = static_cast<int>(rank_in_block);
    std::memcpy(value, current_block->exchanged_value(thread).data(), bytes);
  } else {
    std::memset(value, 0, bytes);  // undefined on a GPU
  }
}

bool try_wait_at(BarrierState* barrier, unsigned phase, const void* caller) {
  current_block->barrier_object_used(barrier, /*initialises=*/false, caller);
  if (phase_of(barrier) == phase) current_block->give_way();
  if (phase_of(barrier) == phase) return false;
  current_block->pass_object(barrier);
  return true;
}

}  // namespace cuda_simulator

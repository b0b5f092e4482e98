// The threads of a block at objects of cuda::barrier, and the copies that complete there.

#include "execution/block.h"
#include "execution/lanes.h"
#include "trace/tracer.h"

#include <algorithm>

namespace cuda_simulator {

void Block::barrier_object_used(const void* object, bool initialises, const void* caller) {
  if (tracer_) tracer_->barrier_object_used(thread_, object, initialises, caller);
}

void Block::arrive_at_object(const void* object) {
  if (tracer_) tracer_->released(thread_, object);
}

void Block::pass_object(const void* object) {
  if (tracer_) tracer_->acquired(thread_, object);
}

void Block::wait_at_object(const void* object, bool arrives, const void* caller) {
  state_[thread_] = ThreadState::at_object;
  waits_at_[thread_] = caller;
  object_wait_[thread_] = {object, arrives};
  if (warps_[thread_ / kWarpSize].waiting) release_complete_groups(thread_ / kWarpSize);
  suspend_current();
  if (object_wait_[thread_].object) pass_object(object);
}

void Block::release_object(const void* object) {
  end_copies_of(object, false);
  for (int t = 0; t < threads_; ++t) {
    if (state_[t] != ThreadState::at_object || object_wait_[t].object != object) continue;
    if (tracer_ && object_wait_[t].arrives) tracer_->released(t, object);
    make_ready(t);
  }
}

// If all threads of the block have arrived here and wait, this is a barrier of the block. That is
// the usual case, and costs the tracer much less than an order between pairs of threads.
void Block::release_object_and_go_on(const void* object, const void* caller) {
  if (!all_others_arrive_at(object)) {
    arrive_at_object(object);
    release_object(object);
    return pass_object(object);
  }
  end_copies_of(object, true);
  state_[thread_] = ThreadState::at_object;
  waits_at_[thread_] = caller;
  if (tracer_) tracer_->block_met_at_object();
  for (int t = 0; t < threads_; ++t) {
    object_wait_[t].object = nullptr;
    make_ready(t);
  }
  suspend_current();
}

bool Block::all_others_arrive_at(const void* object) const {
  for (int t = 0; t < threads_; ++t) {
    const bool arrives = state_[t] == ThreadState::at_object && object_wait_[t].object == object &&
                         object_wait_[t].arrives;
    if (t != thread_ && !arrives) return false;
  }
  return true;
}

// The data counts as written by the threads that started the copies.
void Block::end_copies_of(const void* object, bool are_ordered) {
  const auto is_other = [&](const BarrierCopy& copy) { return copy.barrier != object; };
  const auto first =
      std::stable_partition(barrier_copies_.begin(), barrier_copies_.end(), is_other);
  for (auto ended = first; ended != barrier_copies_.end(); ++ended) {
    const AsyncCopy& copy = ended->copy;
    unveil(copy.to, copy.bytes);
    std::copy_n(copy.data.begin(), copy.bytes, static_cast<unsigned char*>(copy.to));
    if (!tracer_) continue;
    tracer_->async_copies_arrived(ended->thread, {copy}, ended->caller);
    const bool is_last = ended + 1 == barrier_copies_.end() || (ended + 1)->thread != ended->thread;
    if (is_last && !are_ordered) tracer_->released(ended->thread, object);
  }
  barrier_copies_.erase(first, barrier_copies_.end());
}

}  // namespace cuda_simulator

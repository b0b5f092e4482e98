#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

constexpr std::size_t kMaxCopyBytes = 16;

struct AsyncCopy {
  void* to;
  std::array<unsigned char, kMaxCopyBytes> data;
  unsigned bytes;
  std::uint64_t batch;  // its number among the thread's batches
};

// The copies that one thread has started and not waited for.
// A copy reads when it starts, and writes when its thread waits for it. A read before that finds
// the old value, as on a GPU most of the time.
class AsyncCopies {
 public:
  void forget() {
    in_flight_.clear();
    batches_ = 0;
  }
  void start(AsyncCopy copy) {
    copy.batch = batches_;
    in_flight_.push_back(copy);
  }
  void end_batch() { ++batches_; }
  // The copies of all batches except the last `batches`; they are no longer in flight.
  std::vector<AsyncCopy> wait_for_all_but(std::size_t batches);

 private:
  std::vector<AsyncCopy> in_flight_;  // in the order in which they started
  std::uint64_t batches_ = 0;         // that have ended
};

// A copy that arrives when the phase of a cuda::barrier completes.
struct BarrierCopy {
  const void* barrier;
  int thread;  // that started it
  const void* caller;
  AsyncCopy copy;
};

}  // namespace cuda_simulator

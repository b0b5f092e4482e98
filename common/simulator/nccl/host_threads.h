#pragma once

namespace cuda_simulator::nccl {

// A thread of the simulator's own, which makes no calls of NCCL for the program.
class OwnThread {
 public:
  OwnThread();
  ~OwnThread();
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;
};

// A thread of the program that waits for ranks, as long as this lives.
class WaitingThread {
 public:
  WaitingThread();
  ~WaitingThread();
  WaitingThread(const WaitingThread&) = delete;
  WaitingThread& operator=(const WaitingThread&) = delete;
};

// Whether a thread of the program is left that could make a call.
bool is_a_thread_left();

// How long a rank waits for others: CUDA_SIMULATOR_NCCL_SECONDS, else 60.
double patience_s();

}  // namespace cuda_simulator::nccl

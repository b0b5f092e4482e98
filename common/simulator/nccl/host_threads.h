#pragma once

namespace cuda_simulator::nccl {

// A thread of the simulator itself, which makes no NCCL calls for the program.
class OwnThread {
 public:
  OwnThread();
  ~OwnThread();
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;
};

// Marks a thread of the program as waiting for ranks, while the object lives.
class WaitingThread {
 public:
  WaitingThread();
  ~WaitingThread();
  WaitingThread(const WaitingThread&) = delete;
  WaitingThread& operator=(const WaitingThread&) = delete;
};

// Returns whether a thread of the program can still make a call.
bool is_a_thread_left();

// The time that a rank waits for others: CUDA_SIMULATOR_NCCL_SECONDS, or 60.
double patience_s();

}  // namespace cuda_simulator::nccl

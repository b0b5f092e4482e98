#pragma once

#include "nccl/channel.h"

#include <nccl.h>

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <set>
#include <vector>

// The target of an ncclComm_t: the communicator of one rank.
struct ncclComm {
  pid_t process;  // the process that created it
  int rank, ranks, device;
  std::unique_ptr<cuda_simulator::nccl::Channel> channel;
  std::vector<int> devices;  // the devices of all ranks
};

namespace cuda_simulator::nccl {

// The communicators that the program has created and not destroyed.
class Communicators {
 public:
  static Communicators& get();

  ncclComm_t add(std::unique_ptr<ncclComm> comm);
  bool is_live(const ncclComm* comm) const;
  std::unique_ptr<ncclComm> remove(ncclComm_t comm);  // nullptr if there is none

 private:
  std::set<const ncclComm*> live_;
  mutable std::mutex mutex_;
};

// Checks that a rank's buffer is memory of its device, from its first byte to its last. If not,
// returns the error: "its send buffer is in host memory". `what` is the name of the buffer in the
// text.
std::string buffer_fault(const void* buffer, std::size_t bytes, int device, const char* what);

}  // namespace cuda_simulator::nccl

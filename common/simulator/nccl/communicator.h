#pragma once

#include "nccl/channel.h"

#include <nccl.h>

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <set>
#include <vector>

// What ncclComm_t points to: one rank's.
struct ncclComm {
  pid_t process;  // that made it
  int rank, ranks, device;
  std::unique_ptr<cuda_simulator::nccl::Channel> channel;
  std::vector<int> devices;  // of all ranks
};

namespace cuda_simulator::nccl {

// The communicators that the program has made and not destroyed.
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

// Whether a rank's buffer is memory of its device, from its first byte to its last. If not, says
// why not: "its send buffer is in the host's memory". `what` is what the text calls the buffer.
std::string buffer_fault(const void* buffer, std::size_t bytes, int device, const char* what);

}  // namespace cuda_simulator::nccl

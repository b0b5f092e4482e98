#pragma once

#include "nccl/call.h"
#include "nccl/communicator.h"

#include <nccl.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace cuda_simulator::nccl {

// The calls that a thread has made between ncclGroupStart() and ncclGroupEnd(); they are executed
// together at the end. A call outside of a group is a group by itself.
class Group {
 public:
  static Group& of_this_thread();

  bool is_open() const { return depth_ > 0; }
  void start() { ++depth_; }
  // Executes the calls if this is the outermost end.
  ncclResult_t end(std::uintptr_t caller);

  // A rank that will join with the others; the program finds its communicator in `comm`.
  ncclResult_t add_join(ncclComm_t* comm, std::unique_ptr<ncclComm> joining, std::uintptr_t caller);
  ncclResult_t add_call(ncclComm_t comm, cudaStream_t stream, Call call);
  // A call of the group had an error: no call of the group is executed.
  ncclResult_t spoil(ncclResult_t result);

 private:
  struct Joining {
    ncclComm_t* comm;
    std::unique_ptr<ncclComm> joining;
    std::uintptr_t caller;
  };
  struct Asked {
    ncclComm_t comm;
    cudaStream_t stream;
    Call call;
  };

  ncclResult_t make_all();
  ncclResult_t join_all();
  ncclResult_t call_all();

  int depth_ = 0;
  ncclResult_t spoilt_ = ncclSuccess;
  std::vector<Joining> joining_;
  std::vector<Asked> asked_;
};

}  // namespace cuda_simulator::nccl

#pragma once

#include "nccl/call.h"
#include "nccl/communicator.h"
#include "runtime/stream_order.h"

namespace cuda_simulator::nccl {

// A rank's call as work of its stream: who waits for whom, which memory it uses, and what goes over
// which link. In the plain build nothing of it is followed.
class StreamWork {
 public:
  // The stream gets the call, which reads its send buffer from here on.
  StreamWork(const ncclComm& comm, cudaStream_t stream, Call& call);
  // The call has been made.
  void finish(const Call& call);

 private:
  const ncclComm& comm_;
  StreamOrder::Given given_;
};

}  // namespace cuda_simulator::nccl

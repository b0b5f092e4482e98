#pragma once

#include "nccl/call.h"
#include "nccl/communicator.h"
#include "runtime/stream_order.h"

namespace cuda_simulator::nccl {

// A rank's call as work of its stream: its order with other work, the memory that it uses, and the
// links that it uses. The plain build records none of this.
class StreamWork {
 public:
  // Adds the call to its stream; from here on it reads its send buffer.
  StreamWork(const ncclComm& comm, cudaStream_t stream, Call& call);
  // The call has been executed.
  void finish(const Call& call);

 private:
  const ncclComm& comm_;
  StreamOrder::Given given_;
};

}  // namespace cuda_simulator::nccl

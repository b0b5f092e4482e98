// The NCCL functions that move data.

#include "nccl/call.h"
#include "nccl/communicator.h"
#include "nccl/element_types.h"
#include "nccl/failures.h"
#include "nccl/group.h"
#include "runtime/devices.h"
#include "runtime/stream_capture.h"
#include "runtime/streams.h"

#include <nccl.h>

#include <string>
#include <utility>

using namespace cuda_simulator::nccl;

#define CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace {

// The error of a call that does not depend on other ranks; empty if there is none.
std::string fault_of(const Call& call, const ncclComm& comm) {
  if (!is_type(call.type))
    return "its type, number " + std::to_string(call.type) + ", does not exist.";
  if (!is_operation(call.operation))
    return "its operation, number " + std::to_string(call.operation) + ", does not exist.";
  if (call.root < 0 || call.root >= comm.ranks) {
    return std::string("its ") + (call.is_between_two() ? "peer" : "root") + " is rank " +
           std::to_string(call.root) + ", but there are only " + std::to_string(comm.ranks) + ".";
  }
  const std::string send =
      buffer_fault(call.send, send_bytes(call, comm.rank, comm.ranks), comm.device, "send");
  if (!send.empty()) return send;
  return buffer_fault(call.receive, receive_bytes(call, comm.rank, comm.ranks), comm.device,
                      "receive");
}

// The error of its stream.
std::string fault_of(cudaStream_t stream, const ncclComm& comm) {
  const cuda_simulator::DeviceChoice choice(comm.device);
  const auto known = cuda_simulator::Streams::get().find(stream);
  if (!known) return "its stream is not valid, or was destroyed.";
  if (known->device != comm.device) {
    return "its stream belongs to device " + std::to_string(known->device) +
           ", but the rank's device is " + std::to_string(comm.device) + ".";
  }
  if (cuda_simulator::StreamCapture::get().captures(stream))
    return "its stream is captured. NCCL calls in graphs are not simulated.";
  return "";
}

ncclResult_t make(Call call, ncclComm_t comm, cudaStream_t stream) {
  Group& group = Group::of_this_thread();
  const std::string function = name_of(call.function);
  const std::uintptr_t caller = call.caller;
  if (!Communicators::get().is_live(comm)) {
    const char* const open =
        group.is_open() ? " Communicators that are created after an ncclGroupStart() exist only "
                          "after its ncclGroupEnd(): did you forget that call?"
                        : "";
    return group.spoil(refuse(ncclInvalidArgument,
                              function +
                                  " needs a communicator that this process created and has not "
                                  "destroyed." +
                                  open,
                              caller));
  }
  const std::string who = function + ", rank " + std::to_string(comm->rank) + ": ";
  const std::string fault = fault_of(call, *comm);
  if (!fault.empty()) return group.spoil(refuse(ncclInvalidArgument, who + fault, caller));
  const std::string stream_fault = fault_of(stream, *comm);
  if (!stream_fault.empty())
    return group.spoil(refuse(ncclUnhandledCudaError, who + stream_fault, caller));
  if (call.count == 0) return ncclSuccess;  // NCCL also ignores such a call
  return group.add_call(comm, stream, std::move(call));
}

}  // namespace

ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
  return make({Function::all_reduce, count, type, operation, 0, send, receive, CALLER}, comm,
              stream);
}

ncclResult_t ncclReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t operation, int root, ncclComm_t comm, cudaStream_t stream) {
  return make({Function::reduce, count, type, operation, root, send, receive, CALLER}, comm,
              stream);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return make({Function::broadcast, count, type, ncclSum, root, send, receive, CALLER}, comm,
              stream);
}

ncclResult_t ncclBcast(void* buffer, std::size_t count, ncclDataType_t type, int root,
                       ncclComm_t comm, cudaStream_t stream) {
  return make({Function::broadcast, count, type, ncclSum, root, buffer, buffer, CALLER}, comm,
              stream);
}

ncclResult_t ncclAllGather(const void* send, void* receive, std::size_t send_count,
                           ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  return make({Function::all_gather, send_count, type, ncclSum, 0, send, receive, CALLER}, comm,
              stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, std::size_t receive_count,
                               ncclDataType_t type, ncclRedOp_t operation, ncclComm_t comm,
                               cudaStream_t stream) {
  return make({Function::reduce_scatter, receive_count, type, operation, 0, send, receive, CALLER},
              comm, stream);
}

ncclResult_t ncclSend(const void* send, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return make({Function::send, count, type, ncclSum, peer, send, nullptr, CALLER}, comm, stream);
}

ncclResult_t ncclRecv(void* receive, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return make({Function::receive, count, type, ncclSum, peer, nullptr, receive, CALLER}, comm,
              stream);
}

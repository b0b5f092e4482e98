// The NCCL functions for the library, communicators and groups.

#include "nccl/communicator.h"
#include "nccl/failures.h"
#include "nccl/group.h"
#include "nccl/rendezvous.h"
#include "runtime/devices.h"

#include <nccl.h>

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace cuda_simulator::nccl;
using cuda_simulator::current_device;
using cuda_simulator::is_device;

#define CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace {

ncclResult_t refuse_argument(const std::string& message, std::uintptr_t caller) {
  return Group::of_this_thread().spoil(refuse(ncclInvalidArgument, message, caller));
}

ncclResult_t check(const ncclComm* comm, const char* function, std::uintptr_t caller) {
  if (Communicators::get().is_live(comm)) return ncclSuccess;
  return refuse_argument(std::string(function) +
                             " needs a communicator that this process created and has not "
                             "destroyed.",
                         caller);
}

std::unique_ptr<ncclComm> make_comm(int rank, int ranks, int device,
                                    std::unique_ptr<Channel> channel) {
  return std::make_unique<ncclComm>(
      ncclComm{getpid(), rank, ranks, device, std::move(channel), {}});
}

ncclResult_t end_comm(ncclComm_t comm, const char* function, std::uintptr_t caller) {
  if (!comm) return ncclSuccess;
  if (const ncclResult_t result = check(comm, function, caller)) return result;
  const std::unique_ptr<ncclComm> ended = Communicators::get().remove(comm);
  ended->channel->leave("has destroyed its communicator");
  send_last_replies();
  return ncclSuccess;
}

}  // namespace

ncclResult_t ncclGetVersion(int* version) {
  if (!version) return refuse_argument("the argument of ncclGetVersion is a null pointer.", CALLER);
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* ncclGetLastError(ncclComm_t) { return last_refusal().c_str(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  if (!id) return refuse_argument("the argument of ncclGetUniqueId is a null pointer.", CALLER);
  const ncclResult_t result = make_unique_id(*id);
  if (result == ncclSuccess) return result;
  return refuse(result, "ncclGetUniqueId: the system cannot create a socket or a thread.", CALLER);
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  if (!comm)
    return refuse_argument("the first argument of ncclCommInitRank is a null pointer.", CALLER);
  *comm = nullptr;
  if (ranks < 1 || rank < 0 || rank >= ranks) {
    return refuse_argument("ncclCommInitRank is called for rank " + std::to_string(rank) + " of " +
                               std::to_string(ranks) +
                               ". Ranks are numbered from 0 to the number of ranks minus 1.",
                           CALLER);
  }
  std::string why_not;
  std::unique_ptr<Channel> channel = connect_to(id, ranks, why_not);
  if (!channel) return refuse_argument("ncclCommInitRank: " + why_not, CALLER);
  return Group::of_this_thread().add_join(
      comm, make_comm(rank, ranks, current_device(), std::move(channel)), CALLER);
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int devices, const int* device_list) {
  if (!comms || devices < 1) {
    return refuse_argument("ncclCommInitAll is called for " + std::to_string(devices) +
                               " devices, or without an array for their communicators.",
                           CALLER);
  }
  const auto clique = std::make_shared<Clique>(devices, /*is_of_one_process=*/true);
  Group& group = Group::of_this_thread();
  group.start();
  for (int rank = 0; rank < devices; ++rank) {
    const int device = device_list ? device_list[rank] : rank;
    if (!is_device(device)) {
      refuse_argument("ncclCommInitAll is called for device " + std::to_string(device) +
                          ", but there are only " + std::to_string(cuda_simulator::device_count()) +
                          " devices (CUDA_SIMULATOR_DEVICES sets their number).",
                      CALLER);
      break;
    }
    group.add_join(&comms[rank],
                   make_comm(rank, devices, device, std::make_unique<LocalChannel>(clique)),
                   CALLER);
  }
  return group.end(CALLER);
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) { return check(comm, "ncclCommFinalize", CALLER); }

ncclResult_t ncclCommDestroy(ncclComm_t comm) { return end_comm(comm, "ncclCommDestroy", CALLER); }

ncclResult_t ncclCommAbort(ncclComm_t comm) { return end_comm(comm, "ncclCommAbort", CALLER); }

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  if (const ncclResult_t result = check(comm, "ncclCommGetAsyncError", CALLER)) return result;
  *error = comm->channel->state();
  return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  if (const ncclResult_t result = check(comm, "ncclCommCount", CALLER)) return result;
  *count = comm->ranks;
  return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
  if (const ncclResult_t result = check(comm, "ncclCommCuDevice", CALLER)) return result;
  *device = comm->device;
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  if (const ncclResult_t result = check(comm, "ncclCommUserRank", CALLER)) return result;
  *rank = comm->rank;
  return ncclSuccess;
}

ncclResult_t ncclMemAlloc(void** pointer, std::size_t bytes) {
  return cudaMalloc(pointer, bytes) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclMemFree(void* pointer) {
  return cudaFree(pointer) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclGroupStart() {
  Group::of_this_thread().start();
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() { return Group::of_this_thread().end(CALLER); }

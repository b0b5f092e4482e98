#pragma once

#include "gpu.h"

#include "common/cuda_check.h"

#include <nccl.h>

#include <map>
#include <string>
#include <vector>

// Throws CudaError, with the name of the function, if the call failed.
inline void check_nccl(ncclResult_t status, const char* function) {
  if (status == ncclSuccess) return;
  const std::string what = std::string(function) + ": " + ncclGetErrorString(status);
  throw CudaError(cudaErrorUnknown, (what + ": " + ncclGetLastError(nullptr)).c_str());
}

// Owns the communicators of some GPUs, one per GPU. A communicator is one GPU's membership in a
// group that computes together. It has the number of members, and the GPU's number (its rank).
class NcclCommunicators {
 public:
  explicit NcclCommunicators(const std::vector<int>& devices) : all_(devices.size()) {
    check_nccl(ncclCommInitAll(all_.data(), static_cast<int>(devices.size()), devices.data()),
               "ncclCommInitAll");
  }
  ~NcclCommunicators() {
    for (ncclComm_t one : all_) ncclCommDestroy(one);  // unchecked: a destructor must not throw
  }
  NcclCommunicators(const NcclCommunicators&) = delete;
  NcclCommunicators& operator=(const NcclCommunicators&) = delete;

  const std::vector<ncclComm_t>& all() const { return all_; }

 private:
  std::vector<ncclComm_t> all_;
};

// The communicators of these GPUs; rank g is gpus[g]. The first call creates the communicators,
// which takes far longer than an operation. They exist until the process ends. Throws CudaError.
inline const std::vector<ncclComm_t>& nccl_communicators(const std::vector<Gpu>& gpus) {
  // Never destroyed: at the end of the process, libraries that NCCL needs may be gone already.
  static auto& of_devices = *new std::map<std::vector<int>, NcclCommunicators>;
  std::vector<int> devices;
  for (const Gpu& gpu : gpus) devices.push_back(gpu.device);
  return of_devices.try_emplace(devices, devices).first->second.all();
}

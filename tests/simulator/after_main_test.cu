#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

// A program's global objects are destroyed after main(), and after the objects that the simulator
// created while main() ran.

namespace {

__global__ void write_kernel(int* data) { *data = 1; }

class Owner {
 public:
  void take() {
    CUDA_CHECK(cudaMalloc(&d_data_, sizeof(int)));
    CUDA_CHECK(cudaStreamCreate(&stream_));
    CUDA_CHECK(cudaEventCreate(&event_));
    write_kernel<<<1, 1, 0, stream_>>>(d_data_);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(event_, stream_));
  }
  ~Owner() {
    if (!d_data_) return;
    int data = 0;
    const cudaError_t results[] = {
        cudaMemcpyAsync(&data, d_data_, sizeof(int), cudaMemcpyDeviceToHost, stream_),
        cudaStreamSynchronize(stream_), cudaEventDestroy(event_), cudaStreamDestroy(stream_),
        cudaFree(d_data_)};
    bool is_well = data == 1;
    for (const cudaError_t result : results) is_well = is_well && result == cudaSuccess;
    std::fputs(is_well ? "all is freed\n" : "a call failed\n", stderr);
  }

 private:
  int* d_data_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

Owner owner;

TEST(AfterMain, GlobalObjectsCanFreeTheirMemory) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";  // a process without this one's threads
  EXPECT_EXIT(
      {
        owner.take();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "all is freed");
}

}  // namespace

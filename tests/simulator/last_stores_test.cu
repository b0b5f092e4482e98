#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "simulator/last_stores.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

// The threads that stored the elements of a copy to the host: check shows them in a wrong result.

namespace {

using Words = std::vector<std::string>;

__global__ void store_kernel(int* out, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) out[i] = i;
}

__global__ void count_kernel(int* out) { atomicAdd(out, 1); }

__global__ void store_in_plane_kernel(int* out) {
  if (threadIdx.x == 1 && threadIdx.y == 2 && blockIdx.y == 1) out[0] = 1;
}

__global__ void store_bytes_kernel(char* out) { out[threadIdx.x] = 1; }

template <typename T>
Words writers_in(const std::vector<T>& host, std::size_t first, std::size_t count) {
  return cuda_simulator::writers_of(
      {host.data(), host.size() * sizeof(T), sizeof(T), first, count});
}

class LastStores : public testing::Test {
 protected:
  LastStores() { d_out.fill_bytes(0); }
  void store(int size) { store_kernel<<<2, 4>>>(d_out.data(), size); }

  DeviceBuffer<int> d_out{8};
};

TEST_F(LastStores, AreOfThreadsOfTheLastLaunch) {
  store(6);
  EXPECT_EQ(writers_in(d_out.to_host(), 3, 4),
            (Words{"thread 3 block 0", "thread 0 block 1", "thread 1 block 1", "-"}));
}

TEST_F(LastStores, HaveTheOtherIndicesIfTheyAreNotZero) {
  store_in_plane_kernel<<<dim3(1, 2), dim3(4, 4)>>>(d_out.data());
  EXPECT_EQ(writers_in(d_out.to_host(), 0, 1), (Words{"thread 1:2 block 0:1"}));
}

TEST_F(LastStores, AreEarlierBeforeTheLastLaunch) {
  store(2);
  count_kernel<<<1, 2>>>(d_out.data() + 7);
  EXPECT_EQ(writers_in(d_out.to_host(), 0, 1), (Words{"earlier"}));
}

TEST_F(LastStores, OfAtomicFunctionsHaveNoSingleThread) {
  count_kernel<<<1, 2>>>(d_out.data() + 7);
  EXPECT_EQ(writers_in(d_out.to_host(), 7, 1), (Words{"atomic"}));
}

TEST_F(LastStores, AreGoneAfterAFillOrACopy) {
  store(8);
  CUDA_CHECK(cudaMemset(d_out.data(), 0, 4));
  const int one = 1;
  CUDA_CHECK(cudaMemcpy(d_out.data() + 1, &one, 4, cudaMemcpyHostToDevice));
  EXPECT_EQ(writers_in(d_out.to_host(), 0, 3), (Words{"-", "-", "thread 2 block 0"}));
}

TEST_F(LastStores, OfALaterLaunchAreNewerThanAFill) {
  CUDA_CHECK(cudaMemset(d_out.data(), 0, 4));
  store(8);
  EXPECT_EQ(writers_in(d_out.to_host(), 0, 1), (Words{"thread 0 block 0"}));
}

TEST_F(LastStores, OfBytesThatShareAWordAreKnownForTheLastThread) {
  DeviceBuffer<char> d_bytes(4);
  store_bytes_kernel<<<1, 4>>>(d_bytes.data());
  EXPECT_EQ(writers_in(d_bytes.to_host(), 2, 2), (Words{"?", "thread 3 block 0"}));
}

TEST_F(LastStores, AreUnknownForMemoryThatIsNotACopy) {
  store(8);
  const std::vector<int> others(8);
  EXPECT_EQ(writers_in(others, 0, 1), Words{});
}

TEST_F(LastStores, AreUnknownForACopyThatHasChanged) {
  store(8);
  std::vector<int> host = d_out.to_host();
  host[5] = 77;
  EXPECT_EQ(writers_in(host, 0, 1), Words{});
}

TEST_F(LastStores, AreUnknownOnceTheMemoryIsFreed) {
  std::vector<int> host;
  {
    DeviceBuffer<int> d_other(8);
    store_kernel<<<2, 4>>>(d_other.data(), 8);
    host = d_other.to_host();
  }
  EXPECT_EQ(writers_in(host, 0, 1), Words{});
}

}  // namespace

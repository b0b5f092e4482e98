#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

// A __shared__ array too large for any GPU, and almost too large for a CPU's threads. nvcc does not
// compile it, and here no kernel of its program can be launched, so it has its own program.

namespace {

constexpr int kSize = 3 << 20;

__device__ float* huge_array() {
  __shared__ float values[kSize];  // 12 MB
  return values;
}

__global__ void in_a_device_function_kernel(float* out) { *out = huge_array()[threadIdx.x]; }

__global__ void of_its_own_kernel(float* out) {
  __shared__ float tile[1024][1024];  // 4 MB
  tile[threadIdx.x][0] = 1;
  *out = tile[0][threadIdx.x];
}

__global__ void without_kernel() {}

template <typename Launch>
std::string words_of(Launch launch) {
  testing::internal::CaptureStderr();
  launch();
  const std::string words = testing::internal::GetCapturedStderr();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << words;
  return words;
}

const std::string kLimit = ", but nvcc allows 49152. Use extern __shared__ memory for more.\n";

TEST(HugeSharedArray, OfAKernel) {
  EXPECT_EQ(words_of([] { of_its_own_kernel<<<1, 32>>>(nullptr); }),
            "CUDA simulator: of_its_own_kernel cannot be launched: it has 4194304 bytes of "
            "static __shared__ memory" +
                kLimit);
}

TEST(HugeSharedArray, OfADeviceFunction) {
  // "it has" or, if the compiler has inlined the function, "the program has"
  const std::string words = words_of([] { in_a_device_function_kernel<<<1, 32>>>(nullptr); });
  EXPECT_NE(words.find(" has 12582912 bytes of static __shared__ memory"), std::string::npos)
      << words;
}

TEST(HugeSharedArray, KeepsEveryKernelFromRunning) {
  const std::string words = words_of([] { without_kernel<<<4, 32>>>(); });
  EXPECT_NE(words.find("the program has 12582912 bytes of static __shared__ memory in "),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("huge_array()::values" + kLimit), std::string::npos) << words;
}

}  // namespace

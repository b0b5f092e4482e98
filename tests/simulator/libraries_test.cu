#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>
#include <cub/cub.cuh>
#include <cuda/atomic>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "expect_findings.h"
#include "simulator/library_kernels.h"

// NVIDIA's libraries, as far as the simulator replaces them.

namespace {

// A merge sort of many elements allocates and frees for each merge. Without reuse it ran out of
// address ranges from about 300,000 elements on.
TEST(MemoryOfLibraries, IsReusedWithinAKernelAndFreedAfterIt) {
  void** memory = nullptr;
  CUDA_CHECK(cudaMallocManaged(&memory, 3 * sizeof *memory));
  std::size_t before = 0, total = 0, after = 0;
  CUDA_CHECK(cudaMemGetInfo(&before, &total));
  const cuda_simulator::LibraryKernel kernel{"a library", "a_function", nullptr};
  CUDA_CHECK(kernel.run([memory] {
    memory[0] = cuda_simulator::allocate_in_kernel(5000);
    cuda_simulator::free_in_kernel(memory[0]);
    memory[1] = cuda_simulator::allocate_in_kernel(6000);
    memory[2] = cuda_simulator::allocate_in_kernel(6000);
    cuda_simulator::free_in_kernel(memory[1]);
    cuda_simulator::free_in_kernel(memory[2]);
  }));
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_NE(memory[0], nullptr);
  EXPECT_EQ(memory[1], memory[0]);
  EXPECT_NE(memory[2], memory[1]);
  CUDA_CHECK(cudaMemGetInfo(&after, &total));
  EXPECT_EQ(after, before);
  CUDA_CHECK(cudaFree(memory));
}

class Cublas : public FindingsTest {
 protected:
  void SetUp() override {
    FindingsTest::SetUp();
    ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
    FindingsTest::TearDown();
  }
  cublasStatus_t multiply(int m, int n, int k, int lda, int ldb, int ldc) {
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &alpha, d_a.data(), lda,
                       d_b.data(), ldb, &beta, d_c.data(), ldc);
  }

  cublasHandle_t handle = nullptr;
  float alpha = 2, beta = 1;
  // a = (1 3, 2 4) with a row of padding; b = (1 3, 2 4), so b' = (1 2, 3 4)
  DeviceBuffer<float> d_a{std::vector<float>{1, 2, -1, 3, 4, -1}};
  DeviceBuffer<float> d_b{std::vector<float>{1, 2, 3, 4}};
  DeviceBuffer<float> d_c{std::vector<float>{1, 1, 1, 1}};
};

TEST_F(Cublas, MultipliesColumnByColumn) {
  ASSERT_EQ(multiply(2, 2, 2, 3, 2, 2), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(d_c.to_host(), (std::vector<float>{21, 29, 29, 41}));
}

TEST_F(Cublas, RefusesInvalidArguments) {
  EXPECT_EQ(multiply(2, 2, 2, 1, 2, 2), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(-1, 2, 2, 3, 2, 2), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSscal(handle, 4, nullptr, d_c.data(), 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSscal(nullptr, 4, &alpha, d_c.data(), 1), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(d_c.to_host(), (std::vector<float>{1, 1, 1, 1}));
}

TEST_F(Cublas, ReportsAnArrayThatIsTooShort) {
  const int line = __LINE__ + 1;
  EXPECT_EQ(cublasSscal(handle, 5, &alpha, d_c.data(), 1), CUBLAS_STATUS_EXECUTION_FAILED);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "out_of_bounds");
  EXPECT_NE(finding.message.find("cublasSscal uses 20 bytes of its argument x, but only 16"),
            std::string::npos)
      << finding.message;
  ASSERT_EQ(finding.places.size(), 1u);
  EXPECT_EQ(finding.places[0].line, line);
  expect_device_lost(cudaErrorIllegalAddress);
}

TEST_F(Cublas, ReportsAnArrayOnTheHost) {
  std::vector<float> h_x(4);
  EXPECT_EQ(cublasSscal(handle, 4, &alpha, h_x.data(), 1), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(only_finding().kind, "host_pointer");
}

TEST_F(Cublas, ReportsAResultInTheOtherMemory) {
  EXPECT_EQ(cublasSdot(handle, 4, d_b.data(), 1, d_b.data(), 1, d_c.data()),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(only_finding().kind, "device_pointer_on_host");
}

TEST_F(Cublas, ReportsElementsThatNothingWrote) {
  DeviceBuffer<float> d_x(4);
  float sum = 0;
  EXPECT_EQ(cublasSasum(handle, 4, d_x.data(), 1, &sum), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(only_finding().kind, "uninitialised");
}

TEST_F(Cublas, ComputesOnVectors) {
  float dot = 0, norm = 0;
  int largest = 0;
  ASSERT_EQ(cublasSaxpy(handle, 2, &alpha, d_b.data(), 2, d_c.data(), -1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(d_c.to_host(), (std::vector<float>{7, 3, 1, 1}));  // (1, 3) from the end
  ASSERT_EQ(cublasSdot(handle, 4, d_b.data(), 1, d_c.data(), 1, &dot), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(dot, 7 + 6 + 3 + 4);
  ASSERT_EQ(cublasSnrm2(handle, 2, d_b.data() + 2, 1, &norm), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(norm, 5);
  ASSERT_EQ(cublasIsamax(handle, 4, d_b.data(), 1, &largest), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(largest, 4);
  int smallest = 0;
  ASSERT_EQ(cublasIsamin(handle, 4, d_b.data(), 1, &smallest), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(smallest, 1);
  EXPECT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, d_b.data(), CUDA_R_32F,
                         2, d_b.data(), CUDA_R_32F, 2, &beta, d_a.data(), CUDA_R_32F, 2, CUDA_R_32F,
                         CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, d_b.data(), CUDA_R_32F,
                         2, d_b.data(), CUDA_R_32F, 2, &beta, d_a.data(), CUDA_R_32F, 2, CUDA_R_8I,
                         CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_NOT_SUPPORTED);
  ASSERT_EQ(cublasSgemv(handle, CUBLAS_OP_T, 2, 2, &alpha, d_b.data(), 2, d_b.data(), 1, &beta,
                        d_c.data(), 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(d_c.to_host(), (std::vector<float>{17, 25, 1, 1}));
}

TEST_F(Cublas, WorkIsOrderedByItsStream) {
  cudaStream_t one, other;
  CUDA_CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMemsetAsync(d_c.data(), 0, 16, one));
  cublasSetStream(handle, other);
  EXPECT_EQ(cublasSscal(handle, 4, &alpha, d_c.data(), 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(only_finding().kind, "stream_race");
  CUDA_CHECK(cudaStreamDestroy(one));
  CUDA_CHECK(cudaStreamDestroy(other));
}

TEST_F(Cublas, MultipliesHalvesIntoFloats) {
  const DeviceBuffer<__half> d_halves(std::vector<__half>{1, 2, 3, 4});
  ASSERT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &alpha, d_halves.data(),
                         CUDA_R_16F, 2, d_halves.data(), CUDA_R_16F, 2, &beta, d_c.data(),
                         CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(d_c.to_host(), (std::vector<float>{21, 29, 29, 41}));
}

TEST_F(Cublas, MultipliesABatchOfHalves) {
  const DeviceBuffer<__half> d_halves(std::vector<__half>{1, 2, 3, 4, 5});
  DeviceBuffer<__half> d_products(4);
  const __half one = 1, zero = 0;
  ASSERT_EQ(
      cublasHgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, d_halves.data(), 2,
                                2, d_halves.data() + 3, 1, 1, &zero, d_products.data(), 2, 2, 2),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(d_products.to_host(), (std::vector<__half>{4, 8, 15, 20}));
}

TEST_F(Cublas, RefusesTypesThatItCannotMultiply) {
  EXPECT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &alpha, d_a.data(), CUDA_R_8I,
                         2, d_b.data(), CUDA_R_8I, 2, &beta, d_c.data(), CUDA_R_32F, 2,
                         CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(d_c.to_host(), (std::vector<float>{1, 1, 1, 1}));
}

// D = epilogue(A B') with A and B of the fixture, without the row of padding.
class CublasLt : public Cublas {
 protected:
  void SetUp() override {
    Cublas::SetUp();
    ASSERT_EQ(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F),
              CUBLAS_STATUS_SUCCESS);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    set(CUBLASLT_MATMUL_DESC_TRANSB, transposed);
    cublasLtMatrixLayoutCreate(&a_layout, CUDA_R_32F, 2, 2, 3);
    cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 2, 2, 2);
  }
  void TearDown() override {
    cublasLtMatmulDescDestroy(desc);
    cublasLtMatrixLayoutDestroy(a_layout);
    cublasLtMatrixLayoutDestroy(layout);
    Cublas::TearDown();
  }
  template <typename T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    EXPECT_EQ(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof(T)),
              CUBLAS_STATUS_SUCCESS);
  }
  cublasStatus_t multiply() {
    const float one = 1, zero = 0;
    return cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(handle), desc, &one, d_a.data(),
                          a_layout, d_b.data(), layout, &zero, d_c.data(), layout, d_c.data(),
                          layout, nullptr, nullptr, 0, nullptr);
  }

  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t a_layout = nullptr, layout = nullptr;
};

TEST_F(CublasLt, Multiplies) {
  ASSERT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(d_c.to_host(), (std::vector<float>{10, 14, 14, 20}));
}

TEST_F(CublasLt, AddsABiasAndKeepsTheArgumentOfGelu) {
  const DeviceBuffer<float> d_bias(std::vector<float>{-9, -16});
  DeviceBuffer<float> d_inputs(4);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, d_bias.data());
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, d_inputs.data());
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{2});
  ASSERT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(d_inputs.to_host(), (std::vector<float>{1, -2, 5, 4}));
  const std::vector<float> c = d_c.to_host();
  EXPECT_NEAR(c[0], 0.841192f, 1e-6);  // by hand: 0.5 (1 + tanh(0.833005))
  EXPECT_NEAR(c[1], -0.045402f, 1e-6);
}

TEST_F(CublasLt, MultipliesByTheDerivativeOfGelu) {
  const DeviceBuffer<float> d_inputs(std::vector<float>{0, 1, 0, 9});
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DGELU);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, d_inputs.data());
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{2});
  ASSERT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
  const std::vector<float> c = d_c.to_host();
  EXPECT_EQ(c[0], 5);  // 10 / 2
  EXPECT_NEAR(c[1], 14 * 1.082964f, 1e-4);
  EXPECT_EQ(c[3], 20);
}

TEST_F(CublasLt, ReportsABiasThatIsTooShort) {
  const DeviceBuffer<float> d_bias(std::vector<float>{1});
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_BIAS);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, d_bias.data());
  EXPECT_EQ(multiply(), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_NE(only_finding().message.find("uses 8 bytes of its argument bias, but only 4"),
            std::string::npos);
}

TEST_F(CublasLt, HasNoAlgorithmForAnEpilogueThatIsNotSimulated) {
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BGRADB);
  cublasLtMatmulHeuristicResult_t result;
  int returned = -1;
  EXPECT_EQ(
      cublasLtMatmulAlgoGetHeuristic(reinterpret_cast<cublasLtHandle_t>(handle), desc, a_layout,
                                     layout, layout, layout, nullptr, 1, &result, &returned),
      CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(returned, 0);
}

__global__ void philox_kernel(unsigned* words, unsigned long long seed,
                              unsigned long long subsequence) {
  curandStatePhilox4_32_10_t state;
  curand_init(seed, subsequence, 0, &state);
  for (int i = 0; i < 6; ++i) words[i] = curand(&state);
}

using Random = FindingsTest;

// The first four words are the known answer of Random123 for a counter and a key of zeros.
TEST_F(Random, APhiloxStateHasTheKnownNumbers) {
  DeviceBuffer<unsigned> d_words(6);
  philox_kernel<<<1, 1>>>(d_words.data(), 0, 0);
  std::vector<unsigned> words = d_words.to_host();
  words.resize(4);
  EXPECT_EQ(words, (std::vector<unsigned>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

template <typename State>
__global__ void start_kernel(State* states) {
  curand_init(1234, threadIdx.x, 0, &states[threadIdx.x]);
}
template <typename State>
__global__ void draw_kernel(State* states, float* out) {
  State local = states[threadIdx.x];
  out[threadIdx.x] = curand_uniform(&local);
  states[threadIdx.x] = local;
}
template <typename State>
void expect_copied() {
  DeviceBuffer<State> d_states(32);
  DeviceBuffer<float> d_out(32);
  start_kernel<<<1, 32>>>(d_states.data());
  draw_kernel<<<1, 32>>>(d_states.data(), d_out.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}
TEST_F(Random, AStateCanBeCopied) {
  expect_copied<curandState>();
  expect_copied<curandStatePhilox4_32_10_t>();
}

// As NVIDIA's library gives them for this seed.
TEST_F(Random, AGeneratorHasNvidiasOrderOfPhilox) {
  curandGenerator_t generator;
  ASSERT_EQ(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10),
            CURAND_STATUS_SUCCESS);
  curandSetPseudoRandomGeneratorSeed(generator, 1234);
  DeviceBuffer<unsigned> d_words(4);
  curandSetGeneratorOffset(generator, 262142);
  ASSERT_EQ(curandGenerate(generator, d_words.data(), 4), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(d_words.to_host()[2], 0x9eeede35u);
  DeviceBuffer<double> d_x(6);
  curandSetGeneratorOffset(generator, 0);
  ASSERT_EQ(curandGenerateUniformDouble(generator, d_x.data(), 6), CURAND_STATUS_SUCCESS);
  EXPECT_DOUBLE_EQ(d_x.to_host()[2], 0.11227557330034327);
  EXPECT_DOUBLE_EQ(d_x.to_host()[4], 0.32416504567394094);
  curandSetGeneratorOffset(generator, 0);
  ASSERT_EQ(curandGenerateNormalDouble(generator, d_x.data(), 6, 0, 1), CURAND_STATUS_SUCCESS);
  EXPECT_DOUBLE_EQ(d_x.to_host()[0], -0.53952669590731883);
  EXPECT_DOUBLE_EQ(d_x.to_host()[5], 1.3993199805606309);
  EXPECT_EQ(curandGenerateNormalDouble(generator, d_x.data(), 5, 0, 1),
            CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_NOT_INITIALIZED);
}

// All values as NVIDIA's library gives them.
TEST_F(Random, AGeneratorHasNvidiasNumbersOfSobol) {
  curandGenerator_t generator;
  ASSERT_EQ(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 2), CURAND_STATUS_SUCCESS);
  DeviceBuffer<unsigned> d_words(8);
  ASSERT_EQ(curandGenerate(generator, d_words.data(), 8), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(d_words.to_host(), (std::vector<unsigned>{0, 1u << 31, 3u << 30, 1u << 30, 0, 1u << 31,
                                                      1u << 30, 3u << 30}));
  DeviceBuffer<float> d_x(8);
  curandSetGeneratorOffset(generator, 12);
  ASSERT_EQ(curandGenerateNormal(generator, d_x.data(), 8, 1, 2), CURAND_STATUS_SUCCESS);
  EXPECT_FLOAT_EQ(d_x.to_host()[1], 2.77429295f);
  EXPECT_FLOAT_EQ(d_x.to_host()[4], -0.774293065f);
  EXPECT_EQ(curandGenerate(generator, d_words.data(), 7), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(generator, 1), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 22), CURAND_STATUS_OUT_OF_RANGE);
  curandDestroyGenerator(generator);
}

__global__ void sobol_kernel(curandDirectionVectors64_t* vectors, double* numbers) {
  curandStateSobol64_t state;
  curand_init(vectors[1], threadIdx.x, &state);
  numbers[threadIdx.x] = curand_normal_double(&state);
}

TEST_F(Random, AStateOfSobolHasNvidiasNumbers) {
  curandDirectionVectors64_t* vectors = nullptr;
  ASSERT_EQ(curandGetDirectionVectors64(&vectors, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
            CURAND_STATUS_SUCCESS);
  EXPECT_EQ(vectors[20][63], 0x1003000d00000051u);
  DeviceBuffer<unsigned long long> d_vectors(
      std::vector<unsigned long long>(&vectors[0][0], &vectors[2][0]));
  DeviceBuffer<double> d_numbers(20);
  sobol_kernel<<<1, 20>>>(reinterpret_cast<curandDirectionVectors64_t*>(d_vectors.data()),
                          d_numbers.data());
  EXPECT_NEAR(d_numbers.to_host()[16], -0.078412412733112072, 1e-15);
  EXPECT_NEAR(d_numbers.to_host()[17], 1.8627318674216531, 1e-15);
}

template <int THREADS>
__global__ void block_kernel(int* sums, int* before, int* largest) {
  using Reduce = cub::BlockReduce<int, THREADS>;
  using Scan = cub::BlockScan<int, THREADS>;
  __shared__ typename Reduce::TempStorage reduce_storage;
  __shared__ typename Scan::TempStorage scan_storage;
  const int value = static_cast<int>(threadIdx.x) + 1;
  const int sum = Reduce(reduce_storage).Sum(value);
  int prefix, total;
  Scan(scan_storage).ExclusiveSum(value, prefix, total);
  before[threadIdx.x] = prefix;
  __syncthreads();
  const int most = Reduce(reduce_storage).Reduce(value, cub::Max(), THREADS - 1);
  if (threadIdx.x == 0) {
    sums[0] = sum;
    sums[1] = total;
    *largest = most;
  }
}

template <int THREADS>
void expect_block_functions() {
  DeviceBuffer<int> d_sums(2), d_before(THREADS), d_largest(1);
  block_kernel<THREADS><<<1, THREADS>>>(d_sums.data(), d_before.data(), d_largest.data());
  const int sum = THREADS * (THREADS + 1) / 2;
  EXPECT_EQ(d_sums.to_host(), (std::vector<int>{sum, sum}));
  EXPECT_EQ(d_largest.to_host()[0], THREADS - 1);
  const std::vector<int> before = d_before.to_host();
  for (int i = 0; i < THREADS; ++i) EXPECT_EQ(before[i], i * (i + 1) / 2);
}

using Cub = FindingsTest;

TEST_F(Cub, ReducesAndScansABlock) { expect_block_functions<128>(); }
TEST_F(Cub, ReducesAndScansABlockWhoseLastWarpIsNotFull) { expect_block_functions<70>(); }

__global__ void twice_without_a_barrier_kernel(int* sums) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ typename Reduce::TempStorage storage;
  const int one = Reduce(storage).Sum(1), other = Reduce(storage).Sum(2);
  if (threadIdx.x == 0) *sums = one + other;
}

TEST_F(Cub, ReportsStorageThatIsUsedAgainWithoutABarrier) {
  DeviceBuffer<int> d_sum(1);
  twice_without_a_barrier_kernel<<<1, 64>>>(d_sum.data());
  EXPECT_EQ(only_finding().kind, "race");
}

TEST_F(Cub, SortsPairs) {
  const DeviceBuffer<int> d_keys(std::vector<int>{3, 1, 2, 1}), d_values({0, 1, 2, 3});
  DeviceBuffer<int> d_sorted(4), d_moved(4);
  std::size_t bytes = 0;
  CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, d_keys.data(), d_sorted.data(),
                                             d_values.data(), d_moved.data(), 4));
  DeviceBuffer<char> d_storage(bytes);
  CUDA_CHECK(cub::DeviceRadixSort::SortPairs(d_storage.data(), bytes, d_keys.data(),
                                             d_sorted.data(), d_values.data(), d_moved.data(), 4));
  EXPECT_EQ(d_sorted.to_host(), (std::vector<int>{1, 1, 2, 3}));
  EXPECT_EQ(d_moved.to_host(), (std::vector<int>{1, 3, 2, 0}));
}

TEST_F(Cub, ReportsAnArrayThatIsTooShort) {
  const DeviceBuffer<int> d_in(std::vector<int>{3, 1, 2});
  DeviceBuffer<int> d_out(1);
  DeviceBuffer<char> d_storage(4096);
  std::size_t bytes = 4096;
  EXPECT_EQ(cub::DeviceReduce::Sum(d_storage.data(), bytes, d_in.data(), d_out.data(), 4),
            cudaErrorIllegalAddress);
  EXPECT_EQ(only_finding().kind, "out_of_bounds");
}

// Thread 0 of block 0 announces a value; the other block waits for it.
__global__ void announce_kernel(int* data, int* flag, int* seen) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::memory_order_release);
  } else if (ready.load(cuda::memory_order_acquire) == 1) {
    *seen = *data;
  }
}

__global__ void add_kernel(int* sum) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(*sum).fetch_add(2, cuda::memory_order_relaxed);
}

using AtomicRef = FindingsTest;

TEST_F(AtomicRef, AddsOfAllThreads) {
  DeviceBuffer<int> d_sum(std::vector<int>{1});
  add_kernel<<<2, 64>>>(d_sum.data());
  EXPECT_EQ(d_sum.to_host()[0], 257);
}

TEST_F(AtomicRef, OrdersAValueBeforeItsFlag) {
  DeviceBuffer<int> d_data(1), d_flag(std::vector<int>{0}), d_seen(std::vector<int>{0});
  announce_kernel<<<2, 1>>>(d_data.data(), d_flag.data(), d_seen.data());
  EXPECT_EQ(d_seen.to_host()[0], 42);  // blocks run in order here
}

}  // namespace

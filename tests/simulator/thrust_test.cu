// Thrust, computed by the simulator. All in one file, because Thrust takes seconds to compile.

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <gtest/gtest.h>

#include <list>
#include <vector>

#include "expect_findings.h"

namespace {

using Ints = thrust::device_vector<int>;

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct IsEven {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct StoreSum {
  template <typename Tuple>
  __host__ __device__ void operator()(Tuple row) const {
    thrust::get<2>(row) = thrust::get<0>(row) + thrust::get<1>(row);
  }
};

__global__ void double_kernel(int* x) { x[threadIdx.x] *= 2; }

std::vector<int> on_host(const Ints& values) {
  std::vector<int> copy(values.size());
  thrust::copy(values.begin(), values.end(), copy.begin());
  return copy;
}
using Expected = std::vector<int>;

class ThrustTest : public FindingsTest {};

TEST_F(ThrustTest, CopiesBetweenTheHostAndTheDevice) {
  thrust::host_vector<int> host(3);
  thrust::sequence(host.begin(), host.end(), 5);
  Ints device = host;
  device[1] = 9;
  device[2] = device[0];
  device.push_back(7);
  EXPECT_EQ(on_host(device), (Expected{5, 9, 5, 7}));
  const std::list<int> list{1, 2};  // not contiguous
  const thrust::device_vector<double> converted(list.begin(), list.end());
  EXPECT_EQ(converted[1], 2.0);
  host = device;
  EXPECT_EQ(host[3], 7);
}

TEST_F(ThrustTest, SortsAndSearches) {
  Ints keys = Expected{3, 1, 2, 1}, values(4);
  thrust::sequence(values.begin(), values.end());
  thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
  EXPECT_EQ(on_host(keys), (Expected{1, 1, 2, 3}));
  EXPECT_EQ(on_host(values), (Expected{1, 3, 2, 0}));
  EXPECT_EQ(thrust::lower_bound(keys.begin(), keys.end(), 2) - keys.begin(), 2);
  thrust::sort(keys.begin(), keys.end(), thrust::greater<int>());
  EXPECT_EQ(thrust::max_element(keys.begin(), keys.end()) - keys.begin(), 0);
  keys.erase(thrust::unique(keys.begin(), keys.end()), keys.end());
  EXPECT_EQ(on_host(keys), (Expected{3, 2, 1}));
  Ints signs = Expected{1, -2, 0, -1, 2};
  thrust::sort(signs.begin(), signs.end());
  EXPECT_EQ(on_host(signs), (Expected{-2, -1, 0, 1, 2}));
  thrust::device_vector<float> floats = std::vector<float>{0.5f, -0.0f, -3.0f, 0.25f};
  thrust::sort(floats.begin(), floats.end(), thrust::greater<float>());
  EXPECT_EQ(floats[3], -3.0f);
}

TEST_F(ThrustTest, ReducesAndScans) {
  Ints x = Expected{1, 2, 3, 4}, out(4), keys = Expected{7, 7, 8, 8}, out_keys(4);
  EXPECT_EQ(thrust::reduce(x.begin(), x.end()), 10);
  EXPECT_EQ(thrust::reduce(x.begin(), x.end(), 0, thrust::maximum<int>()), 4);
  EXPECT_EQ(thrust::transform_reduce(x.begin(), x.end(), Square(), 0, thrust::plus<int>()), 30);
  EXPECT_EQ(thrust::count_if(x.begin(), x.end(), IsEven()), 2);
  thrust::inclusive_scan(x.begin(), x.end(), out.begin());
  EXPECT_EQ(on_host(out), (Expected{1, 3, 6, 10}));
  thrust::exclusive_scan(out.begin(), out.end(), out.begin());
  EXPECT_EQ(on_host(out), (Expected{0, 1, 4, 10}));
  const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), thrust::make_constant_iterator(1),
                                          out_keys.begin(), out.begin());
  EXPECT_EQ(ends.first - out_keys.begin(), 2);
  EXPECT_EQ(out[1], 2);
}

TEST_F(ThrustTest, TransformsWithFunctorsLambdasAndIterators) {
  Ints x(3, 2), y(3), z(3);
  thrust::sequence(y.begin(), y.end());
  const int a = 10;
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(),
                    [a] __device__(int u, int v) { return a * u + v; });
  EXPECT_EQ(on_host(y), (Expected{20, 21, 22}));
  const auto rows = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin(), z.begin()));
  thrust::for_each(rows, rows + 3, StoreSum());
  EXPECT_EQ(on_host(z), (Expected{22, 23, 24}));
  const auto squares = thrust::make_transform_iterator(thrust::counting_iterator<int>(1), Square());
  EXPECT_EQ(thrust::reduce(squares, squares + 3), 14);
  thrust::fill(z.begin(), z.end(), 6);
  z.erase(thrust::remove_if(z.begin() + 1, z.end(), IsEven()), z.end());
  EXPECT_EQ(on_host(z), (Expected{6}));
}

TEST_F(ThrustTest, WorksWithKernelsAndStreams) {
  int* raw;
  cudaMalloc(&raw, 20 * sizeof(int));
  thrust::sequence(thrust::device, raw, raw + 20);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaDeviceSynchronize();
  double_kernel<<<1, 20, 0, stream>>>(raw);
  thrust::transform(thrust::cuda::par_nosync.on(stream), raw, raw + 20, raw, thrust::negate<int>());
  thrust::sort(thrust::cuda::par.on(stream), raw, raw + 20);
  EXPECT_EQ(thrust::reduce(thrust::cuda::par.on(stream), raw, raw + 2), -38 - 36);
  cudaStreamDestroy(stream);
  Ints v(2, 4);
  double_kernel<<<1, 2>>>(thrust::raw_pointer_cast(v.data()));
  EXPECT_EQ(v[1], 8);
  cudaFree(raw);
}

TEST_F(ThrustTest, FindsAStreamThatDoesNotWait) {
  Ints v(4, 1);
  cudaDeviceSynchronize();
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  thrust::fill(thrust::cuda::par_nosync.on(first), v.begin(), v.end(), 2);
  thrust::reduce(thrust::cuda::par.on(second), v.begin(), v.end());
  EXPECT_EQ(only_finding().kind, "stream_race");
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

TEST_F(ThrustTest, FindsTheLineOfACallThatLeavesAVector) {
  Ints v(10);
  const int line = __LINE__ + 1;
  EXPECT_THROW(thrust::reduce(v.begin(), v.end() + 1), thrust::system_error);
  const Finding finding = expect_one_place("out_of_bounds", "element 10 of an array of 10", line, "load");
  EXPECT_EQ(finding.kernel, "thrust::reduce");
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
}

TEST_F(ThrustTest, RefusesAnElementOutsideAVector) {
  Ints v(10);
  EXPECT_THROW(static_cast<int>(v[10]), thrust::system_error);
}

}  // namespace

// For each query, the sum of all values, weighted by the product of the query and the value's key:
// out[i] = sum over j of queries[i] * keys[j] * values[j]. A block loads keys and values in tiles.
// (In attention the weight is the exponential function of such a product.)

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr int kTile = 128;  // the threads of a block, and the elements of a tile

// n is a multiple of kTile.
__global__ void attend_kernel(const float* queries, const float* keys, const float* values,
                              float* out, int n) {
  __shared__ float key_tile[kTile];
  __shared__ float value_tile[kTile];

  const int i = blockIdx.x * kTile + threadIdx.x;
  const float query = queries[i];
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    key_tile[threadIdx.x] = keys[first + threadIdx.x];
    value_tile[threadIdx.x] = values[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < kTile; ++j) sum += query * key_tile[j] * value_tile[j];
    __syncthreads();
  }
  out[i] = sum;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 3 * kTile;
  float* arrays[4] = {};
  for (float*& array : arrays) check(cudaMallocManaged(&array, n * sizeof(float)));
  float *queries = arrays[0], *keys = arrays[1], *values = arrays[2], *out = arrays[3];
  for (int i = 0; i < n; ++i) {
    queries[i] = i % 3;
    keys[i] = i % 5;
    values[i] = i % 7;
  }

  attend_kernel<<<n / kTile, kTile>>>(queries, keys, values, out, n);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    float expected = 0;
    for (int j = 0; j < n; ++j) expected += queries[i] * keys[j] * values[j];
    if (out[i] != expected) ++wrong;
  }
  std::printf(wrong == 0 ? "all right\n" : "WRONG: %d elements\n", wrong);
  for (float* array : arrays) check(cudaFree(array));
  return wrong == 0 ? 0 : 1;
}

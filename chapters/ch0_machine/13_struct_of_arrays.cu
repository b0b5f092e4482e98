// Stage 13: a struct with arrays inside
//
// A launch copies a struct argument byte by byte: its numbers and its pointers, but not the data
// that the pointers point to. --host-arrays and --host-struct pass pointers to host memory, a bug.

#include "check.h"

#include <cstdio>
#include <string>

constexpr int kPoints = 5;

struct Points {
  const int *x, *y;
  int count;
};

__device__ void add_coordinates(const Points& points, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < points.count) sums[i] = points.x[i] + points.y[i];
}

__global__ void by_value_kernel(Points points, int* sums) { add_coordinates(points, sums); }
__global__ void by_pointer_kernel(const Points* points, int* sums) {
  add_coordinates(*points, sums);
}

// Returns a copy of `count` ints in device memory. The caller frees it.
int* to_device(const int* h_array, int count) {
  int* d_array = nullptr;
  check(cudaMalloc(&d_array, count * sizeof(int)));
  check(cudaMemcpy(d_array, h_array, count * sizeof(int), cudaMemcpyHostToDevice));
  return d_array;
}

int main(int argc, char** argv) {
  const std::string option = argc == 2 ? argv[1] : "";
  if (argc > 1 && option != "--host-arrays" && option != "--host-struct") {
    std::fprintf(stderr, "'%s': the options are --host-arrays and --host-struct.\n", argv[1]);
    return 2;
  }
  const int h_x[kPoints] = {1, 2, 3, 4, 5}, h_y[kPoints] = {10, 20, 30, 40, 50};
  int h_sums[kPoints] = {};
  int *d_x = to_device(h_x, kPoints), *d_y = to_device(h_y, kPoints);
  int* d_sums = to_device(h_sums, kPoints);
  const Points host_arrays{h_x, h_y, kPoints}, device_arrays{d_x, d_y, kPoints};

  if (option == "--host-arrays") {
    by_value_kernel<<<1, 32>>>(host_arrays, d_sums);  // wrong: x and y are in host memory
  } else if (option == "--host-struct") {
    by_pointer_kernel<<<1, 32>>>(&device_arrays, d_sums);  // wrong: the struct is in host memory
  } else {
    by_value_kernel<<<1, 32>>>(device_arrays, d_sums);
  }
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  check(cudaMemcpy(h_sums, d_sums, sizeof h_sums, cudaMemcpyDeviceToHost));
  bool is_right = true;
  for (int i = 0; i < kPoints; ++i) {
    std::printf("%d + %d = %d\n", h_x[i], h_y[i], h_sums[i]);
    is_right = is_right && h_sums[i] == h_x[i] + h_y[i];
  }
  std::printf("%zu bytes of struct were passed to the kernel, %s\n", sizeof device_arrays,
              is_right ? "all right" : "WRONG");
  for (int* d_array : {d_x, d_y, d_sums}) check(cudaFree(d_array));
  return is_right ? 0 : 1;
}

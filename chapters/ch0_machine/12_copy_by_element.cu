// Stage 12: copy by element, or all at once
//
// Host code cannot write d_x[i] = i: it has to copy. One copy per element means one call per
// element, in both directions. The result is the same as with one call for the whole array.

#include "check.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

using Number = long long;

constexpr int kElements = 33 * 1024;
constexpr std::size_t kBytes = kElements * sizeof(Number);

void copy_by_element(Number* to, const Number* from, cudaMemcpyKind direction) {
  for (int i = 0; i < kElements; ++i) {
    check(cudaMemcpy(to + i, from + i, sizeof(Number), direction));
  }
}

void copy_at_once(Number* to, const Number* from, cudaMemcpyKind direction) {
  check(cudaMemcpy(to, from, kBytes, direction));
}

// Calls `copy`, waits for the device, and prints the time of both on the CPU's clock. In the
// simulator it prints no time.
template <typename Copy>
void show(const char* name, int calls, const Copy& copy) {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  check(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  copy();
  check(cudaDeviceSynchronize());
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  std::printf("%-26s calls of cudaMemcpy: %6d", name, calls);
  if (!std::strstr(device.name, "simulator")) std::printf("  %9.3f ms", ms.count());
  std::printf("\n");
}

int main() {
  std::vector<Number> h_x(kElements), h_y(kElements), h_z(kElements);
  for (int i = 0; i < kElements; ++i) h_x[i] = i;
  Number *d_y = nullptr, *d_z = nullptr;
  check(cudaMalloc(&d_y, kBytes));
  check(cudaMalloc(&d_z, kBytes));
  check(cudaMemset(d_y, 0xff, kBytes));  // -1: an element that was not copied shows
  check(cudaMemset(d_z, 0xff, kBytes));

  show("to the device, by element", kElements,
       [&] { copy_by_element(d_y, h_x.data(), cudaMemcpyHostToDevice); });
  show("to the device, all at once", 1,
       [&] { copy_at_once(d_z, h_x.data(), cudaMemcpyHostToDevice); });
  show("to the host, by element", kElements,
       [&] { copy_by_element(h_y.data(), d_y, cudaMemcpyDeviceToHost); });
  show("to the host, all at once", 1,
       [&] { copy_at_once(h_z.data(), d_z, cudaMemcpyDeviceToHost); });

  const bool is_right = h_y == h_x && h_z == h_x;
  std::printf("%d elements, %s\n", kElements, is_right ? "all right" : "WRONG");
  check(cudaFree(d_y));
  check(cudaFree(d_z));
  return is_right ? 0 : 1;
}

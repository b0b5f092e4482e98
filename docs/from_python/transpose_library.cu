// The padded transpose (stage 03) as a shared library with a C interface, for other languages.
//
//   nvcc -std=c++17 -O3 -arch=native -shared -Xcompiler -fPIC -I../.. -I../../chapters/ch3_transpose
//        transpose_library.cu ../../chapters/ch3_transpose/03_padded.cu -o libtranspose.so
//
// transpose.py calls it. No exception leaves a function: other languages cannot catch it.

#include "transpose.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cstddef>
#include <exception>
#include <string>

namespace {

// The message of the last call that failed in this thread.
std::string& message() {
  thread_local std::string text;
  return text;
}

void transpose_host_arrays(const float* h_in, float* h_out, int rows, int cols) {
  const std::size_t size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  DeviceBuffer<float> d_in(size), d_out(size);
  CUDA_CHECK(cudaMemcpy(d_in.data(), h_in, size * sizeof(float), cudaMemcpyHostToDevice));
  transpose(d_in.data(), d_out.data(), rows, cols);
  CUDA_CHECK(cudaMemcpy(h_out, d_out.data(), size * sizeof(float), cudaMemcpyDeviceToHost));
}

}  // namespace

// out(c, r) = in(r, c) for row-major arrays in host memory. Returns 0, or 1 if a CUDA call failed:
// then transpose_error() explains the failure.
extern "C" int transpose_floats(const float* h_in, float* h_out, int rows, int cols) {
  try {
    transpose_host_arrays(h_in, h_out, rows, cols);
    return 0;
  } catch (const std::exception& error) {
    message() = error.what();
    return 1;
  }
}

// The reason of the last failure in this thread; valid until the next one.
extern "C" const char* transpose_error() {
  return message().c_str();
}

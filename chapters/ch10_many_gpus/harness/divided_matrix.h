#pragma once

#include "harness/gpu_group.h"
#include "transpose/matrix_transpose.h"

#include "common/device_buffer.h"

#include <string>
#include <vector>

// A matrix and the room for its transpose, the rows of either divided among GPUs.
class DividedMatrix {
 public:
  // What is to become the transpose starts as NaN.
  DividedMatrix(const GpuGroup& group, const std::vector<float>& h_in, int rows, int cols);

  const std::vector<Slab>& slabs() const { return slabs_; }
  std::vector<float> in_to_host() const;
  std::vector<float> out_to_host() const;

 private:
  std::vector<DeviceBuffer<float>> in_, out_, packed_, received_;  // of each GPU
  std::vector<Slab> slabs_;
};

// What is wrong with `out` as the transpose of `in`, of rows x cols, in words; empty if nothing is.
std::string wrong_transpose(const std::vector<float>& in, const std::vector<float>& out, int rows,
                            int cols);

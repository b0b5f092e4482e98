#pragma once

#include "harness/gpu_group.h"
#include "transpose/matrix_transpose.h"

#include "common/device_buffer.h"

#include <string>
#include <vector>

// A matrix and room for its transpose, with the rows of both divided among GPUs.
class DividedMatrix {
 public:
  // The elements of the transpose start as NaN.
  DividedMatrix(const GpuGroup& group, const std::vector<float>& h_in, int rows, int cols);

  const std::vector<Slab>& slabs() const { return slabs_; }
  std::vector<float> in_to_host() const;
  std::vector<float> out_to_host() const;

 private:
  std::vector<DeviceBuffer<float>> in_, out_, packed_, received_;  // per GPU
  std::vector<Slab> slabs_;
};

// Describes the first error in `out`, the transpose of `in` of rows x cols; empty if there is none.
std::string wrong_transpose(const std::vector<float>& in, const std::vector<float>& out, int rows,
                            int cols);

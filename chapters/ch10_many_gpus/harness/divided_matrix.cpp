#include "harness/divided_matrix.h"

#include "common/harness/format.h"

#include <algorithm>

namespace {

std::vector<float> concatenated(const std::vector<DeviceBuffer<float>>& slabs) {
  std::vector<float> all;
  for (const DeviceBuffer<float>& slab : slabs) {
    const std::vector<float> one = slab.to_host();
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

}  // namespace

DividedMatrix::DividedMatrix(const GpuGroup& group, const std::vector<float>& h_in, int rows,
                             int cols) {
  for (std::size_t g = 0; g < group.size(); ++g) {
    CUDA_CHECK(cudaSetDevice(group.gpus()[g].device));
    const RowRange own = rows_of(rows, group.size(), g), kept = rows_of(cols, group.size(), g);
    const auto begin = h_in.begin() + static_cast<std::ptrdiff_t>(own.begin * cols);
    in_.emplace_back(
        std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(own.size * cols)));
    packed_.emplace_back(own.size * cols);
    out_.emplace_back(kept.size * rows);
    received_.emplace_back(kept.size * rows);
    for (DeviceBuffer<float>* const buffer : {&packed_[g], &out_[g], &received_[g]}) {
      buffer->fill_bytes(0xff);
    }
    slabs_.push_back({in_[g].data(), out_[g].data(), packed_[g].data(), received_[g].data()});
  }
}

std::vector<float> DividedMatrix::in_to_host() const { return concatenated(in_); }
std::vector<float> DividedMatrix::out_to_host() const { return concatenated(out_); }

std::string wrong_transpose(const std::vector<float>& in, const std::vector<float>& out, int rows,
                            int cols) {
  constexpr std::size_t kTile = 64;  // rows, and columns: both tiles fit in a cache
  const auto height = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(cols);
  for (std::size_t row = 0; row < height; row += kTile) {
    for (std::size_t col = 0; col < width; col += kTile) {
      for (std::size_t c = col; c < std::min(col + kTile, width); ++c) {
        for (std::size_t r = row; r < std::min(row + kTile, height); ++r) {
          if (out[c * height + r] == in[r * width + c]) continue;  // NaN is not equal
          return format("out(%zu, %zu): expected %.9g, got %s.", c, r, in[r * width + c],
                        printed(out[c * height + r], 9).c_str());
        }
      }
    }
  }
  return "";
}

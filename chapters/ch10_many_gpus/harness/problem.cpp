#include "harness/problem.h"

DividedVectors::DividedVectors(const GpuGroup& group, const double* a, const double* b,
                               std::size_t size) {
  for (std::size_t g = 0; g < group.size(); ++g) {
    CUDA_CHECK(cudaSetDevice(group.gpus()[g].device));
    const std::size_t begin = share_begin(size, group.size(), g);
    const std::size_t own_size = share_begin(size, group.size(), g + 1) - begin;
    for (const double* const whole : {a, b}) {
      vectors_.emplace_back(own_size);
      if (own_size == 0) continue;
      CUDA_CHECK(cudaMemcpy(vectors_.back().data(), whole + begin, own_size * sizeof(double),
                            cudaMemcpyHostToDevice));
    }
    workspaces_.emplace_back(kWorkspaceBytes);
    workspaces_.back().fill_bytes(0);
    shares_.push_back(
        {vectors_[2 * g].data(), vectors_[2 * g + 1].data(), own_size, workspaces_.back().data()});
  }
}

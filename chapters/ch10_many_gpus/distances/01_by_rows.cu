// Distances, step 01: divided by rows, with equal numbers of pairs
//
// Each GPU computes the distances of the pairs i < j for some rows i, and keeps the distances. It
// has the vectors of its rows, and fetches the vectors of all later rows with copies. Row 0 has a
// pair with every other vector; the last row has no pairs. So equal numbers of rows would be
// unequal work, and all other GPUs would wait for the first GPU. triangle_begin() divides the rows
// into shares with equal numbers of pairs.
//
// A GPU starts with the pairs of its own vectors, for which it needs no other GPU. At the same time
// a copy engine fetches the vectors of the next GPU. When these vectors have arrived, the copy
// engine fetches the vectors of the GPU after that, and so on.
//
// Cost: GPU g fetches each vector of all later GPUs once, and keeps it. On two GPUs 71 % of the
// vectors cross the link, and each fetched vector is used for thousands of pairs. The distances,
// which are half of a square matrix, stay on the GPU that computes them.

#include "distances/block_distances.h"
#include "distances/divided_distances.h"

#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

void divided_distances(const std::vector<Gpu>& gpus, const std::vector<VectorShare>& shares,
                       int count, int dimensions) {
  const auto begin_of = [&](std::size_t g) { return triangle_begin(count, gpus.size(), g); };
  const std::size_t vector_floats = static_cast<unsigned>(dimensions);
  wait_for_each_other(gpus);  // all vectors are in memory

  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const int begin = begin_of(g), end = begin_of(g + 1);
    if (begin == end) continue;
    const GpuEvent ready(gpus[g]);
    CUDA_CHECK(cudaEventRecord(ready.get(), gpus[g].stream));
    CUDA_CHECK(cudaStreamWaitEvent(gpus[g].copies, ready.get()));
    const VectorRange own{shares[g].d_own, begin, end - begin};
    queue_block_distances(own, own, count, dimensions, shares[g].d_distances, gpus[g].stream);

    for (std::size_t from = g + 1; from < gpus.size(); ++from) {
      const int first = begin_of(from), size = begin_of(from + 1) - first;
      float* const d_fetched = shares[g].d_later + (first - end) * vector_floats;
      const std::size_t bytes = size * vector_floats * sizeof(float);
      CUDA_CHECK(cudaMemcpyPeerAsync(d_fetched, gpus[g].device, shares[from].d_own,
                                     gpus[from].device, bytes, gpus[g].copies));
      const GpuEvent arrived(gpus[g]);
      CUDA_CHECK(cudaEventRecord(arrived.get(), gpus[g].copies));
      CUDA_CHECK(cudaStreamWaitEvent(gpus[g].stream, arrived.get()));
      queue_block_distances(own, {d_fetched, first, size}, count, dimensions, shares[g].d_distances,
                            gpus[g].stream);
    }
  }
  wait_for_each_other(gpus);  // no GPU still fetches a vector
}

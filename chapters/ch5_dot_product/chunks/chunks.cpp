#include "chunks/chunks.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <algorithm>

namespace {

struct Chunks final : Computation {
  explicit Chunks(const Shape& shape) : rows(shape[0]), columns(shape[1]), blocks(shape[2]) {}

  // Integers from -8 to 7: their sums are exact in a float, in any order, if a thread adds fewer
  // than 2^21 of them.
  void fill(std::uint64_t seed) override {
    x.host.resize(rows * columns);
    RandomBits bits(seed);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t c = 0; c < columns; ++c) {
        x.host[index(row, c)] = static_cast<float>(bits() >> 60) - 8.0f;
      }
    }
  }
  void run(cudaStream_t stream) override {
    read_chunks(x, rows, static_cast<int>(columns), static_cast<unsigned>(blocks), sums, stream);
  }
  // In each chunk a thread adds the row of the next thread, and the last thread the first row.
  void expect() override {
    std::vector<float> one_block(kChunkRows);
    for (std::size_t first = 0; first < rows; first += kChunkRows) {
      const std::size_t count = std::min<std::size_t>(rows - first, kChunkRows);
      for (std::size_t t = 0; t < count; ++t) {
        const std::size_t row = first + (t + 1) % count;
        for (std::size_t c = 0; c < columns; ++c) one_block[t] += x.host[index(row, c)];
      }
    }
    std::vector<float> right;
    for (std::size_t block = 0; block < blocks; ++block) {
      right.insert(right.end(), one_block.begin(), one_block.end());
    }
    sums.expect(right, /*bound=*/0);
  }
  double work() const override {
    return x.bytes() * static_cast<double>(blocks);  // each block reads the whole matrix
  }

  std::string text() const override {
    return format("%zu x %zu floats by %zu blocks", rows, columns, blocks);
  }
  std::string report() const override {
    return format("%s, all right\n  a block keeps chunks of %u rows, %.1f KiB of shared memory",
                  text().c_str(), kChunkRows,
                  static_cast<double>(chunk_bytes(static_cast<int>(columns))) / 1024);
  }
  std::string facts_of_wrong(std::size_t i, double, double) const override {
    return format("wrong=sum thread=%zu block=%zu", i % kChunkRows, i / kChunkRows);
  }

  // In the layout that the stage expects.
  std::size_t index(std::size_t row, std::size_t column) const {
    return order() == Order::kRows ? row * columns + column : column * rows + row;
  }

  std::size_t rows, columns, blocks;
  Input<float> x{this, "x", rows * columns};
  Output<float> sums{this, "sums", blocks * kChunkRows};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<Chunks>;
  // Each block reads the whole matrix, so a few blocks are enough for a check.
  operation.extents = {
      {"--size N", "rows of the matrix", 1'000'000'000, 2'500, 10'000'000},
      {"--columns M", "columns of the matrix", 1000, 10, 10, 1, /*is_column=*/false},
      {"--blocks B", "number of blocks; each reads the whole matrix", 10'000, 4, 100, 1, false}};
  // One row; a warp; a chunk and the sizes around it; a last chunk of one row; several chunks.
  operation.shapes = {{1, 1, 1},    {5, 10, 2},   {31, 3, 1},    {33, 2, 1},  {100, 3, 1},
                      {1023, 1, 1}, {1024, 3, 2}, {1025, 10, 1}, {3000, 2, 2}};
  operation.ceiling = input_read;  // the matrix once
  return operation;
}

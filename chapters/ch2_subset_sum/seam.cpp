#include "seam.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <algorithm>

// Row by row: the costs of the top row are its energies, and every other pixel adds its energy to
// the smallest of the two or three costs above it.
std::vector<int> seam_costs_on_cpu(const std::vector<int>& energy, std::size_t rows,
                                   std::size_t cols) {
  std::vector<int> cost(energy);
  for (std::size_t r = 1; r < rows; ++r) {
    const int* const above = cost.data() + (r - 1) * cols;
    for (std::size_t c = 0; c < cols; ++c) {
      const std::size_t first = c > 0 ? c - 1 : 0, last = std::min(c + 1, cols - 1);
      cost[r * cols + c] += *std::min_element(above + first, above + last + 1);
    }
  }
  return cost;
}

namespace {

constexpr std::size_t kMostToShow = 16;  // rows, and columns
constexpr int kLargestEnergy = 255;      // that of a byte, as in pictures

// The column of the cheapest seam in each row; of several equally cheap seams the leftmost one.
std::vector<std::size_t> cheapest_seam(const std::vector<int>& cost, std::size_t rows,
                                       std::size_t cols) {
  std::vector<std::size_t> columns(rows);
  std::size_t first = 0, last = cols - 1;
  for (std::size_t r = rows; r-- > 0;) {
    const int* const row = cost.data() + r * cols;
    columns[r] = static_cast<std::size_t>(std::min_element(row + first, row + last + 1) - row);
    first = columns[r] > 0 ? columns[r] - 1 : 0;
    last = std::min(columns[r] + 1, cols - 1);
  }
  return columns;
}

struct SeamCosts final : Computation {
  explicit SeamCosts(const Shape& shape) : rows(shape[0]), cols(shape[1]) {}

  void fill(std::uint64_t seed) override {
    energy.host.resize(rows * cols);
    RandomBits bits(seed);
    for (int& pixel : energy.host) pixel = static_cast<int>(bits() % (kLargestEnergy + 1));
  }
  void run(cudaStream_t stream) override {
    seam_costs(energy, cost, static_cast<int>(rows), static_cast<int>(cols), stream);
  }
  // Before a call each cost is -1, less than any cost, so one that is read too early is found.
  void expect() override { cost.expect(seam_costs_on_cpu(energy.host, rows, cols)); }

  std::string text() const override { return format("%zu x %zu pixels", rows, cols); }
  std::string report() const override {
    const std::vector<std::size_t> seam = cheapest_seam(cost.result, rows, cols);
    return text() +
           format(", all costs equal to the CPU's\n  the cheapest seam costs %d",
                  cost.result[(rows - 1) * cols + seam.back()]) +
           picture(seam);
  }

  // Where the wrong costs of the first wrong row are, for the choice of a hint: in the top row,
  // only at the borders of the image, the whole last row, or elsewhere.
  std::string facts_of_wrong(std::size_t i, double, double) const override {
    const std::size_t row = i / cols;
    const auto is_wrong = [&](std::size_t c) {
      return !cost.is_right(cost.result[row * cols + c], row * cols + c);
    };
    std::size_t wrong = 0;
    for (std::size_t c = 0; c < cols; ++c) wrong += is_wrong(c);
    const std::size_t at_border = is_wrong(0) + is_wrong(cols - 1);
    const char* place = "inside";
    if (row == 0) {
      place = "top_row";
    } else if (cols > 2 && wrong == at_border) {
      place = "border";
    } else if (row == rows - 1 && row > 1 && wrong == cols) {
      place = "last_row";
    }
    return std::string("array=cost on=") + place;
  }

  // The energies, with the seam in brackets; empty for a large image.
  std::string picture(const std::vector<std::size_t>& seam) const {
    if (rows > kMostToShow || cols > kMostToShow) return "";
    std::string picture = "\n";
    for (std::size_t r = 0; r < rows; ++r) {
      picture += "\n ";
      for (std::size_t c = 0; c < cols; ++c) {
        picture += format(seam[r] == c ? "[%3d]" : " %3d ", energy.host[r * cols + c]);
      }
    }
    return picture;
  }

  std::size_t rows, cols;
  Input<int> energy{this, "energy", rows * cols, cols};
  Output<int> cost{this, "cost", rows * cols, cols};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<SeamCosts>;
  // At most 1,000,000 rows, so that a cost is at most 255,000,000. 9 x 14 pixels can be shown.
  operation.extents = {
      {"--rows R", "rows of the image", 1'000'000, 9, 9},
      {"--cols C", "columns; one of the two alone: a square image", 1'000'000, 14, 14}};
  operation.one_for_all = true;
  // One pixel; one row; one column; a warp and a block, one less and one more; primes; tall.
  operation.shapes = {{1, 1},   {1, 1000}, {300, 1},   {2, 2},    {3, 31},  {4, 32},
                      {5, 33},  {6, 255},  {7, 256},   {8, 257},  {61, 67}, {9, 523},
                      {523, 9}, {20, 40},  {11, 1025}, {13, 2003}};
  // Two images with as many pixels, in rows of another length.
  operation.in_turn = {{9, 523}, {20, 40}, {523, 9}};
  return operation;
}

#include "chapters/ch2_subset_sum/seam.h"
#include "chapters/ch2_subset_sum/harness/seam_reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/format.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace {

struct Image {
  int rows, cols;
  std::size_t size() const { return static_cast<std::size_t>(rows) * cols; }
};
std::ostream& operator<<(std::ostream& os, Image i) { return os << i.rows << 'x' << i.cols; }

// The place of the wrong costs in the first wrong row, for the choice of a hint: in the top row,
// only at the borders of the image, the whole last row, or elsewhere.
std::string place_of(const std::vector<bool>& is_wrong, std::size_t row, Image image) {
  if (row == 0) return "top_row";
  const std::size_t width = static_cast<std::size_t>(image.cols), begin = row * width;
  bool is_at_border = width > 2;
  for (std::size_t c = 1; c + 1 < width; ++c) is_at_border = is_at_border && !is_wrong[begin + c];
  if (is_at_border) return "border";
  const bool is_last = row + 1 == static_cast<std::size_t>(image.rows) && row > 1;
  const auto from = is_wrong.begin() + static_cast<std::ptrdiff_t>(begin);
  return is_last && std::find(from, is_wrong.end(), false) == is_wrong.end() ? "last_row" : "inside";
}

// Fails with the row and column of the first wrong cost, unless all are equal.
void expect_costs(const std::vector<int>& actual, const std::vector<int>& expected, Image image) {
  ASSERT_EQ(actual.size(), expected.size());
  std::size_t first = actual.size(), count = 0;
  std::vector<bool> is_wrong(actual.size());
  for (std::size_t i = actual.size(); i-- > 0;) {
    if (actual[i] == expected[i]) continue;
    is_wrong[i] = true;
    first = i;
    ++count;
  }
  if (count == 0) return;
  const std::size_t width = static_cast<std::size_t>(image.cols);
  const std::size_t row = first / width, col = first % width;
  record_fact("array=cost on=" + place_of(is_wrong, row, image));
  ADD_FAILURE() << count << " of " << expected.size() << " costs of " << image
                << " pixels are wrong. The first is cost[" << row << "][" << col << "]: expected "
                << expected[first] << ", got " << actual[first] << "."
                << wrong_pattern(
                       actual, width, [&](int cost, std::size_t i) { return cost == expected[i]; },
                       "cost");
}

std::vector<int> costs_of(const std::vector<int>& h_energy, Image image) {
  const DeviceBuffer<int> d_energy(h_energy);
  DeviceBuffer<int> d_cost(image.size());
  d_cost.fill_bytes(0xff);  // -1, less than any cost, so an entry that is read too early is found
  seam_costs(d_energy.data(), d_cost.data(), image.rows, image.cols);
  expect_no_launch_error();
  return d_cost.to_host();
}

using SeamFirst = DeviceTest;

// Numbers that you can check with a pencil.
TEST_F(SeamFirst, AddsUpThreeRowsOfFour) {
  const std::vector<int> energy{3, 1, 4, 1,  //
                                5, 9, 2, 6,  //
                                5, 3, 5, 8};
  const std::vector<int> cost{3,  1,  4, 1,  //
                              6,  10, 3, 7,  //
                              11, 6,  8, 11};
  expect_costs(costs_of(energy, {3, 4}), cost, {3, 4});
}

class SeamTest : public DeviceTest, public testing::WithParamInterface<Image> {};

TEST_P(SeamTest, MatchesReference) {
  const Image image = GetParam();
  const std::vector<int> energy = random_energies(image.size(), /*seed=*/image.size());
  expect_costs(costs_of(energy, image), seam_reference(energy, image.rows, image.cols), image);
}

TEST_P(SeamTest, WritesNothingOutsideTheCosts) {
  const Image image = GetParam();
  GuardedArray<int> energy(random_energies(image.size(), /*seed=*/3));
  GuardedArray<int> cost(std::vector<int>(image.size(), -1));

  seam_costs(energy.data(), cost.data(), image.rows, image.cols);

  expect_no_launch_error();
  energy.expect_intact_guards("energy");
  cost.expect_intact_guards("cost");
}

// One pixel; one row; one column; a warp and a block, one less and one more; primes.
INSTANTIATE_TEST_SUITE_P(
    Images, SeamTest,
    testing::ValuesIn(with_hidden_shapes<2>(std::vector<Image>{{1, 1},
                                                               {1, 1000},
                                                               {300, 1},
                                                               {2, 2},
                                                               {3, 31},
                                                               {4, 32},
                                                               {5, 33},
                                                               {6, 255},
                                                               {7, 256},
                                                               {8, 257},
                                                               {61, 67},
                                                               {11, 1025},
                                                               {13, 2003}},
                                            [](const auto& extents) {
                                              return Image{extents[0], extents[1]};
                                            })),
    [](const auto& info) { return format("%dx%d", info.param.rows, info.param.cols); });

class SeamOnce : public DeviceTest {
 protected:
  const Image image{9, 523};
};

TEST_F(SeamOnce, LeavesTheEnergiesAlone) {
  const std::vector<int> h_energy = random_energies(image.size(), /*seed=*/2);
  const DeviceBuffer<int> d_energy(h_energy);
  DeviceBuffer<int> d_cost(image.size());
  d_cost.fill_bytes(0xff);

  seam_costs(d_energy.data(), d_cost.data(), image.rows, image.cols);

  EXPECT_TRUE(right_or_fact(d_energy.to_host() == h_energy, "changed=energy"))
      << "the energies have changed";
}

// Costs up to 9 * 200,000,000: none of them must be mistaken for "no such entry".
TEST_F(SeamOnce, AddsLargeEnergies) {
  const std::vector<int> energy = random_energies(image.size(), /*seed=*/4, 200'000'000);
  const bool is_right = costs_of(energy, image) == seam_reference(energy, image.rows, image.cols);
  EXPECT_TRUE(right_or_fact(is_right, "array=cost on=large_energies"))
      << "with energies of up to 200,000,000 the costs are wrong";
}

// The old contents of d_cost must not matter to the next image.
TEST_F(SeamOnce, RunsWithSeveralImagesInTurn) {
  DeviceBuffer<int> d_cost(image.size());
  d_cost.fill_bytes(0xff);
  for (const Image next : {image, Image{20, 40}, Image{523, 9}}) {
    const std::vector<int> h_energy = random_energies(next.size(), /*seed=*/5);
    const DeviceBuffer<int> d_energy(h_energy);
    seam_costs(d_energy.data(), d_cost.data(), next.rows, next.cols);
    std::vector<int> cost = d_cost.to_host();
    cost.resize(next.size());
    expect_costs(cost, seam_reference(h_energy, next.rows, next.cols), next);
  }
}

TEST_F(SeamOnce, RunsInTheStreamItIsGiven) {
  const std::vector<int> h_energy = random_energies(image.size(), /*seed=*/6);
  DeviceBuffer<int> d_energy(image.size()), d_cost(image.size());
  std::vector<int> cost(image.size());
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  CUDA_CHECK(cudaMemcpyAsync(d_energy.data(), h_energy.data(), d_energy.size_bytes(),
                             cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaMemsetAsync(d_cost.data(), 0xff, d_cost.size_bytes(), stream));
  seam_costs(d_energy.data(), d_cost.data(), image.rows, image.cols, stream);
  CUDA_CHECK(cudaMemcpyAsync(cost.data(), d_cost.data(), d_cost.size_bytes(),
                             cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));

  expect_costs(cost, seam_reference(h_energy, image.rows, image.cols), image);
}

TEST_F(SeamOnce, ThrowsIfItCannotBeLaunched) {
  const DeviceBuffer<int> d_energy(random_energies(image.size(), /*seed=*/7));
  DeviceBuffer<int> d_cost(image.size());
  d_cost.fill_bytes(0xff);  // a row whose launch fails does not count as never written
  expect_error_of_each_launch(
      [&] { seam_costs(d_energy.data(), d_cost.data(), image.rows, image.cols); });
}

// The reference is checked without the recurrence, by listing all seams of a small image.
TEST(SeamReference, IsTheCheapestOfAllSeams) {
  const Image image{5, 4};
  const std::vector<int> energy = random_energies(image.size(), /*seed=*/8);
  std::vector<int> cheapest(image.cols, 5 * 255 + 1);
  for (int start = 0; start < image.cols; ++start) {
    for (int moves = 0; moves < 81; ++moves) {  // 3^4: left, straight or right in each row
      int col = start, sum = energy[start];
      for (int r = 1, left = moves; r < image.rows && col >= 0; ++r, left /= 3) {
        col += left % 3 - 1;
        if (col >= image.cols) col = -1;
        if (col >= 0) sum += energy[r * image.cols + col];
      }
      if (col >= 0) cheapest[col] = std::min(cheapest[col], sum);
    }
  }
  const std::vector<int> cost = seam_reference(energy, image.rows, image.cols);
  EXPECT_EQ(std::vector<int>(cost.end() - image.cols, cost.end()), cheapest);
}

}  // namespace

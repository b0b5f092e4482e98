#include "chapters/ch10_many_gpus/stencil.h"
#include "chapters/ch10_many_gpus/harness/divided_field.h"
#include "chapters/ch10_many_gpus/harness/stencil_reference.h"

#include "common/harness/random.h"
#include "tests/ch10_many_gpus/on_gpus.h"
#include "tests/support/launch_failure.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace {

class Stencil : public OnGpusTest,
                public testing::WithParamInterface<std::tuple<int, int, std::size_t>> {};

TEST_P(Stencil, MatchesReference) {
  const auto [gpus, steps, size] = GetParam();
  if (gpus > gpus_there()) GTEST_SKIP() << "there are fewer GPUs";
  const GpuGroup group(gpus);
  const std::vector<float> h_values = random_floats(size, /*seed=*/size);
  const DividedField field(group, h_values);
  make_last_gpu_current();
  stencil(group.gpus(), field.fields(), steps);
  expect_no_error_left();
  for (const Gpu& gpu : group.gpus()) CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
  const std::vector<float> values = field.to_host(steps);
  const std::vector<float> expected = stencil_reference(h_values, steps);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < size; ++i) {
    right_or_fact(values[i] == expected[i], format("wrong=value first=%zu size=%zu", i, size) +
                                                " got=" + fact_value(values[i]));
    ASSERT_EQ(values[i], expected[i]) << "value " << i << " of " << size << " after " << steps
                                      << " step(s) on " << gpus << " GPU(s)";
  }
}

// No step, one, an even and an odd number; a value per GPU; a block per GPU, and one more or less.
INSTANTIATE_TEST_SUITE_P(Sizes, Stencil,
                         testing::Combine(testing::Values(1, 2, 3, 4), testing::Values(0, 1, 2, 5),
                                          testing::Values(4, 5, 255, 256, 1025)),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) + "_gpus_" +
                                  std::to_string(std::get<1>(info.param)) + "_steps_of_" +
                                  std::to_string(std::get<2>(info.param));
                         });

class StencilOnAll : public OnGpusTest {};

TEST_F(StencilOnAll, NoStepChangesNothing) {
  const GpuGroup group(std::min(gpus_there(), 4));
  const std::vector<float> h_values = random_floats(100, /*seed=*/2);
  const DividedField field(group, h_values);
  stencil(group.gpus(), field.fields(), 0);
  group.wait();
  EXPECT_EQ(field.to_host(0), h_values);
  const std::vector<float> next = field.to_host(1);
  EXPECT_TRUE(std::all_of(next.begin(), next.end(), [](float value) { return std::isnan(value); }));
}

TEST_F(StencilOnAll, ReportsALaunchThatFails) {
  test_error_handling();
  const GpuGroup group(std::min(gpus_there(), 4));
  const DividedField field(group, random_floats(100, /*seed=*/1));
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(stencil(group.gpus(), field.fields(), 1), CudaError);
  take_device_findings();  // the simulator reports a refused launch
}

TEST(StencilReference, IsAMeanOfThree) {
  EXPECT_EQ(stencil_reference({4, 0, 0}, 1), (std::vector<float>{2, 1, 0}));
  EXPECT_EQ(stencil_reference({4, 0, 0}, 0), (std::vector<float>{4, 0, 0}));
}

}  // namespace

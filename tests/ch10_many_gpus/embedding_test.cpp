#include "chapters/ch10_many_gpus/embedding/divided_embedding.h"
#include "chapters/ch10_many_gpus/harness/divided_map.h"
#include "chapters/ch9_embedding/harness/host_affinities.h"
#include "chapters/ch9_embedding/harness/reference.h"

#include "common/harness/format.h"
#include "tests/ch10_many_gpus/on_gpus.h"
#include "tests/ch9_embedding/guarded_map.h"
#include "tests/support/launch_errors.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

namespace {

constexpr Schedule kSchedule{/*early_iterations=*/10, 12, 0.5f, 0.8f, 50};

// A descent on some GPUs; some GPUs can have no points.
struct OnSomeGpus {
  OnSomeGpus(int gpus, const HostAffinities& affinities, const ReferenceMap& from)
      : count(affinities.count), group(gpus), map(group, affinities, from) {}

  void descend(int first, int last) {
    make_last_gpu_current();
    divided_embedding(group.gpus(), map.shares(), count, first, last, kSchedule);
  }
  // The points, which must be the same on all GPUs.
  std::vector<double> points() {
    expect_no_error_left();
    for (const Gpu& gpu : group.gpus()) CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
    const std::vector<double> first = map.points_on(0);
    for (std::size_t g = 1; g < group.size(); ++g) {
      const std::vector<double> others = map.points_on(g);
      const auto is_same = [](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b));
      };
      const auto [one, other] = std::mismatch(first.begin(), first.end(), others.begin(), is_same);
      if (one == first.end()) continue;
      record_fact("wrong=point between=devices");
      ADD_FAILURE() << "point " << (one - first.begin()) / 2 << " is at " << printed(*one, 9)
                    << " on GPU 0 and at " << printed(*other, 9) << " on GPU " << g;
    }
    group.wait();
    return first;
  }

  int count;
  GpuGroup group;
  DividedMap map;
};

// One iteration from that state: the gradient is as near to the reference as floats allow, and each
// point where this gradient moves it.
void expect_iteration(int gpus, const HostAffinities& affinities, const ReferenceMap& from,
                      int iteration) {
  OnSomeGpus on(gpus, affinities, from);
  on.descend(iteration, iteration + 1);
  const std::vector<double> points = on.points();
  const auto exaggeration = static_cast<double>(exaggeration_at(kSchedule, iteration));
  const ReferenceGradient expected = gradient_reference(affinities, from.points, exaggeration);
  const double bound = gradient_bound(affinities.count, expected.z);
  const std::vector<double> gradient = on.map.gradient();
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    ASSERT_LE(std::abs(gradient[k] - expected.values[k]), bound * expected.magnitudes[k])
        << "the gradient of point " << k / 2 << " of " << affinities.count << " in iteration "
        << iteration << ": expected " << expected.values[k] << ", got " << printed(gradient[k], 9);
  }
  const auto momentum = static_cast<double>(momentum_at(kSchedule, iteration));
  const auto rate = static_cast<double>(kSchedule.learning_rate);
  const ReferenceMap after = on.map.to_host();
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double kept = momentum * from.steps[k], added = rate * after.gains[k] * gradient[k];
    ASSERT_NEAR(after.steps[k], kept - added, 1e-6 * (std::abs(kept) + std::abs(added)))
        << "the step of point " << k / 2;
    ASSERT_NEAR(points[k], from.points[k] + after.steps[k],
                1e-7 * (std::abs(from.points[k]) + std::abs(after.steps[k])))
        << "point " << k / 2;
  }
}

class EmbeddingOnGpus : public OnGpusTest,
                        public testing::WithParamInterface<std::tuple<int, int>> {};

// With exaggeration and without; points at the distances of a finished map.
TEST_P(EmbeddingOnGpus, MatchesReferenceGradient) {
  const auto [gpus, count] = GetParam();
  if (gpus > gpus_there()) GTEST_SKIP() << "there are fewer GPUs";
  const HostAffinities affinities =
      random_affinities(count, std::min(20, count), std::max(1, count / 30), /*seed=*/17);
  expect_iteration(gpus, affinities, state(count, 3, /*seed=*/5), /*iteration=*/3);
  expect_iteration(gpus, affinities, state(count, 3, /*seed=*/7), /*iteration=*/10);
}

// Fewer points than GPUs, as many, one more; a block of 8 points per GPU, and one more or less; a
// block of the step, of 256; a prime.
INSTANTIATE_TEST_SUITE_P(Counts, EmbeddingOnGpus,
                         testing::Combine(testing::Values(1, 2, 3, 4),
                                          testing::Values(2, 3, 4, 5, 16, 17, 33, 257, 263)),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) + "_gpus_n" +
                                  std::to_string(std::get<1>(info.param));
                         });

class EmbeddingOnAll : public OnGpusTest {
 protected:
  static int used_gpus() { return std::min(gpus_there(), 4); }
  const HostAffinities affinities_ = random_affinities(/*count=*/71, 12, 3, /*seed=*/1);
};

// More than a chunk of 512 on each of two GPUs, and more than 32 points of a list.
TEST_F(EmbeddingOnAll, MatchesReferenceBeyondAChunk) {
  const HostAffinities affinities = random_affinities(/*count=*/1031, 40, 2, /*seed=*/2);
  expect_iteration(std::min(gpus_there(), 2), affinities, state(1031, 3, /*seed=*/3), 10);
}

// Several calls, between which the host does not wait, are one descent.
TEST_F(EmbeddingOnAll, ContinuesWhereItEnded) {
  const ReferenceMap start = start_map(71, /*seed=*/4);
  OnSomeGpus at_once(used_gpus(), affinities_, start), in_parts(used_gpus(), affinities_, start);
  at_once.descend(8, 13);
  in_parts.descend(8, 11);
  in_parts.descend(11, 12);
  in_parts.descend(12, 13);
  EXPECT_EQ(in_parts.points(), at_once.points());
}

TEST_F(EmbeddingOnAll, HasTheSameBitsTwice) {
  const ReferenceMap start = start_map(71, /*seed=*/5);
  for (int gpus = 2; gpus <= used_gpus(); ++gpus) {
    OnSomeGpus one(gpus, affinities_, start), other(gpus, affinities_, start);
    one.descend(9, 12);
    other.descend(9, 12);
    EXPECT_EQ(one.points(), other.points()) << "on " << gpus << " GPUs";
  }
}

TEST_F(EmbeddingOnAll, NoIterationChangesNothing) {
  const ReferenceMap from = state(71, 1, /*seed=*/6);
  OnSomeGpus on(used_gpus(), affinities_, from);
  on.descend(5, 5);
  EXPECT_EQ(on.points(), from.points);
}

// A NaN must not get lost: it reaches every point on every GPU through Z.
TEST_F(EmbeddingOnAll, ANanReachesEveryPoint) {
  for (const std::size_t point : {0, 70}) {
    ReferenceMap from = state(71, 1, /*seed=*/7);
    from.points[2 * point] = NAN;
    OnSomeGpus on(used_gpus(), affinities_, from);
    on.descend(10, 11);
    for (const double component : on.points()) EXPECT_TRUE(std::isnan(component));
  }
}

// Work that is queued before the call can still use the workspace, and write the points: here it
// makes all of them equal, so they do not push or pull.
TEST_F(EmbeddingOnAll, WaitsForItsPoints) {
  OnSomeGpus on(used_gpus(), affinities_, state(71, 1, /*seed=*/8));
  const std::size_t workspace_bytes = divided_embedding_workspace_bytes(71, on.group.size());
  for (std::size_t g = 0; g < on.group.size(); ++g) {
    const Gpu& gpu = on.group.gpus()[g];
    const PointShare& share = on.map.shares()[g];
    CUDA_CHECK(cudaSetDevice(gpu.device));
    CUDA_CHECK(cudaMemsetAsync(share.map.points, 0, 71 * sizeof(float2), gpu.stream));
    CUDA_CHECK(cudaMemsetAsync(share.d_workspace, 0xff, workspace_bytes, gpu.stream));
  }
  on.descend(10, 11);
  on.points();
  for (const double component : on.map.gradient()) EXPECT_EQ(component, 0);
}

// Work that is queued after the call can change the points and use the workspace, because the call
// no longer uses them.
TEST_F(EmbeddingOnAll, LaterWorkCanChangeItsData) {
  OnSomeGpus on(used_gpus(), affinities_, state(71, 1, /*seed=*/9));
  on.descend(10, 12);
  const std::size_t workspace_bytes = divided_embedding_workspace_bytes(71, on.group.size());
  for (std::size_t g = 0; g < on.group.size(); ++g) {
    const Gpu& gpu = on.group.gpus()[g];
    CUDA_CHECK(cudaSetDevice(gpu.device));
    const PointShare& share = on.map.shares()[g];
    CUDA_CHECK(cudaMemsetAsync(share.map.points, 0xff, 71 * sizeof(float2), gpu.stream));
    CUDA_CHECK(cudaMemsetAsync(share.d_workspace, 0xff, workspace_bytes, gpu.stream));
  }
  on.group.wait();
}

// The forces are divided like the points: 2048 points are full chunks on one GPU and on four. One
// KiB is for the parts of Z of all GPUs.
TEST(EmbeddingWorkspace, IsDividedAmongTheGpus) {
  EXPECT_LE(4 * divided_embedding_workspace_bytes(2048, 4),
            divided_embedding_workspace_bytes(2048, 1) + 4 * 1024);
}

TEST_F(EmbeddingOnAll, ReportsEachLaunchThatFails) {
  const ReferenceMap start = start_map(71, /*seed=*/9);
  expect_error_of_each_launch([&] {
    OnSomeGpus on(used_gpus(), affinities_, start);
    on.descend(0, 1);
    on.group.wait();
  });
}

}  // namespace

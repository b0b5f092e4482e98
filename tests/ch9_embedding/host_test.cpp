#include "chapters/ch9_embedding/harness/affinity_search.h"
#include "chapters/ch9_embedding/harness/clusters.h"
#include "chapters/ch9_embedding/harness/host_affinities.h"
#include "chapters/ch9_embedding/harness/input.h"
#include "chapters/ch9_embedding/harness/map_files.h"
#include "chapters/ch9_embedding/harness/principal.h"
#include "chapters/ch9_embedding/harness/quality.h"
#include "chapters/ch9_embedding/harness/reference.h"
#include "chapters/ch9_embedding/harness/vector_distances.h"
#include "common/harness/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace {

// Points on a line, with one component each.
LabelledVectors on_a_line(const std::vector<float>& points) {
  return {static_cast<int>(points.size()), 1, points, {}};
}

std::string refusal(const LabelledVectors& vectors, double perplexity) {
  try {
    affinities_of(vectors, perplexity);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(Lists, AddUpBothHalvesOfAPair) {
  // (0, 1) has 1 + 3 and (1, 2) has 4. The sum of both halves is 16, so each half is a quarter.
  const HostAffinities lists = symmetric_affinities(3, {{0, 1, 1}, {1, 0, 3}, {2, 1, 4}});
  EXPECT_EQ(lists.starts, (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(lists.neighbours, (std::vector<int>{1, 0, 2, 1}));
  EXPECT_EQ(lists.values, (std::vector<float>{0.25f, 0.25f, 0.25f, 0.25f}));
  EXPECT_EQ(as_matrix(lists), (std::vector<float>{0, 0.25f, 0, 0.25f, 0, 0.25f, 0, 0.25f, 0}));
}

TEST(Lists, GeneratedOnesAreSymmetricAndSumToOne) {
  for (const int count : {2, 3, 50, 263}) {
    const HostAffinities lists = random_affinities(count, 9, std::max(1, count / 20), /*seed=*/3);
    const std::vector<float> matrix = as_matrix(lists);
    const auto n = static_cast<std::size_t>(count);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(matrix[i * n + i], 0) << "point " << i << " with itself";
      for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(matrix[i * n + j], matrix[j * n + i]);
    }
    EXPECT_NEAR(std::accumulate(matrix.begin(), matrix.end(), 0.0), 1, 1e-5);
  }
}

// Four neighbours, distances 0, 0, x, x: with the shares s, s, t, t and s + t = 1 / 2, the entropy
// is that of perplexity 3 for one s only, computed by hand: the search must find it.
TEST(Search, FindsThePrecisionOfAKnownRow) {
  const double b = 0.7, x = 2;
  const double s = 1 / (2 + 2 * std::exp(-b * x)), t = 0.5 - s;
  const double entropy = -2 * s * std::log(s) - 2 * t * std::log(t);
  const Row row = row_of({5, 5 + x, 5, 5 + x}, std::exp(entropy));
  EXPECT_NEAR(row.precision, b, 1e-7);
  EXPECT_NEAR(row.shares[0], s, 1e-8);
  EXPECT_NEAR(row.shares[1], t, 1e-8);
}

TEST(Search, MeetsTheEntropyAtAnyScale) {
  for (const double scale : {1e-20, 1.0, 1e20}) {
    std::vector<double> distances = random_doubles(90, /*seed=*/4);
    for (double& distance : distances) distance = scale * (1.5 + distance);
    const Row row = row_of(distances, 30);
    EXPECT_NEAR(row.entropy, std::log(30.0), 1e-5);
    EXPECT_NEAR(std::accumulate(row.shares.begin(), row.shares.end(), 0.0), 1, 1e-12);
  }
}

TEST(Search, MeetsTheEntropyWithAnOutlier) {
  std::vector<double> distances = random_doubles(90, /*seed=*/5);
  for (double& distance : distances) distance = 1.5 + distance;
  distances[7] = 1e12;
  EXPECT_NEAR(row_of(distances, 30).entropy, std::log(30.0), 1e-5);
}

TEST(Search, GivesEqualSharesToTies) {
  const Row row = row_of({1, 1, 1, 2}, 2);
  EXPECT_TRUE(std::isinf(row.precision));
  EXPECT_EQ(row.shares, (std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3, 0}));
}

// Seven points, perplexity 2: the neighbours of each are all 6 others.
TEST(AffinitiesOfVectors, AreSymmetricAndSumToOne) {
  const HostAffinities lists = affinities_of(on_a_line({0, 1, 3, 7, 15, 31, 63}), 2);
  const std::vector<float> matrix = as_matrix(lists);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(matrix[i * 7 + i], 0);
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(matrix[i * 7 + j], matrix[j * 7 + i]);
  }
  EXPECT_NEAR(std::accumulate(matrix.begin(), matrix.end(), 0.0), 1, 1e-6);
  EXPECT_GT(matrix[1], matrix[2]);  // point 1 is nearer to point 0 than point 2 is
}

TEST(AffinitiesOfVectors, IgnoreAConstantColumn) {
  LabelledVectors vectors = on_a_line({0, 1, 3, 7, 15, 31, 63});
  const HostAffinities alone = affinities_of(vectors, 2);
  vectors.dimensions = 2;
  vectors.values = {0, 9, 1, 9, 3, 9, 7, 9, 15, 9, 31, 9, 63, 9};
  EXPECT_EQ(affinities_of(vectors, 2).values, alone.values);
}

TEST(AffinitiesOfVectors, RefuseAPerplexityThatDoesNotFit) {
  const LabelledVectors ten = on_a_line({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (const double perplexity : {0.0, -1.0, 0.99, 3.01, 1e9, static_cast<double>(NAN)}) {
    EXPECT_NE(refusal(ten, perplexity).find("--perplexity takes a number from 1 to"),
              std::string::npos)
        << perplexity;
  }
  EXPECT_EQ(refusal(ten, 3), "none");
}

TEST(AffinitiesOfVectors, RefuseEqualVectors) {
  EXPECT_NE(refusal(on_a_line({5, 5, 5, 5, 5}), 1).find("All vectors are equal"),
            std::string::npos);
}

TEST(AffinitiesOfVectors, RefuseMoreDuplicatesThanThePerplexity) {
  EXPECT_NE(refusal(on_a_line({1, 1, 1, 1, 2, 3, 4, 5, 6, 7}), 2)
                .find("Vector 1 has 3 nearest neighbours at the same distance, more than the "
                      "perplexity, 2"),
            std::string::npos);
  EXPECT_EQ(refusal(on_a_line({1, 1, 1.7f, 4, 5, 6.5f, 8.5f, 11, 14, 18}), 2), "none");
}

// p = 1 / 2 in both orders, and two points have q / Z = 1 / 2 at any distance.
TEST(Divergence, OfTwoPointsIsZero) {
  EXPECT_NEAR(kl_divergence(symmetric_affinities(2, {{0, 1, 1}}), {0, 0, 3, 4}), 0, 1e-12);
}

// Three points at 0, 1 and 3: q = 1/2, 1/5, 1/10, Z = 8/5, so q / Z = 5/16, 1/8, 1/16; all p = 1/6.
TEST(Divergence, OfThreePointsByHand) {
  const HostAffinities lists = symmetric_affinities(3, {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}});
  const double expected = (std::log(16.0 / 30) + std::log(8.0 / 6) + std::log(16.0 / 6)) / 3;
  EXPECT_NEAR(kl_divergence(lists, {0, 0, 1, 0, 3, 0}), expected, 1e-6);
}

// The gradient is the slope of the divergence, computed by differences.
TEST(Gradient, IsTheSlopeOfTheDivergence) {
  const HostAffinities lists = random_affinities(12, 5, 2, /*seed=*/6);
  std::vector<double> points = random_doubles(24, /*seed=*/7);
  const ReferenceGradient gradient = gradient_reference(lists, points, 1);
  constexpr double kStep = 1e-5;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double before = points[k];
    points[k] = before + kStep;
    const double above = kl_divergence(lists, points);
    points[k] = before - kStep;
    const double below = kl_divergence(lists, points);
    points[k] = before;
    EXPECT_NEAR(gradient.values[k], (above - below) / (2 * kStep), 1e-6);
  }
}

TEST(Descent, LowersTheDivergence) {
  const HostAffinities lists = random_affinities(60, 10, 3, /*seed=*/8);
  ReferenceMap map = start_map(60, /*seed=*/9);
  const double before = kl_divergence(lists, map.points);
  descend_reference(lists, {25, 12, 0.5f, 0.8f, 50}, 0, 100, map);
  EXPECT_LT(kl_divergence(lists, map.points), 0.9 * before);
}

TEST(Quality, OfTheSameNeighboursIsOne) {
  const LabelledVectors vectors = on_a_line({0, 1, 3, 7, 15, 31, 63});
  EXPECT_EQ(trustworthiness(vectors, {0, 0, 2, 0, 6, 0, 14, 0, 30, 0, 62, 0, 126, 0}, 2), 1);
}

// Vectors 0, 1, 10, 11, 30; the map has points 1 and 30 exchanged. With one neighbour: that of 0 is
// 4 (rank 4: 3 too many), of 1 is 3 (rank 3: 2), of 2 is 3 (correct), of 3 is 2 (correct), of 4 is
// 0 (rank 4: 3). 1 - 2 / (5 * (10 - 3 - 1)) * 8.
TEST(Quality, OfTwoExchangedPointsByHand) {
  const LabelledVectors vectors = on_a_line({0, 1, 10, 11, 30});
  EXPECT_NEAR(trustworthiness(vectors, {0, 0, 30, 0, 10, 0, 11, 0, 1, 0}, 1), 1 - 2.0 / 30 * 8,
              1e-12);
}

// Eight corners of a box of 2 x 6 x 4, far from the origin: along the second axis, then the third.
TEST(PrincipalStart, TakesTheDirectionsOfTheWidestSpread) {
  LabelledVectors box{8, 3, {}, {}};
  for (int corner = 0; corner < 8; ++corner) {
    box.values.push_back(100.0f + (corner & 1 ? 1 : -1));
    box.values.push_back(-50.0f + (corner & 2 ? 3 : -3));
    box.values.push_back(7.0f + (corner & 4 ? 2 : -2));
  }
  const std::vector<double> start = principal_start(box, /*seed=*/1);
  for (std::size_t i = 0; i < 8; ++i) {
    const double x = start[2 * i] * (i & 2 ? 1 : -1), y = start[2 * i + 1] * (i & 4 ? 1 : -1);
    EXPECT_NEAR(std::abs(x), 1e-4, 1e-9);
    EXPECT_NEAR(std::abs(y), 1e-4 * 2 / 3, 1e-9);
    EXPECT_GT(x * start[2 * 7], 0) << "the direction is the same for all";
    EXPECT_GT(y * start[2 * 7 + 1], 0);
  }
}

TEST(PrincipalStart, LeavesNoLine) {
  const std::vector<double> start = principal_start(on_a_line({0, 1, 3, 7}), /*seed=*/2);
  const std::vector<double> by_chance = start_map(4, /*seed=*/2).points;
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(start[2 * i + 1], by_chance[2 * i + 1]);
  EXPECT_NEAR(start[2] / start[0], (1 - 2.75) / -2.75, 1e-6);
}

TEST(Clusters, AreTenAroundTheirCentres) {
  const LabelledVectors vectors = clustered_vectors(400, 30, /*seed=*/1);
  EXPECT_EQ(vectors.values.size(), 400u * 30);
  EXPECT_EQ((std::vector<int>{vectors.labels.begin() + 8, vectors.labels.begin() + 12}),
            (std::vector<int>{8, 9, 0, 1}));
  // The nearest other vector is in the same cluster.
  for (std::size_t i = 0; i < 20; ++i) {
    std::vector<double> distances = squared_distances(vectors, i);
    distances[i] = INFINITY;
    const auto nearest = std::min_element(distances.begin(), distances.end()) - distances.begin();
    EXPECT_EQ(nearest % 10, static_cast<long>(i % 10));
  }
}

// 6 vectors: a group of four sums, and two more.
TEST(Distances, OfEachToEach) {
  EXPECT_EQ(squared_distances(on_a_line({0, 1, 3, -4, 10, 2}), 1),
            (std::vector<double>{1, 0, 4, 25, 81, 1}));
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(MapFilesOfAMap, ContainItAndItsHistory) {
  const MapFiles files("some/where/four.csv", testing::TempDir());
  const std::string stem = testing::TempDir() + "four_map";
  files.write({0, 1, 2, 3}, {7, 8}, {{{10, 2.5}, {20, 0.125}}, {{0, 0, 1, 1}}});
  EXPECT_EQ(text_of(stem + ".csv"), "x,y,label\n0,1,7\n2,3,8\n");
  EXPECT_EQ(text_of(stem + "_kl.csv"), "iteration,kl\n10,2.5\n20,0.125\n");
  // The kept frame, and the last state.
  EXPECT_EQ(text_of(stem + "_frames.csv"), "frame,x,y\n1,0,0\n1,1,1\n2,0,1\n2,2,3\n");
}

class Files : public testing::Test {
 protected:
  static std::string file(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "ch9_" + name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string refusal(const std::string& vectors, const std::string& labels) {
    try {
      read_labelled(vectors, labels);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  }

  const std::string four = file("four.csv", "x,y\n1,2\n3,4\n5,6\n7,8\n");
};

TEST_F(Files, AreReadWithTheirLabels) {
  const LabelledVectors vectors = read_labelled(four, file("labels.csv", "digit\n3\n0\n255\n9\n"));
  EXPECT_EQ(vectors.count, 4);
  EXPECT_EQ(vectors.values, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(vectors.labels, (std::vector<int>{3, 0, 255, 9}));
}

TEST_F(Files, CanHaveNoLabels) { EXPECT_TRUE(read_labelled(four, "").labels.empty()); }

TEST_F(Files, OfFewerThanFourVectorsAreRefused) {
  for (const char* const text : {"1\n", "1\n2\n", "1\n2\n3\n"}) {
    EXPECT_NE(refusal(file("few.csv", text), "").find("a map needs at least 4"), std::string::npos);
  }
}

TEST_F(Files, WithTooFewLabelsAreRefused) {
  EXPECT_NE(refusal(four, file("short.csv", "1\n2\n3\n")).find("3 labels, and there are 4 vectors"),
            std::string::npos);
  EXPECT_NE(refusal(four, testing::TempDir() + "ch9_none.csv").find("cannot be opened"),
            std::string::npos);
}

TEST_F(Files, WithInvalidLabelsAreRefused) {
  for (const char* const text : {"1\n2\n3\n1.5\n", "1\n2\n3\n-1\n", "1\n2\n3\n256\n"}) {
    EXPECT_NE(refusal(four, file("odd.csv", text)).find("label 4 is"), std::string::npos) << text;
  }
  EXPECT_NE(refusal(four, file("wide.csv", "1,1\n2,2\n3,3\n4,4\n")).find("2 fields per line"),
            std::string::npos);
}

}  // namespace

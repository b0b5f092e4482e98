#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <cmath>
#include <vector>

namespace {

class NeighboursOnce : public DeviceTest {
 protected:
  // The trial of points on a line, with one component each, after its run. All are compared.
  static Trial found(const std::vector<float>& points, std::size_t kept) {
    Trial trial({points.size(), 1, kept});
    trial.set("vectors", points);
    trial.run();
    trial.expect_right();
    return trial;
  }
};

TEST_F(NeighboursOnce, OnALineByHand) {
  Trial trial = found({0, 1, 3, -4, 10}, 3);
  EXPECT_EQ(trial.output<int>("neighbours"),
            (std::vector<int>{1, 2, 3, 0, 2, 3, 1, 0, 3, 0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(trial.output<float>("distances"),
            (std::vector<float>{1, 9, 16, 1, 4, 25, 4, 9, 49, 16, 25, 49, 49, 81, 100}));
}

// All vectors are equal to one of three: of equal distances the smaller index comes first.
TEST_F(NeighboursOnce, OfDuplicatesTheFirstComeFirst) {
  std::vector<float> points;
  for (int i = 0; i < 150; ++i) points.push_back(static_cast<float>(i * i % 3));
  found(points, 40);
}

TEST_F(NeighboursOnce, OfEqualVectors) {
  Trial trial = found(std::vector<float>(70, 2.5f), 3);
  const std::vector<int> neighbours = trial.output<int>("neighbours");
  EXPECT_EQ((std::vector<int>{neighbours.begin(), neighbours.begin() + 9}),
            (std::vector<int>{1, 2, 3, 0, 2, 3, 0, 1, 3}));
  EXPECT_EQ(trial.output<float>("distances"), std::vector<float>(210, 0.0f));
}

// Each vector is nearer to vector 0 than all vectors before it, so each is inserted at the front.
TEST_F(NeighboursOnce, NearerAndNearer) {
  std::vector<float> points{0};
  for (int i = 0; i < 200; ++i) points.push_back(static_cast<float>(200 - i));
  found(points, 100);
}

// (1e30)^2 is too large for a float. So vector 2 has no neighbours; 0 and 1 have each other.
TEST_F(NeighboursOnce, LeaveOutDistancesTooLargeForAFloat) {
  Trial trial = found({0, 1, 1e30f}, 2);
  EXPECT_EQ(trial.output<int>("neighbours"), (std::vector<int>{1, -1, 0, -1, -1, -1}));
  EXPECT_EQ(trial.output<float>("distances"),
            (std::vector<float>{1, INFINITY, 1, INFINITY, INFINITY, INFINITY}));
}

}  // namespace

#include "harness/k_means_reference.h"
#include "harness/project.h"
#include "k_means.h"

namespace {

struct PointsAndClusters {
  int n, k;
};

class KMeans final : public Project<PointsAndClusters> {
 public:
  static std::vector<OptionHelp> options() {
    return {{"--n N", "number of points"}, {"--k K", "number of clusters"}};
  }
  static PointsAndClusters parse(Options& options) {
    const auto n = options.integer<int>("--n", 1, kMaxPoints);
    const auto k = options.integer<int>("--k", 1, kMaxClusters);
    return {n.value_or(10'007), k.value_or(13)};
  }

  KMeans(const PointsAndClusters& size, std::uint64_t seed)
      : h_points_(random_points(size.n, seed)),
        h_centres_(random_centres(size.k, seed + 1)),
        d_points_(h_points_),
        d_centres_(h_centres_),
        d_means_(h_centres_.size()),
        d_nearest_(size.n),
        d_sizes_(size.k) {
    d_means_.fill_bytes(0xff);
    d_nearest_.fill_bytes(0xff);
    d_sizes_.fill_bytes(0xff);
  }

  void run() override {
    k_means_step(d_points_.data(), d_centres_.data(), d_nearest_.data(), d_sizes_.data(),
                 d_means_.data(), static_cast<int>(d_nearest_.size()),
                 static_cast<int>(d_sizes_.size()));
  }

  std::string check() override {
    const Clusters expected = k_means_reference(h_points_, h_centres_);
    expect(d_nearest_, expected.nearest, "nearest");
    expect(d_sizes_, expected.sizes, "sizes");
    expect(d_means_, expected.means, "means");
    return format("%zu points, %zu clusters, all right", d_nearest_.size(), d_sizes_.size());
  }

 private:
  std::vector<float> h_points_, h_centres_;
  DeviceBuffer<float> d_points_, d_centres_, d_means_;
  DeviceBuffer<int> d_nearest_, d_sizes_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<KMeans>(argc, argv); }

#include "harness/seam_reference.h"
#include "seam.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/driver.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kMaxExtent = 1'000'000;  // then a cost is at most 255,000,000
constexpr int kMostToShow = 16;        // rows, and columns

struct Image {
  int rows, cols;
  std::size_t size() const { return static_cast<std::size_t>(rows) * cols; }
  std::string text() const { return format("%d x %d pixels", rows, cols); }
};

class Seam final : public Problem {
 public:
  using Asked = std::optional<Image>;
  static std::vector<OptionHelp> options() {
    return {{"--rows R  --cols C", "the image (one of them alone: a square image)"}};
  }
  static Asked parse(Options& options) {
    const auto rows = options.integer<int>("--rows", 1, kMaxExtent);
    const auto cols = options.integer<int>("--cols", 1, kMaxExtent);
    if (!rows && !cols) return std::nullopt;
    return Image{rows ? *rows : *cols, cols ? *cols : *rows};
  }
  static Sizes<Image> sizes(const Asked& asked, bool is_timed) {
    constexpr Image kToCheck{9, 14};  // small enough to be shown
    return sizes_of(asked, kToCheck, kToCheck, is_timed);
  }
  static MemoryNeed memory_need(const Image& image, bool) {
    const double bytes = static_cast<double>(image.size()) * sizeof(int);
    return {"Energies and costs of " + image.text(), 2 * bytes, 4 * bytes, [=](double share) {
              const double side = std::sqrt(static_cast<double>(image.size()) * share);
              return format("The largest squares that fit are about %.0f x %.0f.", side, side);
            }};
  }

  Seam(const Image& image, std::uint64_t seed)
      : image_(image),
        h_energy_(random_energies(image.size(), seed)),
        d_energy_(h_energy_),
        d_cost_(image.size()) {
    d_cost_.fill_bytes(0xff);
  }

  void run() override { seam_costs(d_energy_.data(), d_cost_.data(), image_.rows, image_.cols); }

  std::string check() override {
    const std::vector<int> cost = d_cost_.to_host();
    const std::vector<int> expected = seam_reference(h_energy_, image_.rows, image_.cols);
    if (const auto mismatch = find_mismatch(cost, expected)) {
      throw std::runtime_error("WRONG for " + image_.text() + ": " +
                               mismatch_text(*mismatch, "cost", cost, expected));
    }
    const auto seam = cheapest_seam(cost, image_.rows, image_.cols);
    const int price = cost[cost.size() - static_cast<std::size_t>(image_.cols - seam.back())];
    return image_.text() +
           format(", all costs equal to the CPU's\n  the cheapest seam costs %d", price) +
           picture(seam);
  }

 private:
  // The energies, with the seam in brackets; empty for a large image.
  std::string picture(const std::vector<int>& seam) const {
    if (image_.rows > kMostToShow || image_.cols > kMostToShow) return "";
    std::string text = "\n";
    for (int r = 0; r < image_.rows; ++r) {
      text += "\n ";
      for (int c = 0; c < image_.cols; ++c) {
        const bool is_in_seam = seam[static_cast<std::size_t>(r)] == c;
        const int energy = h_energy_[static_cast<std::size_t>(r * image_.cols + c)];
        text += format(is_in_seam ? "[%3d]" : " %3d ", energy);
      }
    }
    return text;
  }

  Image image_;
  std::vector<int> h_energy_;
  DeviceBuffer<int> d_energy_, d_cost_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Seam>(argc, argv); }

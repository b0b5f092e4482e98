#include "harness/divided_matrix.h"
#include "harness/peer_copies.h"
#include "harness/problem.h"
#include "transpose/matrix_transpose.h"

#include "common/harness/random.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

struct Extents {
  int rows, cols;
  long long asked;  // the largest number of floats: --size
};

// A transpose on several GPUs. The ceiling is a peer copy of the blocks that each GPU sends.
class TransposeOnGpus final : public TimedProblem {
 public:
  using Asked = OnGpus<std::optional<Extents>>;
  using Size = OnGpus<Extents>;
  static std::vector<OptionHelp> options() {
    return {{"--size N", "a square matrix of at most N floats"},
            {"--rows R", "rows of the matrix, and with --cols C its columns"},
            kGpusHelp};
  }
  static Asked parse(Options& options) {
    const auto size = options.integer<long long>("--size", 1, 1LL << 40);
    const auto rows = options.integer<int>("--rows", 1, kMaxExtent);
    const auto cols = options.integer<int>("--cols", 1, kMaxExtent);
    if (rows.has_value() != cols.has_value()) {
      throw UsageError("--rows and --cols go together.");
    }
    if (size && rows) throw UsageError("--rows and --cols are the size; leave out --size.");
    std::optional<Extents> extents;
    if (size) {
      const int side = static_cast<int>(std::sqrt(static_cast<double>(*size)));
      extents = Extents{side, side, *size};
    }
    if (rows) extents = Extents{*rows, *cols, static_cast<long long>(*rows) * *cols};
    return {extents, parse_gpus(options)};
  }
  static Sizes<Size> sizes(const Asked& asked, bool is_timed) {
    return sizes_on_gpus<Extents>(asked, {1009, 787, 1009 * 787}, {16384, 16384, 16384 * 16384},
                                  is_timed);
  }
  static MemoryNeed memory_need(const Size& size, bool) {
    const double bytes = 4.0 * size.size.rows * size.size.cols;
    const Extents extents = size.size;
    return {format("a matrix of %d x %d floats, four times", extents.rows, extents.cols),
            4 * bytes / *size.gpus, 2 * bytes, [extents](double share) {
              return format("About %.0f of its rows fit.", extents.rows * share);
            }};
  }

  TransposeOnGpus(const Size& size, std::uint64_t seed)
      : extents_(size.size),
        group_(*size.gpus),
        h_in_(random_floats(static_cast<std::size_t>(extents_.rows) * extents_.cols, seed)),
        matrix_(group_, h_in_, extents_.rows, extents_.cols) {}

  void run() override {
    matrix_transpose(group_.gpus(), matrix_.slabs(), extents_.rows, extents_.cols);
    group_.wait();
  }

  std::string check() override {
    const std::string wrong =
        wrong_transpose(h_in_, matrix_.out_to_host(), extents_.rows, extents_.cols);
    if (!wrong.empty()) throw std::runtime_error("WRONG for " + text() + ": " + wrong);
    return text() + ", all right";
  }

  Timings time() override {
    std::vector<const float*> d_from;
    std::vector<float*> d_to;
    for (const Slab& slab : matrix_.slabs()) {
      d_from.push_back(slab.d_packed);
      d_to.push_back(slab.d_received);
    }
    const auto copy = [&] { queue_peer_copies(group_.gpus(), d_from, d_to, bytes_sent(), 1); };
    const auto own = [&] {
      matrix_transpose(group_.gpus(), matrix_.slabs(), extents_.rows, extents_.cols);
    };
    const std::vector<Timing> timings = time_on_gpus(group_.gpus(), {copy, own});
    return {timings[1], timings[0]};
  }

  Measurement measurement(const Timings& timings) const override {
    const auto bytes = static_cast<double>(bytes_sent());
    return {text(),
            {{"size", std::to_string(extents_.asked)}, {"gpus", std::to_string(group_.size())}},
            {timings.own, bytes},
            {"peer copy", "peer_copy", {timings.ceiling, bytes}}};
  }

 private:
  // Bytes that each GPU sends to all others; a single GPU moves its bytes within its memory.
  std::size_t bytes_sent() const {
    const std::size_t gpus = group_.size();
    const std::size_t own = h_in_.size() / gpus;
    return (gpus == 1 ? own : own / gpus * (gpus - 1)) * sizeof(float);
  }
  std::string text() const {
    return format("%d x %d floats on %s", extents_.rows, extents_.cols, group_.text().c_str());
  }

  const Extents extents_;
  const GpuGroup group_;
  const std::vector<float> h_in_;
  DividedMatrix matrix_;
};

}  // namespace

int main(int argc, char** argv) {
  simulate_four_gpus();
  return run_program<TransposeOnGpus>(argc, argv);
}

#include "harness/map_run.h"

#include "harness/affinity_search.h"
#include "harness/drawing.h"
#include "harness/input.h"
#include "harness/problem.h"
#include "harness/quality.h"

#include "common/cuda_check.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace {

constexpr int kReports = 20, kLooks = 100;  // per run: lines of progress, and looks at the state
constexpr int kMostCompared = 5000;         // vectors: of more, the quality takes the host too long
constexpr int kExitInterrupted = 130;

// A signal can tell nobody but a variable of the program.
volatile std::sig_atomic_t stop_asked = 0;

// While it lives, Ctrl-C sets stop_asked.
class CtrlC {
 public:
  CtrlC() : before_(std::signal(SIGINT, [](int) { stop_asked = 1; })) {}
  ~CtrlC() { std::signal(SIGINT, before_); }
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;

 private:
  void (*before_)(int);
};

double number_of(const std::string& option, const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || !std::isfinite(value)) {
    throw UsageError(option + " takes a number, not '" + text + "'.");
  }
  return value;
}

// The map's files. Made before the descent, so that nobody waits for what cannot be kept.
class Files {
 public:
  Files(const std::string& vectors, const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const std::string stem = std::filesystem::path(vectors).stem().string() + "_map";
    csv_ = (folder / (stem + ".csv")).string();
    png_ = (folder / (stem + ".png")).string();
    for (const std::string& file : {csv_, png_}) {
      if (std::ofstream(file, std::ios::app)) continue;
      throw UsageError(format(
          "%s cannot be written. --output takes a folder that you may write to.", file.c_str()));
    }
  }

  void write(const std::vector<double>& points, const std::vector<int>& labels) const {
    std::string text = labels.empty() ? "x,y\n" : "x,y,label\n";
    for (std::size_t i = 0; i < points.size() / 2; ++i) {
      text += format("%.9g,%.9g", points[2 * i], points[2 * i + 1]);
      text += labels.empty() ? "\n" : format(",%d\n", labels[i]);
    }
    std::ofstream out(csv_, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(csv_ + " cannot be written. Is the disk full?");
    write_png(drawing_of(points, labels), png_);
  }

  std::string text() const { return png_ + " and " + csv_; }

 private:
  std::string csv_, png_;
};

bool is_finite(const ReferenceMap& map) {
  return std::all_of(map.points.begin(), map.points.end(),
                     [](double x) { return std::isfinite(x); });
}

// The descent of one request, a few iterations at a time.
class Run {
 public:
  Run(const MapRequest& request, const LabelledVectors& vectors, bool has_matrix,
      const Descend& descend)
      : count_(vectors.count),
        iterations_(request.iterations),
        schedule_(usual_schedule(vectors.count, request.iterations)),
        descend_(descend),
        affinities_(affinities_of(vectors, request.perplexity)),
        d_affinities_(affinities_, has_matrix),
        state_(start_map(vectors.count, request.seed)) {
    if (request.learning_rate) schedule_.learning_rate = *request.learning_rate;
  }

  // Until all iterations are done or Ctrl-C. Throws as make_map().
  void descend() {
    const auto began = std::chrono::steady_clock::now();
    const int per_look = std::max(1, iterations_ / kLooks);
    int next_report = 0;
    DeviceMap d_map(state_);
    while (done_ < iterations_ && stop_asked == 0) {
      const int end = std::min(iterations_, done_ + per_look);
      descend_(d_affinities_.get(), d_map.get(), count_, done_, end, schedule_);
      CUDA_CHECK(cudaDeviceSynchronize());
      ReferenceMap next = d_map.to_host();
      if (!is_finite(next)) throw std::runtime_error(where_it_breaks());
      state_ = std::move(next);
      done_ = end;
      if (done_ < next_report && done_ < iterations_) continue;
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
      report(seconds.count() / done_ * (iterations_ - done_));
      next_report = done_ + iterations_ / kReports;
    }
  }

  const ReferenceMap& state() const { return state_; }
  int done() const { return done_; }
  double kl() const { return kl_divergence(affinities_, state_.points); }

 private:
  void report(double seconds_left) const {
    std::printf("iteration %5d of %d", done_, iterations_);
    if (count_ <= kMostCompared || done_ == iterations_) std::printf(", KL %.4f", kl());
    if (done_ < iterations_) std::printf(", %.0f s left", std::ceil(seconds_left));
    std::printf("\n");
    std::fflush(stdout);
  }

  // From the last finite state, one iteration at a time. It goes as before: the same bits.
  std::string where_it_breaks() const {
    DeviceMap d_map(state_);
    int iteration = done_;
    for (; iteration < iterations_; ++iteration) {
      descend_(d_affinities_.get(), d_map.get(), count_, iteration, iteration + 1, schedule_);
      CUDA_CHECK(cudaDeviceSynchronize());
      if (!is_finite(d_map.to_host())) break;
    }
    return format(
        "In iteration %d of %d a point of the map became NaN or infinite. The learning "
        "rate is %g; take a smaller --learning-rate.",
        iteration + 1, iterations_, static_cast<double>(schedule_.learning_rate));
  }

  const int count_, iterations_;
  Schedule schedule_;
  const Descend& descend_;
  const HostAffinities affinities_;
  const DeviceAffinities d_affinities_;
  ReferenceMap state_;
  int done_ = 0;
};

}  // namespace

std::vector<OptionHelp> map_options() {
  return {{"--input FILE", "draw a map of the vectors of a CSV file, a line each"},
          {"--labels FILE", "what they are: a whole number a line"},
          {"--output FOLDER", "where to put the map; else the current one"},
          {"--perplexity P", "how many neighbours count (30)"},
          {"--learning-rate R", "of the descent; else N / 48, 50 at least"},
          {"--seed S", "of the map's start (1)"}};
}

std::optional<MapRequest> parse_map_request(Options& options, std::optional<int> iterations) {
  const auto vectors = options.text("--input", "the name of a CSV file");
  const auto labels = options.text("--labels", "the name of a CSV file");
  const auto folder = options.text("--output", "the name of a folder");
  const auto perplexity = options.text("--perplexity", "a number");
  const auto rate = options.text("--learning-rate", "a number");
  const auto seed = options.integer<int>("--seed", 0, 1000000000);
  if (!vectors) {
    if (labels || folder || perplexity || rate || seed) {
      throw UsageError(
          "--labels, --output, --perplexity, --learning-rate and --seed go with --input.");
    }
    return std::nullopt;
  }
  MapRequest request{*vectors,
                     labels.value_or(""),
                     folder.value_or("."),
                     30,
                     iterations.value_or(1000),
                     std::nullopt,
                     static_cast<std::uint64_t>(seed.value_or(1))};
  if (perplexity) request.perplexity = number_of("--perplexity", *perplexity);
  if (rate) {
    const double value = number_of("--learning-rate", *rate);
    if (!(value > 0 && value < 1e38)) {
      throw UsageError("--learning-rate takes a number above 0 that fits a float, not '" + *rate +
                       "'.");
    }
    request.learning_rate = static_cast<float>(value);
  }
  return request;
}

int make_map(const MapRequest& request, bool has_matrix, const Descend& descend) {
  const LabelledVectors vectors = read_labelled(request.vectors, request.labels);
  const Files files(request.vectors, request.folder);
  std::printf("%s: %d vectors of %d components, perplexity %g, %d iterations\n",
              request.vectors.c_str(), vectors.count, vectors.dimensions, request.perplexity,
              request.iterations);
  std::fflush(stdout);
  const CtrlC ctrl_c;
  Run run(request, vectors, has_matrix, descend);
  try {
    run.descend();
  } catch (const std::runtime_error&) {
    files.write(run.state().points, vectors.labels);
    throw;
  }
  files.write(run.state().points, vectors.labels);
  if (run.done() < request.iterations) {
    std::printf("Stopped after %d of %d iterations.\n", run.done(), request.iterations);
  } else if (vectors.count <= kMostCompared && vectors.count > 10) {
    std::printf("trustworthiness of 5 neighbours: %.4f\n",
                trustworthiness(vectors, run.state().points, 5));
  }
  std::printf("The map: %s\n", files.text().c_str());
  return run.done() < request.iterations ? kExitInterrupted : 0;
}

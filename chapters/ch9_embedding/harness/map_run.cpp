#include "harness/map_run.h"

#include "harness/affinity_search.h"
#include "harness/clusters.h"
#include "harness/device_affinities.h"
#include "harness/input.h"
#include "harness/map_files.h"
#include "harness/principal.h"
#include "harness/problem.h"
#include "harness/quality.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <stdexcept>

namespace {

constexpr int kReports = 20, kLooks = 100;  // per run: lines of progress, and checks of the state
constexpr int kMostCompared = 5000;         // vectors: with more, the host is too slow for KL
constexpr int kMostOnHost = 5000;           // vectors: with more, its search for neighbours is, too
constexpr int kClusterDimensions = 50;
constexpr double kShortLook = 0.05;  // seconds: after a shorter one, the next is twice as long
constexpr int kExitInterrupted = 130;
// Shares of the iterations after which the map is kept as a frame: most changes are early, and
// exaggeration ends after a quarter.
constexpr double kFrames[] = {0.02, 0.1, 0.25, 0.4, 0.7, 1};

// Set by the signal handler, which can only write a variable of the program.
volatile std::sig_atomic_t stop_asked = 0;

// While an object of this class exists, Ctrl-C sets stop_asked.
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

// The seconds of each part of the work.
class PhaseSeconds {
 public:
  // Ends a phase: it has taken the time since the end of the previous one.
  void end(const std::string& phase) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> seconds = now - began_;
    text_ += format("%s%s %.3f s", text_.empty() ? "" : ", ", phase.c_str(), seconds.count());
    began_ = now;
  }
  const std::string& text() const { return text_; }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::string text_;
};

LabelledVectors vectors_of(const MapRequest& request) {
  return request.vectors ? read_labelled(*request.vectors, request.labels)
                         : clustered_vectors(request.clustered, kClusterDimensions, /*seed=*/1);
}

HostAffinities affinities_by(const MapMaker& maker, const LabelledVectors& vectors,
                             double perplexity) {
  const bool is_on_device = maker.searches_on_device || vectors.count > kMostOnHost;
  return is_on_device ? device_affinities_of(vectors, perplexity)
                      : affinities_of(vectors, perplexity);
}

bool is_finite(const ReferenceMap& map) {
  return std::all_of(map.points.begin(), map.points.end(),
                     [](double x) { return std::isfinite(x); });
}

// The descent of one request, a few iterations at a time.
class Run {
 public:
  Run(const MapRequest& request, const LabelledVectors& vectors, const MapMaker& maker)
      : count_(vectors.count),
        iterations_(request.iterations),
        schedule_(usual_schedule(vectors.count, request.iterations)),
        descend_(maker.descend),
        affinities_(affinities_by(maker, vectors, request.perplexity)),
        d_affinities_(affinities_, maker.has_matrix),
        state_(start_map(vectors.count, request.seed)) {
    if (request.starts_principal) state_.points = principal_start(vectors, request.seed);
    if (request.learning_rate) schedule_.learning_rate = *request.learning_rate;
  }

  // Runs until all iterations are done or Ctrl-C. Throws like make_map().
  void descend() {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    const int per_look = std::max(1, iterations_ / kLooks);
    int next_report = 0, looks_at_once = 1;
    DeviceMap d_map(state_);
    while (done_ < iterations_ && stop_asked == 0) {
      const auto look_began = Clock::now();
      const int end = std::min({iterations_, done_ + looks_at_once * per_look,
                                look_at_or_after(next_report, per_look),
                                look_at_or_after(next_frame(), per_look)});
      descend_(d_affinities_.get(), d_map.get(), count_, done_, end, schedule_);
      CUDA_CHECK(cudaDeviceSynchronize());
      ReferenceMap next = d_map.to_host();
      if (!is_finite(next)) throw std::runtime_error(where_it_breaks());
      state_ = std::move(next);
      done_ = end;
      const auto now = Clock::now();
      const std::chrono::duration<double> look = now - look_began;
      if (look.count() < kShortLook) looks_at_once = std::min(2 * looks_at_once, kLooks);
      keep_frame();
      if (done_ < next_report && done_ < iterations_) continue;
      report(std::chrono::duration<double>(now - began).count() / done_ * (iterations_ - done_));
      next_report = done_ + iterations_ / kReports;
    }
  }

  const ReferenceMap& state() const { return state_; }
  const MapHistory& history() const { return history_; }
  int done() const { return done_; }

 private:
  void report(double seconds_left) {
    std::printf("iteration %5d of %d", done_, iterations_);
    if (count_ <= kMostCompared || done_ == iterations_) {
      history_.divergences.push_back({done_, kl_divergence(affinities_, state_.points)});
      std::printf(", KL %.4f", history_.divergences.back().kl);
    }
    if (done_ < iterations_) std::printf(", %.0f s left", std::ceil(seconds_left));
    std::printf("\n");
    std::fflush(stdout);
  }

  // The iteration of the next check, not before the given iteration.
  int look_at_or_after(int iteration, int per_look) const {
    return done_ + std::max(1, ceil_div(iteration - done_, per_look)) * per_look;
  }

  int next_frame() const {
    const std::size_t kept = history_.frames.size();
    if (kept == std::size(kFrames)) return iterations_;
    return static_cast<int>(std::ceil(kFrames[kept] * iterations_));
  }

  void keep_frame() {
    if (history_.frames.size() < std::size(kFrames) && done_ >= next_frame()) {
      history_.frames.push_back(state_.points);
    }
  }

  // Repeats the iterations since the last finite state one at a time, with the same bits.
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
  MapHistory history_;
  int done_ = 0;
};

}  // namespace

std::vector<OptionHelp> map_options() {
  return {{"--input FILE", "make a map of the vectors of a CSV file, one per line"},
          {"--clusters N", "or of N generated vectors in ten clusters"},
          {"--labels FILE", "their labels: one integer per line"},
          {"--output FOLDER", "where to write the map; the current one by default"},
          {"--perplexity P", "the effective number of neighbours (30)"},
          {"--learning-rate R", "of the descent; by default N / 48, at least 50"},
          {"--start KIND", "of the map: random (the default), or principal components"},
          {"--seed S", "of a random start (1)"}};
}

std::optional<MapRequest> parse_map_request(Options& options, std::optional<int> iterations) {
  const auto vectors = options.text("--input", "the name of a CSV file");
  const auto clusters = options.integer<int>("--clusters", 4, kMaxPoints);
  const auto labels = options.text("--labels", "the name of a CSV file");
  const auto folder = options.text("--output", "the name of a folder");
  const auto perplexity = options.text("--perplexity", "a number");
  const auto rate = options.text("--learning-rate", "a number");
  const auto start = options.text("--start", "random or principal");
  const auto seed = options.integer<int>("--seed", 0, 1000000000);
  if (vectors && clusters) {
    throw UsageError("--clusters generates vectors, and --input reads them; leave out one.");
  }
  if (labels && clusters) {
    throw UsageError("--clusters has its own labels; leave out --labels.");
  }
  if (!vectors && !clusters) {
    if (labels || folder || perplexity || rate || start || seed) {
      throw UsageError(
          "--labels, --output, --perplexity, --learning-rate, --start and --seed go with --input "
          "or "
          "--clusters.");
    }
    return std::nullopt;
  }
  if (start && *start != "random" && *start != "principal") {
    throw UsageError("--start takes random or principal, not '" + *start + "'.");
  }
  MapRequest request{vectors,
                     labels.value_or(""),
                     folder.value_or("."),
                     clusters.value_or(0),
                     30,
                     iterations.value_or(1000),
                     std::nullopt,
                     start == "principal",
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

int make_map(const MapRequest& request, const MapMaker& maker) {
  PhaseSeconds seconds;
  const LabelledVectors vectors = vectors_of(request);
  const std::string name = request.vectors.value_or("clusters");
  const MapFiles files(name, request.folder);
  std::printf("%s: %d vectors of %d components, perplexity %g, %d iterations\n", name.c_str(),
              vectors.count, vectors.dimensions, request.perplexity, request.iterations);
  std::fflush(stdout);
  seconds.end("vectors");
  const CtrlC ctrl_c;
  Run run(request, vectors, maker);
  seconds.end("affinities and start");
  try {
    run.descend();
  } catch (const std::runtime_error&) {
    files.write(run.state().points, vectors.labels, run.history());
    throw;
  }
  seconds.end("descent");
  files.write(run.state().points, vectors.labels, run.history());
  seconds.end("files");
  if (run.done() < request.iterations) {
    std::printf("Stopped after %d of %d iterations.\n", run.done(), request.iterations);
  } else if (vectors.count <= kMostCompared && vectors.count > 10) {
    std::printf("trustworthiness of 5 neighbours: %.4f\n",
                trustworthiness(vectors, run.state().points, 5));
    seconds.end("trustworthiness");
  }
  if (maker.shows_seconds) std::printf("Seconds of this run: %s\n", seconds.text().c_str());
  std::printf("The map: %s\n", files.text().c_str());
  return run.done() < request.iterations ? kExitInterrupted : 0;
}

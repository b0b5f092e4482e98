#pragma once

#include "embedding.h"
#include "harness/device_state.h"
#include "harness/map_run.h"
#include "harness/problem.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// The programs of embed() and of similar functions.

// A function like embed(), and the properties that its programs need.
struct Descent {
  decltype(&embed) run;
  std::size_t (*workspace_bytes)(int count);
  bool (*needs_matrix)();
  bool (*computes_pairs_once)();
  double slack;             // the error of its gradients: see require_gradient()
  bool searches_on_device;  // for the affinities of a map, even with few vectors
};

template <const Descent& kDescent>
class Embedding final : public EmbeddingProblem {
 public:
  static MemoryNeed memory_need(const EmbeddingSize& size, bool) {
    return need_with(size, kDescent.needs_matrix(), kDescent.workspace_bytes(size.count));
  }

  Embedding(const EmbeddingSize& size, std::uint64_t seed)
      : EmbeddingProblem(size, seed, kDescent.needs_matrix(), kDescent.computes_pairs_once(),
                         kDescent.slack),
        d_workspace_(kDescent.workspace_bytes(size.count)) {
    d_workspace_.fill_bytes(0xff);  // NaN, so a read before the first write is visible
  }

  // Continues where the last run has ended.
  void run() override {
    const int last = iterations_done_ + size_.iterations;
    kDescent.run(d_affinities_.get(), d_map_.get(), size_.count, iterations_done_, last, schedule_,
                 d_workspace_.data(), nullptr);
    iterations_done_ = last;
  }

  Timings time() override {
    return time_beside([&] { queue_ceiling(); }, [&] { run(); });
  }

 protected:
  std::vector<double> gradient_of(const ReferenceMap& map) override {
    DeviceMap d_map(map);
    const int iteration = schedule_.early_iterations;
    kDescent.run(d_affinities_.get(), d_map.get(), size_.count, iteration, iteration + 1, schedule_,
                 d_workspace_.data(), nullptr);
    return d_map.gradient();
  }

 private:
  DeviceBuffer<char> d_workspace_;
};

// The request to a program.
struct EmbeddingAsked {
  EmbeddingProblem::Asked size;
  std::optional<MapRequest> map;
};

inline EmbeddingAsked parse_embedding(Options& options) {
  const EmbeddingProblem::Asked size = EmbeddingProblem::parse(options);
  const auto map = parse_map_request(options, size.iterations);
  if (map && size.count)
    throw UsageError("--input and --clusters specify the vectors; leave out --n.");
  return {size, map};
}

inline int draw_map(const MapRequest& request, const Descent& descent, bool shows_seconds) {
  std::optional<DeviceBuffer<char>> d_workspace;
  const Descend descend = [&](const Affinities& affinities, const Map& map, int count, int first,
                              int last, const Schedule& schedule) {
    if (!d_workspace) d_workspace.emplace(descent.workspace_bytes(count));
    descent.run(affinities, map, count, first, last, schedule, d_workspace->data(), nullptr);
  };
  return make_map(request,
                  {descent.needs_matrix(), descent.searches_on_device, shows_seconds, descend});
}

// The main function of a program.
template <const Descent& kDescent>
int embedding_main(int argc, char** argv) {
  std::vector<OptionHelp> options = EmbeddingProblem::options();
  for (const OptionHelp& help : map_options()) options.push_back(help);
  int exit_code = 0;
  const int failure = program_main(
      argc, argv, options, parse_embedding,
      [&](const Program& program, const EmbeddingAsked& asked) {
        if (asked.map) {
          if (program.prints_csv)
            throw UsageError("--csv prints a time; leave out --input and --clusters.");
          exit_code = draw_map(*asked.map, kDescent, program.is_timed);
          return;
        }
        using Problem = Embedding<kDescent>;
        check_then_time<Problem>(program, asked.size, check_problem<Problem, EmbeddingSize>,
                                 measure_problem<Problem, EmbeddingSize>);
      });
  return failure != 0 ? failure : exit_code;
}

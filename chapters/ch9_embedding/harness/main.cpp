#include "embedding.h"
#include "harness/device_state.h"
#include "harness/map_run.h"
#include "harness/problem.h"

#include <optional>
#include <vector>

namespace {

class Embedding final : public EmbeddingProblem {
 public:
  static MemoryNeed memory_need(const EmbeddingSize& size, bool) {
    return need_with(size, needs_matrix(), embed_workspace_bytes(size.count));
  }

  Embedding(const EmbeddingSize& size, std::uint64_t seed)
      : EmbeddingProblem(size, seed, needs_matrix()),
        d_workspace_(embed_workspace_bytes(size.count)) {
    d_workspace_.fill_bytes(0xff);  // NaN: what is used without being written shows
  }

  // From where the last run has ended.
  void run() override {
    const int last = iterations_done_ + size_.iterations;
    embed(d_affinities_.get(), d_map_.get(), size_.count, iterations_done_, last, schedule_,
          d_workspace_.data());
    iterations_done_ = last;
  }

  Timings time() override {
    return time_beside([&] { queue_ceiling(); }, [&] { run(); });
  }

 protected:
  std::vector<double> gradient_of(const ReferenceMap& map) override {
    DeviceMap d_map(map);
    const int iteration = schedule_.early_iterations;
    embed(d_affinities_.get(), d_map.get(), size_.count, iteration, iteration + 1, schedule_,
          d_workspace_.data());
    return d_map.gradient();
  }

 private:
  DeviceBuffer<char> d_workspace_;
};

struct Asked {
  EmbeddingProblem::Asked size;
  std::optional<MapRequest> map;
};

std::vector<OptionHelp> options() {
  std::vector<OptionHelp> all = EmbeddingProblem::options();
  for (const OptionHelp& help : map_options()) all.push_back(help);
  return all;
}

Asked parse(Options& options) {
  const EmbeddingProblem::Asked size = EmbeddingProblem::parse(options);
  const auto map = parse_map_request(options, size.iterations);
  if (map && size.count) throw UsageError("--input says which vectors to take; leave out --n.");
  return {size, map};
}

int draw(const MapRequest& request) {
  std::optional<DeviceBuffer<char>> d_workspace;
  return make_map(request, needs_matrix(),
                  [&](const Affinities& affinities, const Map& map, int count, int first, int last,
                      const Schedule& schedule) {
                    if (!d_workspace) d_workspace.emplace(embed_workspace_bytes(count));
                    embed(affinities, map, count, first, last, schedule, d_workspace->data());
                  });
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = 0;
  const int failure =
      program_main(argc, argv, options(), parse, [&](const Program& program, const Asked& asked) {
        if (asked.map) {
          if (program.prints_csv) throw UsageError("--csv asks for a time; leave out --input.");
          exit_code = draw(*asked.map);
          return;
        }
        check_then_time<Embedding>(program, asked.size, check_problem<Embedding, EmbeddingSize>,
                                   measure_problem<Embedding, EmbeddingSize>);
      });
  return failure != 0 ? failure : exit_code;
}

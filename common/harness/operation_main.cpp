// The main() of every operation that has a description: checks a result, then times the function.

#include "common/cuda_check.h"
#include "common/harness/cpu_baseline.h"
#include "common/harness/driver.h"
#include "common/harness/operation.h"

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// The judge's programs have it: calls for some shapes before the call that is counted.
[[gnu::weak]] void make_calls_before(const Operation& operation,
                                     const std::function<void(const Shape&)>& call);

namespace {

using Make = std::function<std::unique_ptr<Computation>(const Shape&)>;

// What the command line asks for.
struct Asked {
  std::vector<std::optional<std::size_t>> extents;
  std::vector<std::size_t> choices;
  std::optional<OwnInput> own;
};

std::vector<OptionHelp> options_of(const Operation& operation) {
  std::vector<OptionHelp> options;
  for (const Extent& extent : operation.extents) options.push_back({extent.option, extent.meaning});
  for (const Choice& choice : operation.choices) {
    options.insert(options.end(), choice.values.begin(), choice.values.end());
  }
  options.insert(options.end(), operation.own_options.begin(), operation.own_options.end());
  return options;
}

// The number of the word that the command line gives, or 0.
std::size_t chosen(Options& options, const Choice& choice) {
  const std::size_t count = choice.values.size();
  std::string words;
  for (std::size_t i = 0; i < count; ++i) {
    words += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + choice.word(i);
  }
  const auto text = options.text(choice.option, words);
  if (!text) return 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (*text == choice.word(i)) return i;
  }
  throw UsageError(format("%s takes %s, not '%s'.", choice.option, words.c_str(), text->c_str()));
}

Asked parse(const Operation& operation, Options& options) {
  Asked asked;
  if (operation.own_input) asked.own = operation.own_input(options);
  std::optional<std::size_t> first;
  const bool has_sizes = asked.own && !asked.own->shape.empty();  // an extent is then given twice
  for (const Extent& extent : operation.extents) {
    if (has_sizes) break;
    const auto size =
        options.integer<std::size_t>("--" + extent.name(), static_cast<long long>(extent.least),
                                     static_cast<long long>(extent.most));
    asked.extents.push_back(size);
    if (!first) first = size;
  }
  for (auto& size : asked.extents) {
    if (!size && operation.one_for_all) size = first;
  }
  for (const Choice& choice : operation.choices) asked.choices.push_back(chosen(options, choice));
  return asked;
}

Sizes<Shape> sizes_for(const Operation& operation, const Asked& asked, bool is_timed) {
  if (asked.own && !asked.own->shape.empty()) return {asked.own->shape, asked.own->shape};
  Sizes<Shape> sizes;
  for (std::size_t i = 0; i < operation.extents.size(); ++i) {
    const Extent& extent = operation.extents[i];
    const bool is_one_size = extent.to_check == extent.to_time;
    const auto [checked, timed] =
        sizes_of(asked.extents[i], extent.to_check, extent.to_time, is_timed && !is_one_size);
    sizes.checked.push_back(checked);
    sizes.timed.push_back(timed);
  }
  for (Shape* shape : {&sizes.checked, &sizes.timed}) {
    shape->insert(shape->end(), asked.choices.begin(), asked.choices.end());
    *shape = complete(operation, *shape);
  }
  return sizes;
}

// Memory for the arrays; and in host memory the data, the results and the right results. A timed
// run also needs a copy of an array or, for a probe of several inputs, as many bytes as they have.
MemoryNeed need_of(const Operation& operation, const Computation& computation, bool is_timed) {
  MemoryNeed need{computation.text(), 0, 0, {}};
  double largest_copy = 0, inputs = 0;
  for_each_array(computation, [&](auto* array) {
    const double bytes = array->bytes();
    const bool is_on_device = !operation.in_host_memory && array->memory == Memory::kDevice;
    double& here = is_on_device ? need.device_bytes : need.host_bytes;
    here += array->is_returned() ? 0 : bytes;
    if (array->role == Role::kWorkspace) return;
    largest_copy = std::max(largest_copy, is_on_device ? bytes : 2 * bytes);
    if (array->role == Role::kInput) inputs += bytes;
    need.host_bytes += 2 * bytes;
  });
  const auto* const ceiling = operation.ceiling.target<Yardstick (*)(Computation&)>();
  const bool is_probe = ceiling && *ceiling == input_read;
  if (is_timed) need.device_bytes += is_probe ? inputs : largest_copy;
  return need;
}

// The sizes whose need is `share` of this shape's, as options: all extents are smaller by one
// factor.
std::string largest_shape(const Operation& operation, const Make& make, const Shape& shape,
                          double share) {
  const auto bytes_of = [&](const Shape& any) {
    const MemoryNeed need = need_of(operation, *make(any), false);
    return need.device_bytes + need.host_bytes;
  };
  const double all = bytes_of(shape);
  double fits = 0, too_large = 1;
  const auto is_scaled = [&](std::size_t i) {
    return operation.extents[i].is_column && static_cast<int>(i) != operation.threads_extent;
  };
  const auto scaled = [&](double factor) {
    Shape smaller = shape;
    for (std::size_t i = 0; i < operation.extents.size(); ++i) {
      if (!is_scaled(i)) continue;
      smaller[i] = static_cast<std::size_t>(static_cast<double>(shape[i]) * factor);
    }
    return smaller;
  };
  for (int step = 0; step < 40; ++step) {
    const double middle = (fits + too_large) / 2;
    (bytes_of(scaled(middle)) <= share * all ? fits : too_large) = middle;
  }
  std::string text;
  for (std::size_t i = 0; i < operation.extents.size(); ++i) {
    if (!is_scaled(i)) continue;
    text += format("%s--%s %zu", text.empty() ? "" : " ", operation.extents[i].name().c_str(),
                   scaled(fits)[i]);
  }
  return "The largest that fits is about " + text + ".";
}

void require_memory_for(const Operation& operation, const Program& program, const Make& make,
                        const Shape& shape, bool is_timed) {
  MemoryNeed need = need_of(operation, *make(shape), is_timed);
  need.advice = [&](double share) { return largest_shape(operation, make, shape, share); };
  require_memory(program.device, need);
}

// The computation of this shape, with random data, in memory.
std::unique_ptr<Computation> prepared(const Operation& operation, const Make& make,
                                      const Shape& shape, std::uint64_t seed) {
  std::unique_ptr<Computation> computation = make(shape);
  computation->fill(seed);
  for_each_array(*computation, [&](auto* array) {
    array->allocate(operation.in_host_memory);
    array->write();
  });
  CUDA_CHECK(cudaDeviceSynchronize());
  return computation;
}

void check(const Operation& operation, const Program& program, const Make& make,
           const Shape& shape) {
  if (make_calls_before) {
    make_calls_before(operation, [&](const Shape& other) {
      prepared(operation, operation.make, other, kCheckSeed)->run(nullptr);
      CUDA_CHECK(cudaDeviceSynchronize());
    });
  }
  const ProfilerRange range("check");
  const auto computation = prepared(operation, make, shape, kCheckSeed);
  computation->run(nullptr);
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside a kernel is reported here
  read_results(*computation);
  if (!program.prints_csv) {
    std::printf("%s", computation->results().c_str());
    std::fflush(stdout);  // before a message, which goes to stderr
  }
  require_right(*computation);
  if (!program.prints_csv) {
    std::printf("%s: %s\n", program.name.c_str(), computation->report().c_str());
  }
}

Measurement measure(const Operation& operation, const Make& make, const Shape& shape) {
  const ProfilerRange range("time");
  const auto computation = prepared(operation, make, shape, kTimedSeed);
  computation->before_timing();
  const Yardstick yardstick = operation.ceiling(*computation);
  const auto run = [&] { computation->run(nullptr); };
  const auto before_run = [&] { computation->before_run(); };
  constexpr int kRunsOnCpu = 21;  // in host memory, unless the description says how many
  const bool is_counted = operation.runs_on_cpu > 0;
  const int runs_on_cpu = is_counted ? operation.runs_on_cpu : kRunsOnCpu;
  const Timings timings = is_counted || is_on_cpu(*computation)
                              ? time_on_cpu_beside(yardstick.queue, run, before_run, runs_on_cpu)
                              : time_beside(yardstick.queue, run);
  read_results(*computation);
  require_right(*computation);

  Measurement measured{computation->text(),
                       {},
                       {timings.own, computation->work()},
                       {yardstick.text, yardstick.column, {timings.ceiling, yardstick.work()}},
                       operation.unit,
                       computation->notes(),
                       computation->errors()};
  const auto notes = computation->notes_of_times(timings.own.median_ms, timings.ceiling.median_ms);
  measured.notes.insert(measured.notes.end(), notes.begin(), notes.end());
  for (std::size_t i = 0; i < operation.extents.size(); ++i) {
    const Extent& extent = operation.extents[i];
    if (!extent.is_column) continue;
    measured.sizes.push_back({extent.name(), std::to_string(shape[i])});
  }
  for (std::size_t i = 0; i < operation.choices.size(); ++i) {
    const Choice& choice = operation.choices[i];
    if (!choice.is_column) continue;
    auto& columns = choice.is_size ? measured.sizes : measured.choices;
    columns.push_back({choice.name(), choice.word(shape[operation.extents.size() + i])});
  }
  return measured;
}

void run(const Operation& operation, const Program& program, const Asked& asked) {
  const bool is_timed = program.is_timed && operation.ceiling;
  if (!is_timed) refuse_csv(program);
  const auto [checked, timed] = sizes_for(operation, asked, is_timed);
  const Make& make = asked.own ? asked.own->make : operation.make;
  if (operation.refuse) operation.refuse(checked);
  require_memory_for(operation, program, make, checked, /*is_timed=*/false);
  check(operation, program, make, checked);
  if (!is_timed) return;
  require_memory_for(operation, program, make, timed, /*is_timed=*/true);
  print_measurement(program, measure(operation, make, timed));
}

}  // namespace

// Weak: a chapter whose lesson contains its main() has its own.
[[gnu::weak]] int main(int argc, char** argv) {
  const Operation operation = describe_operation();
  return program_main(
      argc, argv, options_of(operation),
      [&](Options& options) { return parse(operation, options); },
      [&](const Program& program, const Asked& asked) { run(operation, program, asked); });
}

#include "trace/report/report_steps.h"

#include "program/branch_position.h"
#include "program/learners_code.h"
#include "program/line_table.h"
#include "trace/report/json_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

namespace cuda_simulator {
namespace {

constexpr int kStepsVersion = 1;

const char* name_of(BlockSteps::Reason reason) {
  switch (reason) {
    case BlockSteps::Reason::first:
      return "first";
    case BlockSteps::Reason::costliest:
      return "costliest";
    case BlockSteps::Reason::finding:
      return "finding";
  }
  return "";
}

const char* name_of(WarpCall::Operation operation) {
  switch (operation) {
    case WarpCall::Operation::synchronise:
      return "synchronise";
    case WarpCall::Operation::shuffle:
      return "shuffle";
    case WarpCall::Operation::ballot:
      return "ballot";
    case WarpCall::Operation::match:
      return "match";
    case WarpCall::Operation::reduce:
      return "reduce";
    case WarpCall::Operation::active_mask:
      return "active_mask";
  }
  return "";
}

// Writes the steps of one kernel: each place has a number, which the steps use.
class StepWriter {
 public:
  StepWriter(const KernelCounts& kernel, const AccessNumber& access_number)
      : access_number_(access_number) {
    kernel.for_each_basic_block([&](std::uintptr_t code, const BasicBlockCounts& counts) {
      if (counts.divergences > 0) next_code_[code] = counts.next_code;
    });
  }

  // Omits steps that exceed `most_bytes`, and adds their number to `left_out`.
  std::string steps_text(const BlockSteps& block, std::size_t most_bytes, std::uint64_t& left_out) {
    std::string text = "[";
    for (std::size_t n = 0; n < block.steps.size(); ++n) {
      if (text.size() > most_bytes) {
        left_out += block.steps.size() - n;
        break;
      }
      text += n > 0 ? ",\n" : "\n";
      add_step(text, block, n);
    }
    return text + "]";
  }
  void write_places(std::ostream& out) const {
    write_list(out, places_, [&](const SourcePosition& place) {
      out << '[' << quoted(place.file) << ',' << place.line << ',' << place.column << ']';
    });
  }

 private:
  void add_step(std::string& text, const BlockSteps& block, std::size_t n) {
    const BlockStep& step = block.steps[n];
    const std::size_t end =
        n + 1 < block.steps.size() ? block.steps[n + 1].first_number : block.numbers.size();
    const auto numbers = block.numbers.begin() + static_cast<std::ptrdiff_t>(step.first_number);
    const auto numbers_end = block.numbers.begin() + static_cast<std::ptrdiff_t>(end);
    switch (step.kind) {
      case BlockStep::Kind::request:
        add_request(text, step, numbers);
        return;
      case BlockStep::Kind::barrier:
        text += "[\"barrier\"," + std::to_string(number_of(learners_position(step.what))) + ',' +
                std::to_string(step.lanes) + ']';
        return;
      case BlockStep::Kind::divergence: {
        const std::uintptr_t next = next_code_[step.what];
        text += "[\"part\"," + std::to_string(number_of(branch_position(step.what, next))) + ',' +
                std::to_string(step.warp);
        break;
      }
      case BlockStep::Kind::warp_call:
        text += "[\"meet\"," + std::to_string(number_of(learners_position(step.what))) + ',' +
                std::to_string(step.warp) + ',' + std::to_string(step.lanes) + ",\"" +
                name_of(static_cast<WarpCall::Operation>(step.operation)) + '"';
        break;
    }
    std::for_each(numbers, numbers_end,
                  [&](std::int64_t number) { text += ',' + std::to_string(number); });
    text += ']';
  }

  template <typename Numbers>
  void add_request(std::string& text, const BlockStep& step, Numbers numbers) {
    text += '[' + std::to_string(access_number(step)) + ',' + std::to_string(step.warp) + ',' +
            std::to_string(step.array) + ',' + std::to_string(step.units) + ',' +
            std::to_string(step.ideal_units) + ',' + (step.approximate ? '1' : '0');
    if (step.is_regular) {
      add_run(text, 0, kWarpSize, numbers[0], numbers[1]);
    } else {
      add_runs(text, step.lanes, numbers);
    }
    text += ']';
  }
  // Consecutive lanes with a constant distance form a run.
  template <typename Numbers>
  static void add_runs(std::string& text, std::uint32_t lanes, Numbers offsets) {
    int first = 0, count = 0;
    std::int64_t first_offset = 0, last = 0, stride = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      const std::int64_t offset = *offsets++;
      const bool is_next = count > 0 && lane == first + count;
      if (is_next && (count == 1 || offset - last == stride)) {
        stride = offset - last;
        ++count;
      } else {
        if (count > 0) add_run(text, first, count, first_offset, stride);
        first = lane;
        first_offset = offset;
        count = 1;
        stride = 0;
      }
      last = offset;
    }
    if (count > 0) add_run(text, first, count, first_offset, stride);
  }
  static void add_run(std::string& text, int lane, int count, std::int64_t offset,
                      std::int64_t stride) {
    text += ',' + std::to_string(lane) + ',' + std::to_string(count) + ',' +
            std::to_string(offset) + ',' + std::to_string(stride);
  }

  int access_number(const BlockStep& step) {
    const std::uint64_t key = step.what << 2 ^ static_cast<unsigned>(step.space);
    const auto [known, is_new] = access_numbers_.emplace(key, 0);
    if (is_new) known->second = access_number_(Step::from_bits(step.what), step.space);
    return known->second;
  }
  std::size_t number_of(const SourcePosition& place) {
    const auto [known, is_new] = place_numbers_.emplace(place, places_.size());
    if (is_new) places_.push_back(place);
    return known->second;
  }

  const AccessNumber& access_number_;
  std::unordered_map<std::uint64_t, int> access_numbers_;
  std::unordered_map<std::uintptr_t, std::uintptr_t> next_code_;
  std::vector<SourcePosition> places_;
  std::map<SourcePosition, std::size_t> place_numbers_;
};

void write_array(std::ostream& out, const NamedArray& array) {
  const unsigned border = array.space == MemorySpace::shared ? 4 : 128;
  out << "{\"memory\":\"" << name_of(array.space) << "\",\"name\":" << quoted(array.name)
      << ",\"bytes\":" << array.bytes << ",\"begin_in_line\":" << array.begin % border << '}';
}

void write_block(std::ostream& out, const BlockSteps& block, StepWriter& writer,
                 std::size_t most_bytes) {
  std::uint64_t left_out = block.left_out;
  const std::string steps = writer.steps_text(block, most_bytes, left_out);
  out << "{\"block\":" << triple(block.block[0], block.block[1], block.block[2])
      << ",\"launch\":" << block.launch << ",\"reason\":\"" << name_of(block.reason)
      << "\",\"left_out\":" << left_out << ",\"arrays\":";
  write_list(out, block.arrays, [&](const NamedArray& array) { write_array(out, array); });
  out << ",\"steps\":" << steps << '}';
}

}  // namespace

void write_steps(std::ostream& out, const KernelCounts& kernel, const AccessNumber& access_number,
                 std::size_t most_bytes) {
  StepWriter writer(kernel, access_number);
  out << "{\"version\":" << kStepsVersion << ",\"blocks\":";
  write_list(out, kernel.steps, [&](const BlockSteps& block) {
    write_block(out, block, writer, most_bytes / kernel.steps.size());
  });
  out << ",\"places\":";
  writer.write_places(out);
  out << '}';
}

}  // namespace cuda_simulator

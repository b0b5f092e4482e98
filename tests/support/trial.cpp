#include "tests/support/trial.h"

#include "common/cuda_check.h"
#include "tests/support/device_findings.h"
#include "tests/support/device_test.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

namespace {

constexpr std::size_t kGuard = 2048;  // elements: more than a block has threads
constexpr unsigned char kGuardByte = 0x2a;

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// The guard zone on each side. The simulator finds accesses outside of device memory by itself.
template <typename T>
std::size_t guard_of(const Array<T>& array) {
  const bool in_host_memory =
      operation_under_test().in_host_memory || array.memory != Memory::kDevice;
  return finds_accesses_outside() && !in_host_memory ? 0 : kGuard;
}

// Fails the test if memory around the array was written to.
template <typename T>
void expect_intact_surroundings(Array<T>& array, std::size_t before) {
  if (array.allocated() <= array.count) return;
  const std::vector<T> all = array.with_surroundings();
  const auto* const bytes = reinterpret_cast<const unsigned char*>(all.data());
  const auto expect_none = [&](std::size_t first, std::size_t last, const char* where) {
    const auto count = std::count_if(bytes + first * sizeof(T), bytes + last * sizeof(T),
                                     [](unsigned char byte) { return byte != kGuardByte; });
    if (count == 0) return;
    record_fact(std::string("overwritten=") + where + " array=" + array.name);
    ADD_FAILURE() << count << " bytes " << where << " " << array.name << " were overwritten";
  };
  expect_none(0, before, "before");
  expect_none(before + array.count, all.size(), "after");
}

// "; the error is 0.3, and rounding explains at most 1e-12"
std::string off_by(double right, double got, double bound) {
  if (!std::isfinite(got - right) || bound <= 0) return "";
  return format("; the error is %g, and rounding explains at most %g", std::abs(got - right),
                bound);
}

std::size_t input_size(Computation& computation) {
  std::size_t size = 0;
  for_each_array(computation, [&](auto* array) {
    if (size == 0 && array->role == Role::kInput) size = array->count;
  });
  return size;
}

// A result that is one number, or one of a few that have names.
template <typename T>
void fail_number(Computation& computation, const Array<T>& array, std::size_t i,
                 const std::string& more_words) {
  const double right = array.right(i), got = static_cast<double>(array.result[i]);
  const bool has_name = !array.numbers.empty();
  const std::string& name = has_name ? array.numbers[i] : array.name;
  const std::string words =
      (more_words.empty() ? "" : " ") + more_words + (has_name ? " array=" + name : "");
  std::string pattern;
  if (!array.host.empty() && array.result[i] == array.host[i]) {
    record_fact("pattern=unwritten got=" + fact_value(got) + words);
    pattern = ", as before the call";
  } else {
    constexpr double kTree = 8 * 0x1p-53;  // about the rounding of a tree of additions
    const double rounding =
        array.bound() > 0 || !has_name ? array.bound() : kTree * std::abs(right);
    const std::string size = format("size=%zu", input_size(computation));
    pattern = wrong_number_pattern(got, right, rounding, size + words);
  }
  ADD_FAILURE() << name << " of " << computation.text() << ": expected " << printed(right, 17)
                << ", got " << printed(got, 17) << pattern << off_by(right, got, array.bound());
}

// The number of element i among those that are compared.
template <typename T>
std::optional<std::size_t> compared(const Array<T>& array, std::size_t i) {
  const std::vector<std::size_t>& chosen = array.chosen();
  if (chosen.empty()) return i;
  const auto found = std::lower_bound(chosen.begin(), chosen.end(), i);
  if (found == chosen.end() || *found != i) return std::nullopt;
  return static_cast<std::size_t>(found - chosen.begin());
}

template <typename T>
void expect_right_output(Computation& computation, const Array<T>& array, bool is_one_number,
                         const std::string& more_words) {
  const auto mismatch = array.mismatch();
  if (!mismatch) return;
  if (!is_one_number &&
      has_wrong_elements()) {  // the facts and the picture belong to the first message
    ADD_FAILURE() << mismatch->count << " of " << array.count << " elements of " << array.name
                  << " are wrong.";
    return;
  }
  const auto is_right = [&](T value, std::size_t i) {
    const auto number = compared(array, i);
    return !number || array.is_right(value, *number);
  };
  const auto right = [&](std::size_t i) {
    const auto number = compared(array, i);
    return number ? array.right(*number) : static_cast<double>(array.result[i]);
  };
  const std::size_t first = array.element(mismatch->first);
  const auto got = static_cast<double>(array.result[first]);
  std::string words = computation.facts_of_wrong(first, right(first), got);
  if (!more_words.empty()) words += (words.empty() ? "" : " ") + more_words;
  record_elements(array.result, array.width, is_right, right, array.name);
  if ((is_one_number || !array.numbers.empty()) && std::is_floating_point_v<T>) {
    return fail_number(computation, array, first, words);
  }
  if (!words.empty()) record_fact(words);
  const bool is_untouched = array.role == Role::kInPlace && same_bits(array.result, array.host);
  if (is_untouched) {
    record_fact(format("pattern=untouched array=%s wrong=%zu size=%zu", array.name.c_str(),
                       mismatch->count, array.count));
  }
  const int digits = std::is_integral_v<T> ? 17 : std::numeric_limits<T>::max_digits10;
  ADD_FAILURE() << mismatch->count << " of " << array.count << " elements are wrong. The first is "
                << array.name << "[" << first << "]" << computation.place_of(first) << ": expected "
                << printed(right(first), digits) << ", got " << printed(got, digits)
                << computation.about_wrong(first, got)
                << (is_untouched ? ". " + array.name + " is unchanged" : "") << "."
                << wrong_pattern(array.result, array.width, is_right, array.name);
}

}  // namespace

const Operation& operation_under_test() {
  static const Operation operation = describe_operation();
  return operation;
}

std::string case_of(const Shape& shape) {
  const Operation& operation = operation_under_test();
  if (operation.case_name) return operation.case_name(shape);
  std::string text;
  for (std::size_t i = 0; i < operation.extents.size(); ++i) {
    text += (i > 0 ? "x" : "") + std::to_string(shape[i]);
  }
  for (std::size_t i = operation.extents.size(); i < shape.size(); ++i) {
    const Choice& choice = operation.choices[i - operation.extents.size()];
    if (shape[i] > 0) text += "_" + choice.word(shape[i]);
  }
  return text;
}

namespace {

double volume(const Shape& shape) {
  const Operation& operation = operation_under_test();
  double volume = 1;
  for (std::size_t i = 0; i < operation.extents.size(); ++i) {
    if (static_cast<int>(i) != operation.threads_extent) volume *= static_cast<double>(shape[i]);
  }
  return volume;
}

// The shapes with elements, from the smallest to the largest.
std::vector<Shape> by_volume() {
  std::vector<Shape> shapes;
  for (const Shape& shape : operation_under_test().shapes) {
    if (volume(shape) > 0) shapes.push_back(complete(operation_under_test(), shape));
  }
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const Shape& a, const Shape& b) { return volume(a) < volume(b); });
  return shapes;
}

}  // namespace

Shape usual_shape() { return by_volume().back(); }

std::vector<Shape> shapes_in_turn() {
  const Operation& operation = operation_under_test();
  std::vector<Shape> shapes;
  for (const Shape& shape : operation.in_turn) shapes.push_back(complete(operation, shape));
  if (!shapes.empty()) return shapes;
  shapes = by_volume();
  const std::size_t most = shapes.size() - 1;
  return {shapes[most * 3 / 4], shapes[0], shapes[most / 2], shapes[most], shapes[most / 2]};
}

Trial::Trial(const Shape& shape, std::uint64_t seed)
    : computation_(operation_under_test().make(complete(operation_under_test(), shape))),
      starts_(computation_->arrays.size()) {
  computation_->fill(seed);
}

template <typename T>
Array<T>& Trial::array(const std::string& name) {
  for (const AnyArray& any : computation_->arrays) {
    const auto* const typed = std::get_if<Array<T>*>(&any);
    if (typed && (*typed)->name == name) return **typed;
  }
  throw std::logic_error("the operation has no array `" + name + "` of elements of this type");
}

template <typename T>
void Trial::set(const std::string& name, std::vector<T> values) {
  Array<T>& changed = array<T>(name);
  if (values.size() != changed.count) {
    throw std::logic_error(format("%s has %zu elements, and the test gives it %zu", name.c_str(),
                                  changed.count, values.size()));
  }
  changed.host = std::move(values);
}

template <typename T>
const std::vector<T>& Trial::input(const std::string& name) {
  return array<T>(name).host;
}

void Trial::start_at(std::size_t array, std::size_t elements) { starts_.at(array) = elements; }

void Trial::use_workspace_of(Trial& other) {
  if (!is_placed_) place();
  std::vector<Array<char>*> theirs, ours;
  const auto workspaces_of = [](Trial& trial, std::vector<Array<char>*>& found) {
    for (const AnyArray& any : trial.computation_->arrays) {
      const auto* const array = std::get_if<Array<char>*>(&any);
      if (array && (*array)->role == Role::kWorkspace) found.push_back(*array);
    }
  };
  workspaces_of(other, theirs);
  workspaces_of(*this, ours);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i]->count == theirs[i]->count) ours[i]->exchange_memory(*theirs[i]);
  }
}

void Trial::place() {
  const bool in_host_memory = operation_under_test().in_host_memory;
  std::size_t number = 0;
  for_each_array(*computation_, [&](auto* array) {
    const std::size_t guard = guard_of(*array), before = guard + starts_[number++];
    array->allocate(in_host_memory, before, guard);
    if (before + guard > 0) array->fill_surroundings(kGuardByte);
  });
  is_placed_ = true;
}

// Inputs and workspaces are written once: a call leaves them as they are, or ready for the next.
void Trial::write(cudaStream_t stream) {
  constexpr int kAnyContent = 0xff;  // a workspace that must start with zeros is different
  for_each_array(*computation_, [&](auto* array) {
    if (has_run_ && !array->is_output()) return;
    if (array->role == Role::kOutput && !fills_outputs_) return;
    const bool is_free = array->role == Role::kWorkspace && array->unwritten == kAnyContent;
    if (is_free && !fills_outputs_) return;
    array->write(stream);
  });
  has_run_ = true;
}

void Trial::run() {
  if (!is_placed_) place();
  write(nullptr);
  CUDA_CHECK(cudaDeviceSynchronize());
  computation_->run(nullptr);
  expect_no_launch_error();
  CUDA_CHECK(cudaDeviceSynchronize());
}

void Trial::start_in(cudaStream_t stream) {
  if (!is_placed_) place();
  write(stream);
  computation_->run(stream);
  expect_no_launch_error();
}

void Trial::call() {
  if (!is_placed_) {
    place();
    write(nullptr);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  computation_->run(nullptr);
}

namespace {

// Whether the operation's output of this name is one number, whatever the shape.
bool is_one_number(const std::string& name) {
  const auto usual = operation_under_test().make(usual_shape());
  bool is_one = false;
  for_each_array(*usual, [&](auto* array) { is_one |= array->name == name && array->count == 1; });
  return is_one;
}

}  // namespace

void Trial::expect_right(const std::string& words) {
  read_results(*computation_);
  for_each_array(*computation_, [&](auto* array) {
    if (array->is_output()) {
      expect_right_output(*computation_, *array, is_one_number(array->name), words);
    }
  });
  expect_nothing_else_changed();
}

void Trial::expect_nothing_else_changed() {
  std::size_t number = 0;
  for_each_array(*computation_, [&](auto* array) {
    const std::size_t before = guard_of(*array) + starts_[number++];
    if (array->role == Role::kInput) {
      EXPECT_TRUE(right_or_fact(same_bits(array->now(), array->host), "changed=" + array->name))
          << array->name << " has changed";
    }
    expect_intact_surroundings(*array, before);
  });
}

template <typename T>
const std::vector<T>& Trial::output(const std::string& name) {
  Array<T>& read = array<T>(name);
  read.result = read.now();
  return read.result;
}

std::vector<std::vector<unsigned char>> Trial::output_bytes() {
  std::vector<std::vector<unsigned char>> all;
  for_each_array(*computation_, [&](auto* array) {
    if (!array->is_output()) return;
    const auto elements = array->now();
    const auto* const bytes = reinterpret_cast<const unsigned char*>(elements.data());
    all.emplace_back(bytes, bytes + elements.size() * sizeof(elements[0]));
  });
  return all;
}

template void Trial::set(const std::string&, std::vector<float>);
template const std::vector<float>& Trial::input<float>(const std::string&);
template const std::vector<float>& Trial::output<float>(const std::string&);
template void Trial::set(const std::string&, std::vector<double>);
template const std::vector<double>& Trial::input<double>(const std::string&);
template const std::vector<double>& Trial::output<double>(const std::string&);
template void Trial::set(const std::string&, std::vector<int>);
template const std::vector<int>& Trial::input<int>(const std::string&);
template const std::vector<int>& Trial::output<int>(const std::string&);
template void Trial::set(const std::string&, std::vector<unsigned>);
template const std::vector<unsigned>& Trial::input<unsigned>(const std::string&);
template const std::vector<unsigned>& Trial::output<unsigned>(const std::string&);
template void Trial::set(const std::string&, std::vector<long long>);
template const std::vector<long long>& Trial::input<long long>(const std::string&);
template const std::vector<long long>& Trial::output<long long>(const std::string&);
template void Trial::set(const std::string&, std::vector<unsigned long long>);
template const std::vector<unsigned long long>& Trial::input<unsigned long long>(
    const std::string&);
template const std::vector<unsigned long long>& Trial::output<unsigned long long>(
    const std::string&);
template void Trial::set(const std::string&, std::vector<char>);
template const std::vector<char>& Trial::input<char>(const std::string&);
template const std::vector<char>& Trial::output<char>(const std::string&);
template void Trial::set(const std::string&, std::vector<std::uint8_t>);
template const std::vector<std::uint8_t>& Trial::input<std::uint8_t>(const std::string&);
template const std::vector<std::uint8_t>& Trial::output<std::uint8_t>(const std::string&);

#pragma once

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/measurement.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// An operation is what the function of a header computes. One file describes it, next to the stages
// that define the function: the arrays, the right results and how near a result must be, the sizes
// to try and to time. From this description operation_main.cpp checks and times a program, and
// tests/support/operation_tests.cpp tests it.

// The sizes of one computation, one for each of Operation::extents and ::choices.
using Shape = std::vector<std::size_t>;

enum class Role { kInput, kOutput, kInPlace, kWorkspace };

// Where an array is. The system never moves pinned memory (cudaMallocHost).
enum class Memory { kDevice, kHost, kPinned };

// An array of a computation. Elements are float, double, int, unsigned, long long, unsigned long
// long, char or std::uint8_t.
template <typename T>
class Array {
 public:
  const std::string name;
  const Role role;
  const std::size_t count;
  const std::size_t width;  // elements in a row; of an array that is not a matrix: all
  const int unwritten;      // the byte with which an output or a workspace is filled before a call

  Memory memory = Memory::kDevice;  // a computation's constructor may choose another

  // The data before the call. An output needs some only if no byte is surely wrong as `unwritten`.
  std::vector<T> host;
  std::vector<T> result;             // what the last check of a computation found in its output
  std::vector<std::string> numbers;  // the names of an output's elements, if each is a result alone

  // The right values of an output. An element is right if it has the same bits as its right value,
  // if both are NaN, or if it differs by at most `bound`: one number for all elements, or one each.
  void expect(std::vector<T> right);
  void expect(std::vector<T> right, double bound);
  void expect(std::vector<double> right, std::vector<double> bounds);
  // The same for these elements alone, in ascending order, of an output that takes long to compute.
  void expect_at(std::vector<std::size_t> elements, std::vector<double> right,
                 std::vector<double> bounds);
  // Any other rule: whether `value` is right for element i, and the right value to print.
  void expect(std::function<bool(T value, std::size_t i)> is_right,
              std::function<double(std::size_t i)> right);

  double bytes() const { return static_cast<double>(count) * sizeof(T); }

  // For the programs and tests.

  bool is_input() const { return role == Role::kInput || role == Role::kInPlace; }
  bool is_output() const { return role == Role::kOutput || role == Role::kInPlace; }
  bool is_returned() const { return static_cast<bool>(read_); }  // it has no memory of its own
  // Allocates it in its memory, or in host memory, with `before` and `after` elements around it.
  void allocate(bool in_host_memory, std::size_t before = 0, std::size_t after = 0);
  // Queues a copy of `host` to it; an output or a workspace without fills it with `unwritten`.
  void write(cudaStream_t stream = nullptr);
  std::vector<T> now() const;  // a copy of its present elements
  bool is_unchanged() const;   // whether these are the elements of `host`
  T* data() const { return data_; }
  // All of its memory, with what is around it: its elements, a fill, and a copy.
  std::size_t allocated() const { return allocated_; }
  void fill_surroundings(int byte);
  std::vector<T> with_surroundings() const;
  void exchange_memory(Array& other);

  bool is_checked() const { return static_cast<bool>(is_right_); }
  bool is_right(T value, std::size_t i) const { return is_right_(value, i); }
  double right(std::size_t i) const { return right_(i); }
  double bound() const { return bound_; }  // of all elements; 0 if each has its own
  const std::vector<std::size_t>& chosen() const { return chosen_; }  // empty: all are compared
  // How many elements are compared, and which of the array's elements number n of them is. A
  // function of expect() gets the number, and so does Mismatch.
  std::size_t compared() const { return chosen_.empty() ? count : chosen_.size(); }
  std::size_t element(std::size_t n) const { return chosen_.empty() ? n : chosen_[n]; }
  std::optional<Mismatch> mismatch() const;  // of `result`

 protected:
  Array(const char* name, Role role, std::size_t count, std::size_t width, int unwritten = 0xff)
      : name(name),
        role(role),
        count(count),
        width(width > 0 ? width : count),
        unwritten(unwritten) {}
  std::function<std::vector<T>()> read_;  // of a Returned

 private:
  std::function<bool(T, std::size_t)> is_right_;
  std::function<double(std::size_t)> right_;
  double bound_ = 0;
  std::vector<std::size_t> chosen_;
  std::shared_ptr<T> in_host_memory_;
  DeviceBuffer<T> in_device_memory_{0};
  std::size_t allocated_ = 0;  // elements, with those around it
  T* memory_ = nullptr;        // the first of them
  T* data_ = nullptr;
};

using AnyArray =
    std::variant<Array<float>*, Array<double>*, Array<int>*, Array<unsigned>*, Array<long long>*,
                 Array<unsigned long long>*, Array<char>*, Array<std::uint8_t>*>;

// One computation of an operation: its arrays and its function. To construct one costs nothing:
// memory is allocated later.
class Computation {
 public:
  Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  virtual ~Computation() = default;

  virtual void fill(std::uint64_t seed) = 0;  // puts random data into `host` of the inputs
  virtual void expect() = 0;                  // computes the right results from `host`
  virtual void run(cudaStream_t stream) = 0;  // calls the function

  virtual std::string text() const = 0;  // "1000 x 777 floats"
  // What a program prints about a right result, one line or more.
  virtual std::string report() const { return text() + ", all equal to the CPU's result"; }
  // What a program prints of the results before they are checked, right or wrong.
  virtual std::string results() const { return ""; }
  virtual double work() const { return 0; }  // bytes to move or operations, for the rate
  // What element i belongs to, for messages about a wrong one: " (vectors 3 and 5)".
  virtual std::string place_of(std::size_t /*i*/) const { return ""; }
  // More facts about a wrong element (tests/support/facts.h), such as "given=no_roads".
  virtual std::string facts_of_wrong(std::size_t /*i*/, double /*right*/, double /*got*/) const {
    return "";
  }
  // What a message says about a wrong element after its value: " from x = 1, off by 9 ulp".
  virtual std::string about_wrong(std::size_t /*i*/, double /*got*/) const { return ""; }

  // For timed programs.
  virtual void before_timing() {}  // measures what only this operation prints, in notes()
  virtual void before_run() {}     // before each run that the CPU's clock times, not timed itself
  virtual std::vector<std::string> notes() const { return {}; }
  // Notes about the median times of the function and of the ceiling.
  virtual std::vector<std::string> notes_of_times(double /*own_ms*/, double /*ceiling_ms*/) const {
    return {};
  }
  virtual std::optional<MeasuredErrors> errors() const { return std::nullopt; }

  std::vector<AnyArray> arrays;
};

// call(array) for a pointer to each array of a computation.
template <typename Call>
void for_each_array(const Computation& computation, const Call& call) {
  for (const AnyArray& array : computation.arrays) std::visit(call, array);
}

// The arrays are members of a computation, `in{this, "in", rows * cols}`, and become pointers in a
// call: an input const T*, the others T*. `width`: elements in a row, for an array of rows.
template <typename T>
struct Input : Array<T> {
  Input(Computation* of, const char* name, std::size_t count, std::size_t width = 0)
      : Array<T>(name, Role::kInput, count, width) {
    of->arrays.push_back(this);
  }
  operator const T*() const { return this->data(); }
};
template <typename T>
struct Output : Array<T> {
  Output(Computation* of, const char* name, std::size_t count, std::size_t width = 0,
         int unwritten = 0xff)
      : Array<T>(name, Role::kOutput, count, width, unwritten) {
    of->arrays.push_back(this);
  }
  operator T*() const { return this->data(); }
};
// An input that the function overwrites with its output.
template <typename T>
struct InPlace : Array<T> {
  InPlace(Computation* of, const char* name, std::size_t count, std::size_t width = 0)
      : Array<T>(name, Role::kInPlace, count, width) {
    of->arrays.push_back(this);
  }
  operator T*() const { return this->data(); }
};
// An output outside the caller's arrays: what the function returns, or what is at the address that
// it returns. `read` gives its elements after a call.
template <typename T>
struct Returned : Array<T> {
  Returned(Computation* of, const char* name, std::size_t count,
           std::function<std::vector<T>()> read)
      : Array<T>(name, Role::kOutput, count, 0) {
    this->read_ = std::move(read);
    of->arrays.push_back(this);
  }
};
// Memory that the function uses; each byte is `unwritten` before the first call.
struct Workspace : Array<char> {
  Workspace(Computation* of, std::size_t bytes, int unwritten = 0xff,
            const char* name = "workspace")
      : Array<char>(name, Role::kWorkspace, bytes, 0, unwritten) {
    of->arrays.push_back(this);
  }
  operator void*() const { return data(); }
};

// What a computation is timed next to, in the same process: bytes or operations that take as little
// time as the hardware allows.
struct Yardstick {
  const char *text, *column;    // "plain copy", "copy"
  std::function<void()> queue;  // queues it once on the default stream
  std::function<double()> work;
};
// A copy of the first array in device memory, or of as many bytes there. For an array in place, the
// copy restores its data.
Yardstick plain_copy(Computation& computation);
// A kernel that reads as many bytes as the inputs have, and writes nothing.
Yardstick input_read(Computation& computation);
// A kernel that computes alone, and needs the address of one element: launch(unused, stream) queues
// it and returns the number of its operations.
template <typename T>
Yardstick arithmetic_alone(const char* text, const char* column,
                           double (*launch)(T* unused, cudaStream_t stream)) {
  const auto unused = std::make_shared<DeviceBuffer<T>>(1);
  const auto operations = std::make_shared<double>(0);
  return {text, column, [=] { *operations = launch(unused->data(), nullptr); },
          [=] { return *operations; }};
}

// A size that the command line can set.
struct Extent {
  const char *option, *meaning;  // "--rows R", "rows of the matrix"
  std::size_t most;
  std::size_t to_check, to_time;  // without the option; equal for an exercise that is not timed
  std::size_t least = 1;
  bool is_column = true;  // of the CSV table

  std::string name() const;  // "rows"
};

// An option with a few words to choose from. A shape has the number of the word; the first is the
// default.
struct Choice {
  const char* option;              // "--bits"
  std::vector<OptionHelp> values;  // {"--bits 32", "for floats"}
  bool is_column = true;
  bool is_size = false;  // a column among the sizes, which bench_sizes.csv can set

  std::string name() const;               // "bits"
  std::string word(std::size_t i) const;  // "32"
};

// Input that an option of the operation's own gives: a file, or numbers on the command line.
struct OwnInput {
  Shape shape;  // empty: as the other options say
  std::function<std::unique_ptr<Computation>(const Shape&)> make;
};

struct Operation {
  std::vector<Extent> extents;
  // Sizes for the tests; how these were chosen is a comment there. Without the choices, a shape has
  // the first one of each.
  std::vector<Shape> shapes;
  std::function<std::unique_ptr<Computation>(const Shape&)> make;
  std::function<Yardstick(Computation&)> ceiling;  // empty: it is not timed
  RateUnit unit = kGbPerS;

  // Rarely needed.
  std::vector<Choice> choices;
  bool with_each_choice = false;  // the tests take each shape with each choice
  bool one_for_all = false;       // an extent that is not given is equal to the first that is
  bool in_host_memory = false;    // the function works on the CPU: all arrays are in host memory
  int runs_on_cpu = 0;            // more than 0: timed by the CPU's clock, so many times, as are
                                  // computations in host memory
  int threads_extent = -1;        // the extent that is the number of threads of a block
  bool at_any_address = false;    // arrays may start at any element
  bool same_bits_twice = true;    // two calls give the same bits
  bool has_few_launches = true;   // 1 to 100, so that the tests can let each of them fail
  std::vector<Shape> in_turn;  // for the tests of one call after another; empty: some of `shapes`
  std::function<std::string(const Shape&)> case_name;  // empty: "3x5"
  std::function<Shape(const Shape&)> from_hidden;      // a teacher's shape in the order of extents
  std::vector<OptionHelp> own_options;
  std::function<std::optional<OwnInput>(Options&)> own_input;
  // Throws UsageError for what the program cannot do. The tests leave out such shapes.
  std::function<void(const Shape&)> refuse;
};

// Defined in the operation's file.
Operation describe_operation();

// The operation's `make`.
template <typename C>
std::unique_ptr<Computation> computes(const Shape& shape) {
  return std::make_unique<C>(shape);
}

// Shapes of an operation with one extent.
std::vector<Shape> shapes_of(const std::vector<std::size_t>& sizes);

// For programs and tests.

// The shape with the first of each choice. Throws std::logic_error if a description lacks a part.
Shape complete(const Operation& operation, Shape shape);
// Why the operation does not take this shape, or nothing.
std::optional<std::string> refusal_of(const Operation& operation, const Shape& shape);
// Whether no array of this computation is to be in device memory.
bool is_on_cpu(const Computation& computation);
// The result of the last run, compared with the right one: for each output its `result`. Throws
// std::logic_error if nothing checks an output.
void read_results(Computation& computation);
// Whether the results that were read are right.
bool is_right(const Computation& computation);
// Throws std::runtime_error, with "WRONG", unless these are right and the inputs have not changed.
void require_right(Computation& computation);

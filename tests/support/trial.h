#pragma once

#include "common/harness/operation.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// The description of the operation under test.
const Operation& operation_under_test();

// One computation of the operation under test. Its arrays end where their data ends, so that the
// simulator finds an access past them; on a GPU they lie between guard zones.
//
//   Trial trial({3, 3});
//   trial.set<float>("in", {1, 2, 3, 4, 5, 6, 7, 8, 9});
//   trial.run();
//   trial.expect_right();
class Trial {
 public:
  // With random data of this seed.
  explicit Trial(const Shape& shape, std::uint64_t seed = 1);

  // Gives an input other data, of the same size.
  template <typename T>
  void set(const std::string& name, std::vector<T> values);
  template <typename T>
  const std::vector<T>& input(const std::string& name);

  // Places the array with this number, in the order of the description, so many elements behind an
  // aligned address. Before the first run.
  void start_at(std::size_t array, std::size_t elements);
  // Leaves outputs, and a workspace that may have any content, as they are in new memory: the
  // simulator finds a read of them.
  void leave_outputs_unwritten() { fills_outputs_ = false; }
  // Works in another trial's memory of the same number of bytes, with what that trial left there.
  void use_workspace_of(Trial& other);

  // Calls the function. Fails the test if a launch failed unnoticed. The next run of the same trial
  // has the same data and new outputs, in the same memory.
  void run();
  // The same with all copies in this stream. Does not wait for it.
  void start_in(cudaStream_t stream);
  // Only the call, for tests of errors.
  void call();

  // Fails the test unless the outputs are right, and nothing else has changed.
  // The facts have the further `words` too (facts.h).
  void expect_right(const std::string& words = "");
  // The same without reading the outputs.
  void expect_nothing_else_changed();
  // The outputs of the last run.
  template <typename T>
  const std::vector<T>& output(const std::string& name);
  // All bytes of all outputs.
  std::vector<std::vector<unsigned char>> output_bytes();

  Computation& computation() { return *computation_; }

 private:
  template <typename T>
  Array<T>& array(const std::string& name);
  void place();
  void write(cudaStream_t stream);

  std::unique_ptr<Computation> computation_;
  std::vector<std::size_t> starts_;
  bool fills_outputs_ = true, is_placed_ = false, has_run_ = false;
};

// A shape's name as a test's case.
std::string case_of(const Shape& shape);
// The shape that tests of one size use, and those that are computed one after another.
Shape usual_shape();
std::vector<Shape> shapes_in_turn();

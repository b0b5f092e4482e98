#pragma once

#include "harness/operation.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Code that the programs of this chapter share.

struct Shape {
  int rows, cols;
  std::size_t size() const { return static_cast<std::size_t>(rows) * cols; }
  std::size_t bytes() const { return size() * sizeof(float); }
  std::string text() const { return std::to_string(rows) + " x " + std::to_string(cols); }
};

// The ceiling is a plain copy of the same bytes.
class MatrixProblem : public TimedProblem {
 public:
  using Asked = std::optional<Shape>;
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  static Sizes<Shape> sizes(const Asked& asked, bool is_timed);
  static MemoryNeed memory_need(const Shape& shape, bool is_timed);

  MatrixProblem(const Operation& operation, const Shape& shape, std::uint64_t seed);
  void run() override;
  std::string check() override;
  Timings time() override;
  Measurement measurement(const Timings& timings) const override;

 private:
  Operation operation_;
  Shape shape_;
  std::vector<float> h_in_;
  DeviceBuffer<float> d_in_, d_out_;
};

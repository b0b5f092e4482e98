#pragma once

#include "common/device_buffer.h"

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

// element(0), element(1), ...
template <typename T, typename Function>
std::vector<T> generated(int count, Function element) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = element(i);
  return values;
}

// Integers from 0 to 999, in no simple order. Float sums of a few thousand of them are exact.
template <typename T>
std::vector<T> whole_numbers(int count) {
  return generated<T>(count, [](int i) { return static_cast<T>((i * 7919LL + 13) % 1000); });
}

// Elements of any type with different bytes, for kernels that only move them.
template <typename T>
std::vector<T> patterned(int count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>((i * 2654435761u) >> 11);
  }
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <typename T>
std::vector<T> zeros(int count) {
  return std::vector<T>(static_cast<std::size_t>(count), T{});
}

// All bytes are 0xff, which no kernel stores.
template <typename T>
std::vector<T> unwritten(int count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0) std::memset(static_cast<void*>(values.data()), 0xff, values.size() * sizeof(T));
  return values;
}

// Throws std::runtime_error unless all elements are bitwise equal.
template <typename T>
void expect_equal(const std::vector<T>& actual, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&actual.at(i), &expected[i], sizeof(T)) != 0) {
      throw std::runtime_error("element " + std::to_string(i) + " of the result is wrong");
    }
  }
}

// launch(out) on the device must change `out` like thread(out, i) on the host, for each thread i,
// one after the other.
template <typename Out, typename Launch, typename Thread>
void check_result(std::vector<Out> out, int threads, Launch launch, Thread thread) {
  DeviceBuffer<Out> d_out(out);
  launch(d_out.data());
  CUDA_CHECK(cudaGetLastError());
  for (int i = 0; i < threads; ++i) thread(out.data(), i);
  expect_equal(d_out.to_host(), out);
}

// The same for launch(in, out) and thread(in, out, i).
template <typename In, typename Out, typename Launch, typename Thread>
void check(const std::vector<In>& in, const std::vector<Out>& out, int threads, Launch launch,
           Thread thread) {
  const DeviceBuffer<In> d_in(in);
  check_result(
      out, threads, [&](Out* d_out) { launch(d_in.data(), d_out); },
      [&](Out* expected, int i) { thread(in.data(), expected, i); });
}

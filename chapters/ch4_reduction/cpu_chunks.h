#pragma once

#include <cstddef>
#include <thread>
#include <vector>

// Calls work(chunk, first, last) for `threads` chunks of 0..size, of nearly equal length, each on a
// thread of its own; the last one on the caller's. Starting a thread takes some 20 us, which is
// little beside the milliseconds that large arrays need, and is part of the time.
template <typename Work>
void for_each_chunk(std::size_t size, unsigned threads, const Work& work) {
  const auto run = [&](unsigned chunk) {
    const std::size_t share = size / threads, more = size % threads;
    const std::size_t first = chunk * share + (chunk < more ? chunk : more);
    work(chunk, first, first + share + (chunk < more ? 1 : 0));
  };
  std::vector<std::thread> others;
  for (unsigned chunk = 0; chunk + 1 < threads; ++chunk) others.emplace_back(run, chunk);
  run(threads - 1);
  for (std::thread& other : others) other.join();
}

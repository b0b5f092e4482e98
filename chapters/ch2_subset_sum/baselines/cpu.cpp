#include "baselines/cpu.h"

#include "common/ceil_div.h"
#include "common/harness/cpu_baseline.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>

namespace {

constexpr std::size_t kBits = 64;  // bits per word

// Computes made[w - first], word w of the column with the item, for w from first to last - 1.
void add_item(const std::uint64_t* __restrict__ before, std::uint64_t* __restrict__ made,
              std::size_t first, std::size_t last, int item) {
  const std::size_t words = static_cast<std::size_t>(item) / kBits;
  const auto bits = static_cast<unsigned>(item) % kBits;
  std::size_t w = first;
  for (; w < last && w < words; ++w) made[w - first] = before[w];  // no sum is that small
  if (w < last && w == words) {
    made[w - first] = before[w] | before[0] << bits;  // no word below
    ++w;
  }
  if (bits == 0) {
    for (; w < last; ++w) made[w - first] = before[w] | before[w - words];
  } else {
    for (; w < last; ++w) {
      made[w - first] =
          before[w] | before[w - words] << bits | before[w - words - 1] >> (kBits - bits);
    }
  }
}

// Works in place, from the end: the words that are read later lie below the words already written.
void add_item_in_place(std::vector<std::uint64_t>& column, int item) {
  constexpr std::size_t kChunk = 512;  // words, 4 KB: in the fastest cache
  std::uint64_t made[kChunk];
  for (std::size_t last = column.size(); last > 0;) {
    const std::size_t first = last > kChunk ? last - kChunk : 0;
    add_item(column.data(), made, first, last, item);
    std::copy(made, made + (last - first), column.begin() + static_cast<std::ptrdiff_t>(first));
    last = first;
  }
}

// A barrier of CPU threads. They poll, because an item takes less time than a thread's wake-up.
class Barrier {
 public:
  explicit Barrier(unsigned threads) : threads_(threads) {}
  void wait() {
    const unsigned phase = phase_.load();
    if (arrived_.fetch_add(1) + 1 == threads_) {
      arrived_ = 0;
      ++phase_;
    } else {
      while (phase_.load() == phase) std::this_thread::yield();
    }
  }

 private:
  const unsigned threads_;
  std::atomic<unsigned> arrived_{0}, phase_{0};
};

}  // namespace

std::vector<std::uint64_t> subset_sum_on_cpu(const std::vector<int>& items, int target,
                                             unsigned threads) {
  const std::size_t words = ceil_div(static_cast<std::size_t>(target) + 1, kBits);
  std::vector<std::uint64_t> column(words);
  column[0] = 1;
  if (threads == 1) {
    for (const int item : items) add_item_in_place(column, item);
  } else {
    std::vector<std::uint64_t> next(words);
    Barrier barrier(threads);
    for_each_chunk(words, threads, [&](unsigned, std::size_t first, std::size_t last) {
      std::uint64_t *from = column.data(), *to = next.data();
      for (const int item : items) {
        add_item(from, to + first, first, last, item);
        std::swap(from, to);
        barrier.wait();
      }
    });
    if (items.size() % 2 == 1) column.swap(next);
  }
  const std::size_t in_last = static_cast<std::size_t>(target) % kBits + 1;
  column.back() &= ~std::uint64_t{0} >> (kBits - in_last);  // no sums past the target
  return column;
}

std::vector<std::uint8_t> column_bytes(const std::vector<std::uint64_t>& column) {
  std::vector<std::uint8_t> bytes(column.size() * sizeof(std::uint64_t));
  std::memcpy(bytes.data(), column.data(), bytes.size());  // little-endian, like every CUDA host
  return bytes;
}

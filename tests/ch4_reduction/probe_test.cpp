#include "chapters/ch4_reduction/reduction.h"

#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "common/harness/read_probe.h"
#include "tests/support/device_test.h"

#include <cstdint>
#include <cstring>
#include <numeric>

namespace {

constexpr unsigned kUnlikely = 0x9e3779b9;  // the probe writes it if a thread has these bits

std::vector<double> doubles_of(const std::vector<std::uint32_t>& words) {
  std::vector<double> doubles(words.size() / 2);
  std::memcpy(doubles.data(), words.data(), doubles.size() * sizeof(double));
  return doubles;
}

class ReadProbeOnce : public DeviceTest {
 protected:
  // Two tiles of 2048 vectors, the second with one of them, and a double without a partner.
  static constexpr std::size_t kSize = 4099;

  // The word that the probe leaves in the workspace, which was 0, after it has read random words.
  // One of them is set so that the exclusive or of all words of one thread is kUnlikely.
  static unsigned written(const std::vector<std::size_t>& words_of_thread) {
    std::vector<std::uint32_t> words(2 * kSize);
    RandomBits bits(/*seed=*/7);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(bits());
    std::uint32_t all = kUnlikely;
    for (const std::size_t i : words_of_thread) all ^= words[i];
    words[words_of_thread.front()] ^= all;
    const DeviceBuffer<double> d_in(doubles_of(words));
    DeviceBuffer<unsigned> d_unused(1);
    d_unused.fill_bytes(0);
    read_probe(d_in.data(), kSize, d_unused.data());
    return d_unused.to_host().front();
  }
};

// The probe uses every word, because a compiler would leave out an unused load.
TEST_F(ReadProbeOnce, UsesAllThatAThreadReads) {
  std::vector<std::size_t> first_thread;  // four vectors, 512 apart, of four words each
  for (const std::size_t vector : {0, 512, 1024, 1536}) {
    for (std::size_t word = 0; word < 4; ++word) first_thread.push_back(4 * vector + word);
  }
  first_thread.push_back(2 * kSize - 1);  // and the upper half of the last double
  EXPECT_EQ(written(first_thread), kUnlikely);

  std::vector<std::size_t> last_thread;
  for (const std::size_t vector : {511, 1023, 1535, 2047}) {
    for (std::size_t word = 0; word < 4; ++word) last_thread.push_back(4 * vector + word);
  }
  EXPECT_EQ(written(last_thread), kUnlikely);

  std::vector<std::size_t> second_block(4);
  std::iota(second_block.begin(), second_block.end(), 4 * 2048);
  EXPECT_EQ(written(second_block), kUnlikely);
}

class ReadProbe : public DeviceTest, public testing::WithParamInterface<std::size_t> {};

// claims.csv shows that it reads every element; the simulator finds all other reads.
TEST_P(ReadProbe, ChangesNothing) {
  const std::vector<double> h_in = random_doubles(GetParam(), /*seed=*/1);
  const std::vector<char> h_workspace(kWorkspaceBytes, 42);
  const DeviceBuffer<double> d_in(h_in);
  DeviceBuffer<char> d_workspace(h_workspace);

  read_probe(d_in.data(), h_in.size(), d_workspace.data());

  EXPECT_EQ(d_in.to_host(), h_in);
  EXPECT_EQ(d_workspace.to_host(), h_workspace);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ReadProbe, testing::Values(0, 1, 2, 255, 2047, 2048, 2049, 100003));

}  // namespace

#include "chapters/ch4_reduction/block_size.h"
#include "chapters/ch4_reduction/harness/reference.h"
#include "tests/ch4_reduction/reduction_tests.h"

#include "common/ceil_div.h"
#include "common/harness/format.h"

namespace {

template <int kThreads>
void run(const double* d_in, double* d_sum, std::size_t size, void*, cudaStream_t stream) {
  log_likelihood_by_blocks(d_in, d_sum, size, kThreads, stream);
}

// At most ten steps of a tree, and an atomic addition per block.
template <int kThreads>
double tolerance(std::size_t size) {
  return sum_tolerance(10 + ceil_div(size, std::size_t{kThreads}));
}

template <int kThreads>
constexpr Operation by_blocks_of{run<kThreads>, log_likelihood_output, tolerance<kThreads>};

class AnyBlockSize : public DeviceTest, public testing::WithParamInterface<int> {};

TEST_P(AnyBlockSize, MatchesReference) {
  const int threads = GetParam();
  for (const std::size_t size : {0, 1, 2, 99, 1000, 3001}) {
    const std::vector<double> h_in = random_doubles(size, /*seed=*/size);
    const DeviceBuffer<double> d_in(h_in);
    DeviceBuffer<double> d_sum(1);
    d_sum.fill_bytes(0xff);

    log_likelihood_by_blocks(d_in.data(), d_sum.data(), size, threads);

    const double expected = log_likelihood_reference(h_in.data(), size);
    const double bound = sum_tolerance(10 + ceil_div(size, static_cast<std::size_t>(threads)));
    EXPECT_TRUE(right_or_fact(!find_mismatch(d_sum.to_host(), {expected}, bound),
                              format("result=wrong size=%zu threads=%d", size, threads)))
        << size << " doubles by blocks of " << threads << ": expected " << printed(expected, 17)
        << ", got " << printed(d_sum.to_host().front(), 17);
  }
}

// One; powers of two and their neighbours; odd, and odd after some halving; the most there can be.
INSTANTIATE_TEST_SUITE_P(Threads, AnyBlockSize,
                         testing::Values(1, 2, 3, 5, 31, 32, 33, 64, 96, 100, 127, 200, 255, 257,
                                         1000, 1023, 1024));

}  // namespace

const Operation operation_under_test = by_blocks_of<200>;

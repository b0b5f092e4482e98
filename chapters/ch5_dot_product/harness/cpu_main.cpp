#include "baselines/cpu.h"
#include "dot_product.h"
#include "harness/program.h"
#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"

#include <cstdio>

int main(int argc, char** argv) {
  const auto run = [](const Program& program, std::optional<std::size_t> asked) {
    const unsigned threads = cpu_threads();
    const std::size_t size = asked.value_or(program.is_timed ? kTimedSize : kCheckSize);
    require_memory_for(size, program.device);  // for the probe
    const HostVector a(size, /*seed=*/1, threads), b(size, /*seed=*/2, threads);
    const DotReference reference = dot_product_reference(a.data(), b.data(), size);
    const Expected expected{
        reference.dot, dot_tolerance(cpu_longest_chain(size, threads), size, reference.magnitude)};
    const auto compute = [&] {
      expected.check(dot_product_on_cpu(a.data(), b.data(), size, threads),
                     format("two vectors of %zu doubles", size));
    };
    compute();
    if (!program.prints_csv) {
      std::printf("%s: two vectors of %zu doubles on %u thread(s) of the CPU, all right\n",
                  program.name.c_str(), size, threads);
    }
    if (program.is_timed) {
      print_measurement(program,
                        measurement(size, time_on_cpu(compute), DeviceVectors(a, b).time_probe()));
    }
  };
  return run_with_size(argc, argv, kMaxSize, "how many doubles a vector", run);
}

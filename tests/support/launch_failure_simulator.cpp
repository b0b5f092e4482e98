#include "tests/support/launch_failure.h"

#include "cuda_simulator.h"

bool fail_launch(int number) {
  cuda_simulator::fail_launch(number);
  return true;
}

bool take_launch_failure() { return cuda_simulator::fail_launch(0); }

bool set_peer_access(bool is_possible) {
  cuda_simulator::set_peer_access(is_possible);
  return true;
}

void limit_launches(std::uint64_t count) { cuda_simulator::limit_launches(count); }

LaunchesSeen take_launches() {
  const cuda_simulator::Launches launches = cuda_simulator::take_launches();
  // As on a GPU, nothing is known about the kernels of a library.
  const bool is_known = launches.is_known && (launches.count > 0 || !launches.by_library);
  LaunchesSeen seen{is_known, launches.count, launches.grid, launches.block, {},
                    launches.ran_out};
  for (const auto& [text, why] : launches.refusals) seen.refusals.push_back({text, why});
  return seen;
}

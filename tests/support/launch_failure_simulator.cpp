#include "tests/support/launch_failure.h"

#include "simulator/faults.h"
#include "simulator/launches.h"

#include <utility>

bool fail_launch(int number) {
  cuda_simulator::fail_launch(number);
  return true;
}

LaunchesSeen take_launches() {
  cuda_simulator::Launches launches = cuda_simulator::take_launches();
  return {launches.is_known, launches.count, launches.grid, launches.block, std::move(launches.refusals)};
}

#include "tests/support/launch_failure.h"

#include "simulator/faults.h"

bool fail_next_launch() {
  cuda_simulator::fail_launch(1);
  return true;
}

#include "tests/support/launch_failure.h"

#include "simulator/faults.h"

bool fail_launch(int number) {
  cuda_simulator::fail_launch(number);
  return true;
}

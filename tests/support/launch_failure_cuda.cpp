#include "tests/support/launch_failure.h"

bool fail_next_launch() { return false; }

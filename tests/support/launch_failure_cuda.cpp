#include "tests/support/launch_failure.h"

bool fail_launch(int) { return false; }

LaunchesSeen take_launches() { return {}; }

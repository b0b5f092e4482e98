#include "tests/support/launch_failure.h"

bool fail_launch(int) { return false; }

bool take_launch_failure() { return false; }

bool set_peer_access(bool) { return false; }

void limit_launches(std::uint64_t) {}

LaunchesSeen take_launches() { return {}; }

#include "tests/support/device_findings.h"

std::string take_device_findings() { return ""; }

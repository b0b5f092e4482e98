#include "tests/support/device_findings.h"

#include "simulator/findings.h"

std::string take_device_findings() {
  std::string text;
  for (const cuda_simulator::Finding& finding : cuda_simulator::take_findings()) {
    text += finding.kind + ": " + cuda_simulator::describe(finding);
  }
  return text;
}

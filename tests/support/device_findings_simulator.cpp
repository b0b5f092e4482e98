#include "tests/support/device_findings.h"

#include "simulator/findings.h"

DeviceFindings take_device_findings() {
  DeviceFindings found;
  for (const cuda_simulator::Finding& finding : cuda_simulator::take_findings()) {
    found.text += finding.kind + ": " + cuda_simulator::describe(finding);
    found.facts.push_back(facts_of(finding));
  }
  return found;
}

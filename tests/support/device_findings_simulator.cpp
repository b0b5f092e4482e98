#include "tests/support/device_findings.h"

#include "simulator/findings.h"
#include "simulator/last_stores.h"

DeviceFindings take_device_findings() {
  DeviceFindings found;
  std::string list;
  for (const cuda_simulator::Finding& finding : cuda_simulator::take_findings()) {
    found.text += finding.kind + ": " + cuda_simulator::describe(finding);
    found.facts.push_back(facts_of(finding));
    list += (list.empty() ? "" : ",") + cuda_simulator::as_json(finding);
  }
  found.json = "[" + list + "]";
  return found;
}

std::vector<std::string> writers_of(const void* array, std::size_t array_bytes,
                                    std::size_t element_bytes, std::size_t first,
                                    std::size_t count) {
  return cuda_simulator::writers_of({array, array_bytes, element_bytes, first, count});
}

#include "tests/support/device_findings.h"

#include "cuda_simulator.h"

namespace {

DeviceFindings as_text(const std::vector<cuda_simulator::Finding>& findings) {
  DeviceFindings found;
  std::string list;
  for (const cuda_simulator::Finding& finding : findings) {
    found.text += finding.kind + ": " + cuda_simulator::describe(finding);
    found.facts.push_back(facts_of(finding));
    list += (list.empty() ? "" : ",") + cuda_simulator::as_json(finding);
  }
  found.json = "[" + list + "]";
  return found;
}

}  // namespace

DeviceFindings take_device_findings() { return as_text(cuda_simulator::take_findings()); }

bool finds_accesses_outside() { return true; }

DeviceFindings take_refused_copies() { return as_text(cuda_simulator::take_refused_copies()); }

std::vector<std::string> writers_of(const void* array, std::size_t array_bytes,
                                    std::size_t element_bytes, std::size_t first,
                                    std::size_t count) {
  return cuda_simulator::writers_of({array, array_bytes, element_bytes, first, count});
}

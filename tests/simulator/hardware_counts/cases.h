#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

// A small kernel whose memory requests a GPU's profiler and the simulator both count.
struct Case {
  std::string name;         // one word, or FAMILY/N such as "load_stride/3"; docs show the family
  std::string description;  // what the kernel does; the same for all of a family
  std::function<void()>
      run;  // launches one kernel; throws std::runtime_error if its result is wrong
};

// Adds a case to the list of its file, where the kernel is.
struct Added {
  Added(std::vector<Case>& cases, Case entry) { cases.push_back(std::move(entry)); }
};

// FAMILY/N for each N of `members`; run(N) is the case.
template <typename Run>
void add_family(std::vector<Case>& cases, const std::string& family, const std::string& description,
                const std::vector<int>& members, Run run) {
  for (const int n : members) {
    cases.push_back({family + "/" + std::to_string(n), description, [=] { run(n); }});
  }
}

std::vector<Case> global_memory_cases();
std::vector<Case> element_type_cases();
std::vector<Case> shared_memory_cases();
std::vector<Case> shared_lane_cases();
std::vector<Case> branch_cases();
std::vector<Case> loop_cases();
std::vector<Case> atomic_cases();
std::vector<Case> atomic_lane_cases();
std::vector<Case> matrix_kernel_cases();
std::vector<Case> vector_kernel_cases();
std::vector<Case> structure_cases();
std::vector<Case> control_flow_cases();
std::vector<Case> shared_use_cases();
std::vector<Case> atomic_kind_cases();
std::vector<Case> everyday_kernel_cases();

#include "cases.h"
#include "common/harness/device_info.h"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr const char* kUsage =
    "Usage: hardware_counts [--list | --device | CASE...]\n"
    "Runs all cases in the order of --list, or the named ones; each launches one kernel and "
    "checks\n"
    "its result. compare.py counts their memory requests.\n";

struct Group {
  std::string title;
  std::vector<Case> cases;
};

std::vector<Group> all_groups() {
  return {{"Global memory: which addresses", global_memory_cases()},
          {"Global memory: which types", element_type_cases()},
          {"Shared memory: which words", shared_memory_cases()},
          {"Shared memory: which lanes", shared_lane_cases()},
          {"Branches", branch_cases()},
          {"Loops", loop_cases()},
          {"Atomic functions: which addresses", atomic_cases()},
          {"Atomic functions: which lanes", atomic_lane_cases()},
          {"Whole kernels: matrices", matrix_kernel_cases()},
          {"Whole kernels: vectors", vector_kernel_cases()},
          {"Everyday code: structures", structure_cases()},
          {"Everyday code: branches, loops, blocks", control_flow_cases()},
          {"Everyday code: shared memory", shared_use_cases()},
          {"Everyday code: atomic functions", atomic_kind_cases()},
          {"Everyday code: whole kernels", everyday_kernel_cases()}};
}

// One line per case: group, name and description, separated by tabs.
void print_list(const std::vector<Group>& groups) {
  for (const Group& group : groups) {
    for (const Case& entry : group.cases) {
      std::cout << group.title << '\t' << entry.name << '\t' << entry.description << '\n';
    }
  }
}

void print_device() {
  const DeviceInfo device = require_device();
  std::cout << "device,driver,cuda\n"
            << device.name << ',' << device.driver << ',' << device.cuda << '\n';
}

// Prints an error and returns false if the case fails.
bool passes(const Case& entry) {
  try {
    entry.run();
    return true;
  } catch (const std::exception& error) {
    std::cerr << entry.name << ": " << error.what() << '\n';
    return false;
  }
}

// An empty name selects all cases. Prints an error and returns nothing for an unknown name.
std::vector<Case> selected(const std::vector<Group>& groups, const std::string& name) {
  std::vector<Case> chosen;
  for (const Group& group : groups) {
    for (const Case& entry : group.cases) {
      if (name.empty() || entry.name == name) chosen.push_back(entry);
    }
  }
  if (chosen.empty()) {
    std::cerr << "There is no case '" << name << "'; --list prints all cases.\n" << kUsage;
  }
  return chosen;
}

int run(std::vector<std::string> arguments) {
  const std::vector<Group> groups = all_groups();
  if (arguments == std::vector<std::string>{"--list"}) {
    print_list(groups);
    return 0;
  }
  if (arguments == std::vector<std::string>{"--device"}) {
    print_device();
    return 0;
  }
  if (arguments.empty()) arguments = {""};
  std::vector<Case> cases;
  for (const std::string& name : arguments) {
    const std::vector<Case> chosen = selected(groups, name);
    if (chosen.empty()) return 2;
    cases.insert(cases.end(), chosen.begin(), chosen.end());
  }
  require_device();
  int wrong = 0;
  for (const Case& entry : cases) wrong += passes(entry) ? 0 : 1;
  std::cout << cases.size() - static_cast<std::size_t>(wrong) << " of " << cases.size()
            << " cases give the correct result.\n";
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

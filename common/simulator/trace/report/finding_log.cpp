#include "trace/report/finding_log.h"

#include "program/environment.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace cuda_simulator {
namespace {

// The properties that make two findings equal: kind, kernel and source positions, but not the
// thread or the address.
std::string identity(const Finding& finding) {
  std::string text = finding.kind + '|' + finding.kernel;
  for (const Finding::Place& place : finding.places) {
    text +=
        '|' + place.file + ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
  }
  return text;
}

// Whether a comment at one of the finding's lines says that it is meant: `// accept: race`. Only
// for findings after which a kernel continues, and only in a learner's own programs.
bool is_accepted(const Finding& finding) {
  if (finding.kind != "race" && finding.kind != "stream_race" && finding.kind != "host_race" &&
      finding.kind != "uninitialised")
    return false;
  if (!environment_switch("CUDA_SIMULATOR_OWN_PROGRAM", false)) return false;
  const auto accepts = [&](const Finding::Place& place) {
    const std::string line = source_line(place);
    const std::size_t comment = line.find("//");
    return comment != std::string::npos &&
           line.find("accept: " + finding.kind, comment) != std::string::npos;
  };
  const auto place = std::find_if(finding.places.begin(), finding.places.end(), accepts);
  if (place == finding.places.end()) return false;
  std::fprintf(stderr, "CUDA simulator: %s: accepted by the comment in %s.\n", finding.kind.c_str(),
               SourcePosition{place->file, place->line, place->column}.text().c_str());
  return true;
}

}  // namespace

std::string coordinates(const unsigned (&index)[3]) {
  return "(" + std::to_string(index[0]) + "," + std::to_string(index[1]) + "," +
         std::to_string(index[2]) + ")";
}

std::string index_word(const unsigned (&index)[3]) {
  std::string word = std::to_string(index[0]);
  if (index[1] != 0 || index[2] != 0) word += ":" + std::to_string(index[1]);
  return index[2] != 0 ? word + ":" + std::to_string(index[2]) : word;
}

std::string source_line(const Finding::Place& place) {
  std::ifstream file(place.file);
  std::string line;
  for (int number = 0; number < place.line && std::getline(file, line);) ++number;
  return line;
}

FindingLog& FindingLog::get() {
  static FindingLog& log = *new FindingLog;  // never destroyed: the report at exit reads it
  return log;
}

std::size_t FindingLog::add(Finding finding) {
  const auto [found, is_new] = index_by_identity_.emplace(identity(finding), findings_.size());
  if (is_new) {
    std::fflush(stdout);
    if (is_accepted(finding)) found->second = kAccepted;
  }
  if (found->second == kAccepted) return kAccepted;
  if (is_new) {
    std::fprintf(stderr, "CUDA simulator: %s", describe(finding).c_str());
    findings_.push_back(std::move(finding));
  } else {
    ++findings_[found->second].count;
  }
  return found->second;
}

bool FindingLog::add_repeat(const Key& key) {
  const auto found = index_by_key_.find(key);
  if (found == index_by_key_.end()) return false;
  if (found->second != kAccepted) ++findings_[found->second].count;
  return true;
}

std::vector<Finding> FindingLog::take() {
  index_by_identity_.clear();
  index_by_key_.clear();
  return std::exchange(findings_, {});
}

std::vector<Finding> take_findings() { return FindingLog::get().take(); }

std::string describe(const Finding& finding) {
  std::string text =
      finding.kernel.empty() ? finding.message : finding.kernel + ": " + finding.message;
  text += '\n';
  for (const Finding::Place& place : finding.places) {
    text +=
        "  " + SourcePosition{place.file, place.line, place.column}.text() + "  " + place.operation;
    if (place.in_kernel) {
      text += " by thread " + coordinates(place.thread) + " of block " + coordinates(place.block);
    }
    text += '\n';
  }
  return text;
}

std::string facts_of(const Finding& finding) {
  std::string words = "finding=" + finding.kind;
  for (const Finding::Place& place : finding.places) {
    words += " access=" + place.operation;
    if (place.in_kernel) {
      words += " thread=" + index_word(place.thread) + " block=" + index_word(place.block);
    }
  }
  if (!finding.facts.empty()) words += " " + finding.facts;
  const std::string kernel = finding.kernel.substr(0, finding.kernel.find('<'));
  return kernel.empty() ? words : words + " kernel=" + kernel;
}

}  // namespace cuda_simulator

#include "marked_kernels.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <utility>

#include "tests/simulator/expect_findings.h"

namespace {

namespace kind = cuda_simulator::finding_kind;

const char* const kNothing = "nothing";
const char* const kMissed = "missed";
const char* const kWarning = "warning";
const char* const kCudaError = "cuda_error";

// The kinds of findings, and the error that each of them leaves.
const std::map<std::string, cudaError_t>& kinds() {
  static const std::map<std::string, cudaError_t> errors = {
      {kNothing, cudaSuccess},
      {kMissed, cudaSuccess},
      {kWarning, cudaSuccess},
      {kCudaError, cudaSuccess},
      {kind::kRefusedCopy, cudaSuccess},
      {kind::kOutOfBounds, cudaErrorIllegalAddress},
      {kind::kArrayIndex, cudaErrorIllegalAddress},
      {kind::kFreedMemory, cudaErrorIllegalAddress},
      {kind::kNullPointer, cudaErrorIllegalAddress},
      {kind::kHostPointer, cudaErrorIllegalAddress},
      {kind::kMisaligned, cudaErrorMisalignedAddress},
      {kind::kRace, cudaSuccess},
      {kind::kUninitialised, cudaSuccess},
      {kind::kBarrier, cudaSuccess},
      {kind::kDeadlock, cudaErrorLaunchTimeout},
      {kind::kAssert, cudaErrorAssert},
      {kind::kException, cudaErrorLaunchFailure},
      {kind::kGroup, cudaErrorLaunchFailure},
      {kind::kAsyncCopy, cudaErrorLaunchFailure},
      {kind::kTexture, cudaErrorLaunchFailure},
      {kind::kLaunchInKernel, cudaErrorNotSupported},
  };
  return errors;
}

// Findings after which the simulator ends the program.
bool ends_program(const std::string& of_kind) {
  return of_kind == kind::kStackOverflow || of_kind == kind::kDevicePointerOnHost;
}

bool is_at(const Mark& mark, const Finding& finding, const Finding::Place& place) {
  return finding.kind == mark.kind && place.line == mark.line &&
         place.in_kernel != finding.kernel.empty() &&
         (mark.times == 0 || finding.count == mark.times) &&
         (mark.operation.empty() || place.operation == mark.operation) &&
         (!mark.thread ||
          (index_of(place.thread) == *mark.thread && index_of(place.block) == mark.block));
}

// A call that failed, "file.cu:48: cudaFree(d_in): cudaErrorInvalidValue: ...", as a finding.
Finding as_finding(const CudaError& error) {
  const std::string text = error.what();
  const std::size_t colon = text.find(':');
  Finding finding;
  finding.kind = kCudaError;
  finding.message = text;
  finding.places.resize(1);
  finding.places[0].file = text.substr(0, colon);
  finding.places[0].line = std::stoi(text.substr(colon + 1));
  finding.places[0].in_kernel = false;
  return finding;
}

// The warnings in the simulator's output, as findings.
std::vector<Finding> warnings_in(const std::string& output) {
  static const std::regex form(
      R"(Warning: (\w+): (.*)\n  (\S+):(\d+):\d+  (\w+) by thread \((\d+),(\d+),(\d+)\))");
  std::vector<Finding> warnings;
  for (std::sregex_iterator found(output.begin(), output.end(), form), end; found != end; ++found) {
    const auto number = [&](int group) {
      return static_cast<unsigned>(std::stoul((*found)[group]));
    };
    Finding::Place place{(*found)[3],
                         static_cast<int>(number(4)),
                         0,
                         (*found)[5],
                         {number(6), number(7), number(8)}};
    warnings.push_back({kWarning, (*found)[1], (*found)[2], {place}});
  }
  return warnings;
}

bool contains(const Finding& finding, const std::string& words) {
  const std::string text = "\n" + finding.message + "\n" + facts_of(finding) + "\n";
  static const std::regex dots(R"(\.\.\.)");
  std::size_t from = 0;
  for (std::sregex_token_iterator part(words.begin(), words.end(), dots, -1), end; part != end;
       ++part) {
    const std::size_t found = text.find(part->str(), from);
    if (found == std::string::npos) return false;
    from = found + static_cast<std::size_t>(part->length());
  }
  return true;
}

// A finding's places must have the order of the marks.
void expect_marked(const std::vector<Finding>& findings, const std::vector<Mark>& marks,
                   const std::string& path) {
  std::vector<bool> is_found(marks.size());
  for (const Finding& finding : findings) {
    std::size_t next = 0;
    for (const Finding::Place& place : finding.places) {
      while (next < marks.size() && !is_at(marks[next], finding, place)) ++next;
      if (next < marks.size() && file_name(place.file) == file_name(path)) {
        is_found[next] = true;
        continue;
      }
      ADD_FAILURE() << place.file << ":" << place.line << ": '" << finding.kind << " "
                    << place.operation << "', " << finding.count
                    << " times, is found here, but no mark states it in this order:\n"
                    << describe(finding);
      break;
    }
  }
  for (std::size_t i = 0; i < marks.size(); ++i) {
    EXPECT_TRUE(is_found[i]) << path << ":" << marks[i].line << ": no '" << marks[i].kind << " "
                             << marks[i].operation << "' is found as this mark states";
  }
}

// Runs one variant, which must leave the device with `error`.
std::vector<Finding> findings_of(const MarkedCase& one, bool right, cudaError_t error) {
  DeviceBuffer<int> d_in(1024), d_out(1024), d_count(16);
  for (DeviceBuffer<int>* d_buffer : {&d_in, &d_out, &d_count}) d_buffer->fill_bytes(0);
  std::vector<Finding> findings;
  testing::internal::CaptureStderr();
  try {
    one.launch({d_in.data(), d_out.data(), d_count.data()}, right);
  } catch (const CudaError& failed) {
    cudaGetLastError();
    // An error of the kernel has a finding that says more.
    if (error == cudaSuccess) findings.push_back(as_finding(failed));
  }
  const std::string output = testing::internal::GetCapturedStderr();
  std::fputs(output.c_str(), stderr);
  for (const Finding& warning : warnings_in(output)) findings.push_back(warning);
  EXPECT_EQ(cudaDeviceSynchronize(), error);
  if (error != cudaSuccess) expect_device_lost(error);
  const std::vector<Finding> refused = cuda_simulator::take_refused_copies();
  if (!refused.empty()) findings = refused;
  for (const Finding& finding : take_findings()) findings.push_back(finding);
  return findings;
}

}  // namespace

Launch launch(void (*kernel)(int* out, bool right), int blocks, int block_threads,
              std::size_t shared_bytes) {
  return [=](Buffers d, bool right) {
    void* arguments[] = {&d.out, &right};
    CUDA_CHECK(cudaLaunchKernel(kernel, dim3(blocks), dim3(block_threads), arguments, shared_bytes,
                                nullptr));
  };
}

Launch launch(void (*kernel)(int* in, int* out, bool right), int blocks, int block_threads) {
  return [=](Buffers d, bool right) {
    void* arguments[] = {&d.in, &d.out, &right};
    CUDA_CHECK(cudaLaunchKernel(kernel, dim3(blocks), dim3(block_threads), arguments, 0, nullptr));
  };
}

testing::internal::ParamGenerator<MarkedKernel> marked_kernels(std::vector<MarkedFile> files) {
  std::vector<MarkedKernel> kernels;
  for (MarkedFile& file : files) {
    const auto of_file = std::make_shared<const MarkedFile>(std::move(file));
    for (const MarkedCase& one : of_file->cases) kernels.push_back({of_file, one});
  }
  return testing::ValuesIn(kernels);
}

std::string report_at_end(const std::function<void()>& statement, const std::string& words) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // the name is read before main()
  const std::string name =
      testing::TempDir() + std::string(program_invocation_short_name) + ".json";
  setenv("CUDA_SIMULATOR_REPORT", name.c_str(), 1);
  EXPECT_EXIT(statement(), testing::ExitedWithCode(1), words);
  unsetenv("CUDA_SIMULATOR_REPORT");
  std::ifstream file(name);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::remove(name.c_str());
  return text;
}

TEST_P(MarkedKernels, AreFound) {
  const auto& [file, the_case] = GetParam();
  for (const bool right : {true, false}) {
    SCOPED_TRACE(right ? "the right kernel" : "the wrong kernel");
    std::vector<Mark> marks = marks_of(*file, the_case, right);
    ASSERT_TRUE(right || !marks.empty()) << file->path << ": no mark belongs to this case";
    const std::string kind = marks.empty() ? kNothing : marks[0].kind;
    if (ends_program(kind)) {
      const std::string words = the_case.text + ".*" + file_name(file->path) + ":" +
                                std::to_string(marks[0].line) + ":[0-9]+  " + marks[0].operation;
      const std::string report = report_at_end([&] { the_case.launch({}, right); }, words);
      EXPECT_NE(report.find("\"kind\":\"" + kind + "\""), std::string::npos) << report;
      continue;
    }
    ASSERT_TRUE(kinds().count(kind)) << "'" << kind << "' is not a kind of finding";
    const bool is_silent = kind == kNothing || kind == kMissed;
    ASSERT_TRUE(!is_silent || marks.size() <= 1)
        << "one mark has `" << kind << "`, a different mark has a finding";
    if (is_silent) marks.clear();
    const std::vector<Finding> findings = findings_of(the_case, right, kinds().at(kind));
    expect_marked(findings, marks, file->path);
    if (right || is_silent) continue;
    EXPECT_EQ(findings.size(), the_case.findings);
    EXPECT_TRUE(
        std::any_of(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return contains(finding, the_case.text); }))
        << "no finding contains '" << the_case.text << "':\n"
        << (findings.empty() ? "" : findings[0].message + "\n" + facts_of(findings[0]));
  }
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  cudaGetLastError();  // an error of buffers that the lost device did not free
}

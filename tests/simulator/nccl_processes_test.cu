#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <nccl.h>

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

// Ranks in processes of their own, which share a unique id; one rank per device.

namespace {

constexpr int kRight = 0, kWrong = 7;   // exit codes of a rank
constexpr std::size_t kSize = 100'001;  // more than a socket holds

int device_count() {
  int count = 0;
  CUDA_CHECK(cudaGetDeviceCount(&count));
  return count;
}

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  int ends[2];

  bool give(const ncclUniqueId& id) { return write(ends[1], &id, sizeof id) == sizeof id; }
  bool take(ncclUniqueId& id) { return read(ends[0], &id, sizeof id) == sizeof id; }
};

ncclUniqueId make_id() {
  ncclUniqueId id;
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  return id;
}

// Rank 0 makes the id and gives it to the others, as with MPI.
bool share_id(Pipe& pipe, int ranks, int rank, ncclUniqueId& id) {
  if (rank > 0) return pipe.take(id);
  bool is_given = ncclGetUniqueId(&id) == ncclSuccess;
  for (int other = 1; other < ranks; ++other) is_given = is_given && pipe.give(id);
  return is_given;
}

// Runs body(rank) in a process for each rank; its result is the exit code of the process.
std::vector<pid_t> start(int ranks, const std::function<int(int)>& body) {
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t process = fork();
    if (process == 0) _exit(body(rank));
    processes.push_back(process);
  }
  return processes;
}

int exit_code(pid_t process) {
  int status = 0;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<int> exit_codes(const std::vector<pid_t>& processes) {
  std::vector<int> codes;
  for (const pid_t process : processes) codes.push_back(exit_code(process));
  return codes;
}

// One process for each rank; all must end with this code.
void expect_from_each(int ranks, int code, const std::function<int(int)>& body) {
  EXPECT_EQ(exit_codes(start(ranks, body)),
            std::vector<int>(static_cast<std::size_t>(ranks), code));
}

ncclComm_t join(const ncclUniqueId& id, int ranks, int rank) {
  ncclComm_t comm = nullptr;
  CUDA_CHECK(cudaSetDevice(rank));
  return ncclCommInitRank(&comm, ranks, id, rank) == ncclSuccess ? comm : nullptr;
}

// Sums rank + 1 over the ranks. Returns NCCL's result; `is_right` is set if it is a success.
ncclResult_t sum_ranks(ncclComm_t comm, int ranks, int rank, bool& is_right) {
  DeviceBuffer<int> d_data(std::vector<int>(kSize, rank + 1));
  const ncclResult_t result =
      ncclAllReduce(d_data.data(), d_data.data(), kSize, ncclInt, ncclSum, comm, nullptr);
  if (result != ncclSuccess) return result;
  is_right = d_data.to_host() == std::vector<int>(kSize, ranks * (ranks + 1) / 2);
  return result;
}

int sum_and_leave(const ncclUniqueId& id, int ranks, int rank) {
  const ncclComm_t comm = join(id, ranks, rank);
  bool is_right = false;
  if (!comm || sum_ranks(comm, ranks, rank, is_right) != ncclSuccess) return kWrong;
  return is_right && ncclCommDestroy(comm) == ncclSuccess ? kRight : kWrong;
}

// Whether a socket with the id's name still exists.
bool is_id_left(const ncclUniqueId& id) {
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    if (line.find(id.internal) != std::string::npos) return true;
  }
  return false;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class NcclProcesses : public testing::Test {
 protected:
  const int ranks = device_count();
};

TEST_F(NcclProcesses, AllRanksAreOtherProcesses) {
  const ncclUniqueId id = make_id();
  expect_from_each(ranks, kRight, [&](int rank) { return sum_and_leave(id, ranks, rank); });
}

TEST_F(NcclProcesses, ARankMakesTheIdAndTheOthersGetIt) {  // as with MPI
  Pipe pipe;
  expect_from_each(ranks, kRight, [&](int rank) {
    ncclUniqueId id;
    return share_id(pipe, ranks, rank, id) ? sum_and_leave(id, ranks, rank) : kWrong;
  });
}

TEST_F(NcclProcesses, SendsAndReceives) {
  const ncclUniqueId id = make_id();
  expect_from_each(ranks, kRight, [&](int rank) {
    const ncclComm_t comm = join(id, ranks, rank);
    if (!comm) return kWrong;
    const DeviceBuffer<int> d_out(std::vector<int>(kSize, rank));
    DeviceBuffer<int> d_in(std::vector<int>(kSize, -1));
    ncclGroupStart();
    ncclSend(d_out.data(), kSize, ncclInt, (rank + 1) % ranks, comm, nullptr);
    ncclRecv(d_in.data(), kSize, ncclInt, (rank + ranks - 1) % ranks, comm, nullptr);
    if (ncclGroupEnd() != ncclSuccess) return kWrong;
    const bool is_right = d_in.to_host() == std::vector<int>(kSize, (rank + ranks - 1) % ranks);
    ncclCommDestroy(comm);
    return is_right ? kRight : kWrong;
  });
}

TEST_F(NcclProcesses, ARankIsKilledInTheMiddle) {
  if (ranks < 2) GTEST_SKIP() << "needs two devices";
  const ncclUniqueId id = make_id();
  const auto begin = std::chrono::steady_clock::now();
  const auto codes = exit_codes(start(ranks, [&](int rank) {
    const ncclComm_t comm = join(id, ranks, rank);
    bool is_right = false;
    if (!comm || sum_ranks(comm, ranks, rank, is_right) != ncclSuccess) return kWrong;
    if (rank == ranks - 1) raise(SIGKILL);
    return static_cast<int>(sum_ranks(comm, ranks, rank, is_right));
  }));
  std::vector<int> expected(static_cast<std::size_t>(ranks), ncclRemoteError);
  expected.back() = 128 + SIGKILL;
  EXPECT_EQ(codes, expected);
  EXPECT_LT(seconds_since(begin), 30);
}

TEST_F(NcclProcesses, ARankIsKilledWhileItsChildLives) {  // the child has copies of all open files
  if (ranks < 2) GTEST_SKIP() << "needs two devices";
  const ncclUniqueId id = make_id();
  Pipe pipe;
  const auto codes = exit_codes(start(ranks, [&](int rank) {
    const ncclComm_t comm = join(id, ranks, rank);
    if (!comm) return kWrong;
    if (rank == ranks - 1) {
      if (fork() == 0) {
        char unused;
        close(pipe.ends[1]);
        _exit(static_cast<int>(read(pipe.ends[0], &unused, 1)));  // until the test ends
      }
      raise(SIGKILL);
    }
    bool is_right = false;
    return static_cast<int>(sum_ranks(comm, ranks, rank, is_right));
  }));
  EXPECT_EQ(codes.front(), ncclRemoteError);
}

TEST_F(NcclProcesses, TheProcessWithTheIdIsKilled) {
  if (ranks < 2) GTEST_SKIP() << "needs two devices";
  Pipe pipe;
  const auto codes = exit_codes(start(ranks, [&](int rank) {
    ncclUniqueId id;
    if (!share_id(pipe, ranks, rank, id)) return kWrong;
    ncclComm_t comm = nullptr;
    CUDA_CHECK(cudaSetDevice(rank));
    const ncclResult_t joined = ncclCommInitRank(&comm, ranks, id, rank);
    if (rank == 0) raise(SIGKILL);
    if (joined != ncclSuccess) return static_cast<int>(joined);  // it was faster
    bool is_right = false;
    return static_cast<int>(sum_ranks(comm, ranks, rank, is_right));
  }));
  for (int rank = 1; rank < ranks; ++rank)
    EXPECT_EQ(codes[static_cast<std::size_t>(rank)], ncclRemoteError);
}

TEST_F(NcclProcesses, CountsThatDifferAreReportedToAllRanks) {
  if (ranks < 2) GTEST_SKIP() << "needs two devices";
  const ncclUniqueId id = make_id();
  expect_from_each(ranks, ncclInvalidUsage, [&](int rank) {
    const ncclComm_t comm = join(id, ranks, rank);
    if (!comm) return kWrong;
    DeviceBuffer<int> d_data(std::vector<int>(10, rank));
    const std::size_t count = rank == 0 ? 9 : 10;
    const ncclResult_t result =
        ncclAllReduce(d_data.data(), d_data.data(), count, ncclInt, ncclSum, comm, nullptr);
    const std::string said = ncclGetLastError(comm);
    const bool names_both = said.find("of 9 elements") != std::string::npos &&
                            said.find("of 10 elements") != std::string::npos;
    return names_both ? static_cast<int>(result) : kWrong;
  });
}

TEST_F(NcclProcesses, ARankThatDoesNotCall) {
  if (ranks < 2) GTEST_SKIP() << "needs two devices";
  Pipe id_pipe, end_pipe;
  const auto processes = start(2, [&](int rank) {
    ncclUniqueId id;
    if (rank == 0) setenv("CUDA_SIMULATOR_NCCL_SECONDS", "1", /*overwrite=*/1);
    if (!share_id(id_pipe, 2, rank, id)) return kWrong;
    const ncclComm_t comm = join(id, 2, rank);
    if (!comm) return kWrong;
    char unused;
    if (rank == 1) return static_cast<int>(read(end_pipe.ends[0], &unused, 1)) - 1;
    bool is_right = false;
    const ncclResult_t result = sum_ranks(comm, 2, rank, is_right);
    const std::string said = ncclGetLastError(comm);
    const bool is_said = said.find("waits for rank 1, which has not called it") != said.npos &&
                         said.find("CUDA_SIMULATOR_NCCL_SECONDS") != said.npos;
    return is_said ? static_cast<int>(result) : kWrong;
  });
  EXPECT_EQ(exit_code(processes[0]), ncclInternalError);
  EXPECT_EQ(write(end_pipe.ends[1], "", 1), 1);
  EXPECT_EQ(exit_code(processes[1]), kRight);
}

TEST_F(NcclProcesses, TheIdOfAProcessThatHasEnded) {
  Pipe pipe;
  expect_from_each(1, kRight, [&](int) {
    ncclUniqueId id;
    return ncclGetUniqueId(&id) == ncclSuccess && pipe.give(id) ? kRight : kWrong;
  });
  ncclUniqueId id;
  ASSERT_TRUE(pipe.take(id));
  EXPECT_FALSE(is_id_left(id));
  expect_from_each(1, ncclInvalidArgument, [&](int) {
    ncclComm_t comm = nullptr;
    return static_cast<int>(ncclCommInitRank(&comm, 1, id, 0));
  });
}

TEST_F(NcclProcesses, ACommunicatorBelongsToItsProcess) {
  const ncclUniqueId id = make_id();
  expect_from_each(1, ncclInvalidArgument, [&](int) {
    const ncclComm_t comm = join(id, 1, 0);
    if (!comm) return kWrong;
    const auto inner = exit_codes(start(1, [&](int) {
      int count = 0;
      return static_cast<int>(ncclCommCount(comm, &count));
    }));
    return inner.front();
  });
}

}  // namespace

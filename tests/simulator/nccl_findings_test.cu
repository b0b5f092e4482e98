#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <nccl.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "expect_findings.h"
#include "trace/kernel_tracer.h"

// Errors that make NCCL's calls wait forever on a GPU, or fail: each has a message. Runs with three
// devices, one rank on each.

namespace {

constexpr int kRanks = 3;
constexpr std::size_t kSize = 12;

class NcclFindings : public FindingsTest {
 protected:
  void SetUp() override {
    FindingsTest::SetUp();
    ASSERT_EQ(ncclCommInitAll(comms, kRanks, nullptr), ncclSuccess);
    for (int rank = 0; rank < kRanks; ++rank) {
      CUDA_CHECK(cudaSetDevice(rank));
      CUDA_CHECK(cudaStreamCreate(&streams[rank]));
      CUDA_CHECK(cudaMalloc(&d_data[rank], kSize * sizeof(float)));
      CUDA_CHECK(cudaMemset(d_data[rank], 0, kSize * sizeof(float)));
      CUDA_CHECK(cudaDeviceSynchronize());
    }
  }
  void TearDown() override {
    for (int rank = kRanks - 1; rank >= 0; --rank) {
      CUDA_CHECK(cudaSetDevice(rank));
      CUDA_CHECK(cudaStreamDestroy(streams[rank]));
      ncclCommDestroy(comms[rank]);
      EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    }
    FindingsTest::TearDown();
  }
  ncclResult_t all_reduce(int rank, std::size_t count = kSize, ncclDataType_t type = ncclFloat) {
    return ncclAllReduce(d_data[rank], d_data[rank], count, type, ncclSum, comms[rank],
                         streams[rank]);
  }

  ncclComm_t comms[kRanks] = {};
  cudaStream_t streams[kRanks] = {};
  float* d_data[kRanks] = {};
};

// Expects one finding, with all of these words in its message.
void expect_nccl(const std::vector<std::string>& words) {
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "nccl");
  for (const std::string& wanted : words)
    EXPECT_NE(finding.message.find(wanted), std::string::npos) << finding.message;
  ASSERT_EQ(finding.places.size(), 1u);
  EXPECT_EQ(file_name(finding.places[0].file), "nccl_findings_test.cu");
}

TEST_F(NcclFindings, CountsThatDiffer) {
  ncclGroupStart();
  for (int rank = 0; rank < kRanks; ++rank) all_reduce(rank, rank == 2 ? kSize - 1 : kSize);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  expect_nccl({"rank 0 calls ncclAllReduce of 12 elements (float, ncclSum) (nccl_findings_test.cu:",
               "rank 2 calls ncclAllReduce of 11 elements", "do not match"});
}

TEST_F(NcclFindings, TypesThatDiffer) {
  ncclGroupStart();
  for (int rank = 0; rank < kRanks; ++rank)
    all_reduce(rank, kSize, rank == 1 ? ncclInt32 : ncclFloat);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  expect_nccl({"rank 0 calls ncclAllReduce of 12 elements (float",
               "rank 1 calls ncclAllReduce of 12 elements (int32"});
}

TEST_F(NcclFindings, RootsThatDiffer) {
  ncclGroupStart();
  for (int rank = 0; rank < kRanks; ++rank)
    ncclBcast(d_data[rank], kSize, ncclFloat, rank == 0 ? 0 : 1, comms[rank], streams[rank]);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  expect_nccl({"root 0", "root 1"});
}

TEST_F(NcclFindings, CallsInADifferentOrder) {
  ncclGroupStart();
  for (int rank = 0; rank < kRanks; ++rank) {
    if (rank != 1) all_reduce(rank);
    ncclBcast(d_data[rank], kSize, ncclFloat, 0, comms[rank], streams[rank]);
    if (rank == 1) all_reduce(rank);
  }
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  expect_nccl({"rank 0 calls ncclAllReduce", "rank 1 calls ncclBroadcast", "in the same order"});
}

TEST_F(NcclFindings, ARankThatDoesNotCall) {
  ncclGroupStart();
  for (const int rank : {0, 2}) all_reduce(rank);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  expect_nccl({"ncclAllReduce of rank 0 waits for rank 1, which has not called it",
               "No other thread of the program"});
}

TEST_F(NcclFindings, NoGroupAroundTheCallsOfOneThread) {
  EXPECT_EQ(all_reduce(0), ncclInvalidUsage);
  expect_nccl({"ncclAllReduce of rank 0 waits for ranks 1 and 2, which have not called it",
               "between ncclGroupStart() and ncclGroupEnd()"});
}

TEST_F(NcclFindings, TheCommunicatorStaysBroken) {
  EXPECT_EQ(all_reduce(0), ncclInvalidUsage);
  EXPECT_EQ(all_reduce(1), ncclInvalidUsage);
  ncclResult_t error = ncclSuccess;
  EXPECT_EQ(ncclCommGetAsyncError(comms[2], &error), ncclSuccess);
  EXPECT_EQ(error, ncclInvalidUsage);
  EXPECT_NE(std::string(ncclGetLastError(nullptr)).find("waits for ranks 1 and 2"),
            std::string::npos);
  take_findings();
}

TEST_F(NcclFindings, ASendWithoutAReceive) {
  ncclGroupStart();
  ncclSend(d_data[0], kSize, ncclFloat, 1, comms[0], streams[0]);
  for (const int rank : {1, 2}) all_reduce(rank);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  expect_nccl({"all ranks wait for each other",
               "rank 0 calls ncclSend of 12 elements (float) to "
               "rank 1",
               "A send needs a receive"});
}

TEST_F(NcclFindings, AReceiveFromTheWrongRank) {
  ncclGroupStart();
  ncclSend(d_data[0], kSize, ncclFloat, 1, comms[0], streams[0]);
  ncclRecv(d_data[1], kSize, ncclFloat, 2, comms[1], streams[1]);
  ncclRecv(d_data[2], kSize, ncclFloat, 0, comms[2], streams[2]);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  expect_nccl({"to rank 1", "from rank 2", "from rank 0"});
}

TEST_F(NcclFindings, ASendAndAReceiveOfDifferentCounts) {
  ncclGroupStart();
  ncclSend(d_data[0], kSize, ncclFloat, 1, comms[0], streams[0]);
  ncclRecv(d_data[1], kSize - 2, ncclFloat, 0, comms[1], streams[1]);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  expect_nccl({"rank 0 calls ncclSend of 12 elements", "rank 1 calls ncclRecv of 10 elements"});
}

TEST_F(NcclFindings, ARankThatHasLeft) {
  ASSERT_EQ(ncclCommDestroy(comms[2]), ncclSuccess);
  ncclGroupStart();
  for (const int rank : {0, 1}) all_reduce(rank);
  EXPECT_EQ(ncclGroupEnd(), ncclRemoteError);
  expect_nccl({"waits for rank 2, which has destroyed its communicator"});
  ASSERT_EQ(ncclCommInitAll(comms, kRanks, nullptr), ncclSuccess);
}

TEST_F(NcclFindings, ABufferThatIsTooSmall) {
  EXPECT_EQ(all_reduce(1, kSize + 1), ncclInvalidArgument);
  expect_nccl({"ncclAllReduce, rank 1: its send buffer has 48 bytes", "needs 52"});
}

TEST_F(NcclFindings, ABufferOfAnotherDevice) {
  EXPECT_EQ(ncclAllReduce(d_data[0], d_data[1], kSize, ncclFloat, ncclSum, comms[0], streams[0]),
            ncclInvalidArgument);
  expect_nccl({"rank 0: its receive buffer is memory of device 1, but the rank's device is 0"});
}

TEST_F(NcclFindings, ABufferOfTheHost) {
  float on_host[kSize] = {};
  EXPECT_EQ(ncclAllReduce(on_host, d_data[0], kSize, ncclFloat, ncclSum, comms[0], streams[0]),
            ncclInvalidArgument);
  expect_nccl({"its send buffer is in host memory"});
}

TEST_F(NcclFindings, ABufferThatNothingWrote) {
  float* d_fresh = nullptr;
  CUDA_CHECK(cudaSetDevice(0));
  CUDA_CHECK(cudaMalloc(&d_fresh, kSize * sizeof(float)));
  ncclGroupStart();
  for (int rank = 0; rank < kRanks; ++rank) {
    ncclAllReduce(rank == 0 ? d_fresh : d_data[rank], d_data[rank], kSize, ncclFloat, ncclSum,
                  comms[rank], streams[rank]);
  }
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "uninitialised");
  EXPECT_NE(finding.message.find("ncclAllReduce"), std::string::npos) << finding.message;
}

TEST_F(NcclFindings, AStreamOfAnotherDevice) {
  EXPECT_EQ(ncclAllReduce(d_data[0], d_data[0], kSize, ncclFloat, ncclSum, comms[0], streams[1]),
            ncclUnhandledCudaError);
  expect_nccl({"rank 0: its stream belongs to device 1, but the rank's device is 0"});
}

TEST_F(NcclFindings, APeerThatDoesNotExist) {
  EXPECT_EQ(ncclSend(d_data[0], kSize, ncclFloat, kRanks, comms[0], streams[0]),
            ncclInvalidArgument);
  expect_nccl({"its peer is rank 3, but there are only 3"});
}

TEST_F(NcclFindings, TwoRanksOnOneDevice) {
  const int devices[] = {0, 1, 1};
  ncclComm_t twice[kRanks] = {};
  EXPECT_EQ(ncclCommInitAll(twice, kRanks, devices), ncclInvalidUsage);
  const Finding finding = only_finding();
  EXPECT_NE(finding.message.find("is for device 1, and so is rank"), std::string::npos)
      << finding.message;
}

TEST_F(NcclFindings, MoreRanksThanDevices) {
  ncclComm_t many[kRanks + 1] = {};
  EXPECT_EQ(ncclCommInitAll(many, kRanks + 1, nullptr), ncclInvalidArgument);
  expect_nccl({"device 3, but there are only 3"});
}

TEST_F(NcclFindings, AnIdThatWasNotCreated) {
  ncclUniqueId id = {};
  ncclComm_t comm = nullptr;
  EXPECT_EQ(ncclCommInitRank(&comm, 2, id, 0), ncclInvalidArgument);
  expect_nccl({"the unique id was not created by ncclGetUniqueId"});
}

TEST_F(NcclFindings, AGroupThatWasNotOpened) {
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  expect_nccl({"without an earlier ncclGroupStart()"});
}

__global__ void store_kernel(float* out) { out[threadIdx.x] = 1; }
constexpr int kStoreLine = __LINE__ - 1;

TEST_F(NcclFindings, AKernelOfAnotherStreamThatUsesTheBuffer) {
  ncclGroupStart();
  for (int rank = 0; rank < kRanks; ++rank) all_reduce(rank);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  cudaStream_t other = nullptr;
  CUDA_CHECK(cudaSetDevice(1));
  CUDA_CHECK(cudaStreamCreate(&other));
  store_kernel<<<1, 12, 0, other>>>(d_data[1]);
  const std::vector<Finding> findings = take_findings();
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, "stream_race");
  EXPECT_NE(findings[0].message.find("ncclAllReduce and store_kernel"), std::string::npos)
      << findings[0].message;
  EXPECT_EQ(findings[0].places.back().line, kStoreLine);
  CUDA_CHECK(cudaStreamDestroy(other));
}

TEST_F(NcclFindings, AReceiveComesAfterTheSendersWork) {
  CUDA_CHECK(cudaSetDevice(0));
  CUDA_CHECK(cudaDeviceEnablePeerAccess(1, 0));
  store_kernel<<<1, 12, 0, streams[0]>>>(d_data[1]);  // a peer's memory
  ncclGroupStart();
  ncclSend(d_data[0], kSize, ncclFloat, 1, comms[0], streams[0]);
  ncclRecv(d_data[1], kSize, ncclFloat, 0, comms[1], streams[1]);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_TRUE(take_findings().empty());
}

// ---- Bytes over the links ----

std::uint64_t nccl_bytes(int from, int to) {
  return cuda_simulator::KernelTracer::get().links().bytes(from, to).by_nccl;
}

TEST_F(NcclFindings, AnAllReduceGoesAroundTheRingTwice) {
  std::uint64_t before[kRanks];
  for (int rank = 0; rank < kRanks; ++rank) before[rank] = nccl_bytes(rank, (rank + 1) % kRanks);
  ncclGroupStart();
  for (int rank = 0; rank < kRanks; ++rank) all_reduce(rank);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  for (int rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(nccl_bytes(rank, (rank + 1) % kRanks) - before[rank], 2u * 2 * kSize / 3 * 4);
  }
}

TEST_F(NcclFindings, ASendGoesOverOneLink) {
  const std::uint64_t there = nccl_bytes(2, 0), back = nccl_bytes(0, 2);
  ncclGroupStart();
  ncclSend(d_data[2], 10, ncclFloat, 0, comms[2], streams[2]);
  ncclRecv(d_data[0], 10, ncclFloat, 2, comms[0], streams[0]);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_EQ(nccl_bytes(2, 0) - there, 40u);
  EXPECT_EQ(nccl_bytes(0, 2) - back, 0u);
}

TEST_F(NcclFindings, KernelsAndCopiesAreCountedToo) {
  const auto links = [] { return cuda_simulator::KernelTracer::get().links(); };
  const auto before = links();
  CUDA_CHECK(cudaSetDevice(0));
  CUDA_CHECK(cudaDeviceEnablePeerAccess(2, 0));
  store_kernel<<<1, 12, 0, streams[0]>>>(d_data[2]);  // 48 bytes in 2 sectors
  CUDA_CHECK(cudaStreamSynchronize(streams[0]));
  CUDA_CHECK(cudaMemcpyPeer(d_data[1], 1, d_data[2], 2, 20));
  const auto after = links();
  EXPECT_EQ(after.bytes(0, 2).by_kernels - before.bytes(0, 2).by_kernels, 64u);
  EXPECT_EQ(after.bytes(2, 1).by_copies - before.bytes(2, 1).by_copies, 20u);
}

}  // namespace

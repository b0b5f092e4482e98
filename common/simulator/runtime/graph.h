#pragma once

#include "runtime/devices.h"

#include "simulator/graph_nodes.h"
#include "simulator/graphs.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace cuda_simulator {

// The target of a cudaGraphConditionalHandle.
struct GraphCondition {
  unsigned value = 0, at_launch = 0;
  bool is_set_at_launch = false;
};

struct ConditionalBodies {
  std::shared_ptr<GraphCondition> condition;
  cudaGraphConditionalNodeType type;
  std::vector<std::unique_ptr<CudaSimulatorGraph>> graphs;
  std::vector<cudaGraph_t> handles;  // the program keeps its address
};

}  // namespace cuda_simulator

// The target of a cudaGraphNode_t. It runs on the device that was current when it was created.
struct CudaSimulatorGraphNode {
  CudaSimulatorGraphNode(cudaGraphNodeType type, std::function<void()> work)
      : type(type), work(std::move(work)), device(cuda_simulator::current_device()) {}

  void run() const {
    const cuda_simulator::DeviceChoice choice(device);
    if (work) work();
  }

  cudaGraphNodeType type;
  std::function<void()> work;
  int device;
  std::vector<cudaGraphNode_t> after{};  // the nodes of its graph that it depends on
  void* allocated = nullptr;             // by a node that allocates memory
  std::shared_ptr<cuda_simulator::ConditionalBodies> bodies{};
};

struct CudaSimulatorGraph {
  bool is_of_node = false;  // a conditional node owns it
  std::vector<std::shared_ptr<CudaSimulatorGraphNode>> nodes{};
  std::vector<std::shared_ptr<cuda_simulator::GraphCondition>> conditions{};
};

namespace cuda_simulator {

// Copies of a graph's nodes, in an order in which they can run.
struct RunnableNodes {
  std::vector<CudaSimulatorGraphNode> nodes;
  std::vector<cudaGraphNode_t> originals;  // the nodes that were copied; they may be destroyed
  std::vector<std::shared_ptr<GraphCondition>> conditions;

  void run() const;
};

// Returns false if the nodes depend on each other in a circle.
bool make_runnable(const CudaSimulatorGraph& graph, RunnableNodes& runnable);

}  // namespace cuda_simulator

#include "runtime/graph.h"

#include "runtime/error_state.h"

#include <algorithm>
#include <map>

namespace cuda_simulator {
namespace {

using Nodes = std::vector<std::shared_ptr<CudaSimulatorGraphNode>>;

// Adds a node to `order` behind the nodes that it depends on. Returns false in a circle.
bool add_in_order(const CudaSimulatorGraphNode* node, std::map<const void*, bool>& is_added,
                  std::vector<const CudaSimulatorGraphNode*>& order) {
  const auto [entry, is_new] = is_added.try_emplace(node, false);
  if (!is_new) return entry->second;
  for (const cudaGraphNode_t earlier : node->after) {
    if (!add_in_order(earlier, is_added, order)) return false;
  }
  order.push_back(node);
  return is_added[node] = true;
}

// What a conditional node does: it runs one of its graphs, or repeats the first one.
std::function<void()> conditional_work(const ConditionalBodies& bodies,
                                       std::vector<RunnableNodes> runnable) {
  return [condition = bodies.condition, type = bodies.type, runnable = std::move(runnable)] {
    const auto run = [&](std::size_t number) {
      if (number < runnable.size()) runnable[number].run();
    };
    if (type == cudaGraphCondTypeSwitch) {
      run(condition->value);
    } else if (type == cudaGraphCondTypeIf) {
      run(condition->value != 0 ? 0 : 1);
    }
    // After an error of a kernel nothing runs, so the condition would stay.
    while (type == cudaGraphCondTypeWhile && condition->value != 0 &&
           ErrorState::get().lost() == cudaSuccess) {
      run(0);
    }
  };
}

}  // namespace

void RunnableNodes::run() const {
  for (const auto& condition : conditions) {
    if (condition->is_set_at_launch) condition->value = condition->at_launch;
  }
  for (const CudaSimulatorGraphNode& node : nodes) node.run();
}

bool make_runnable(const CudaSimulatorGraph& graph, RunnableNodes& runnable) {
  std::map<const void*, bool> is_added;
  std::vector<const CudaSimulatorGraphNode*> order;
  for (const auto& node : graph.nodes) {
    if (!add_in_order(node.get(), is_added, order)) return false;
  }
  for (const CudaSimulatorGraphNode* const node : order) {
    runnable.nodes.push_back(*node);
    runnable.originals.push_back(const_cast<cudaGraphNode_t>(node));
    if (!node->bodies) continue;
    std::vector<RunnableNodes> bodies(node->bodies->graphs.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (!make_runnable(*node->bodies->graphs[i], bodies[i])) return false;
    }
    runnable.nodes.back().work = conditional_work(*node->bodies, std::move(bodies));
  }
  runnable.conditions = graph.conditions;
  return true;
}

}  // namespace cuda_simulator

#include "trace/warp/control_flow.h"

#include <algorithm>
#include <iterator>

namespace cuda_simulator {

ControlFlow::Node ControlFlow::node_of(std::uintptr_t code) {
  const auto [found, is_new] = node_by_code_.emplace(code, static_cast<Node>(nodes_.size()));
  if (is_new) {
    nodes_.emplace_back();
    nodes_.back().code = code;
    if (found != node_by_code_.begin()) nodes_[std::prev(found)->second].end = code;
    const auto behind = std::next(found);
    if (behind != node_by_code_.end()) nodes_.back().end = behind->first;
    changed_ = true;
  }
  return found->second;
}

void ControlFlow::add_edge(Node from, Node to) {
  std::vector<Node>& successors = nodes_[from].successors;
  if (std::find(successors.begin(), successors.end(), to) != successors.end()) return;
  successors.push_back(to);
  ways_.fill({});
  changed_ = true;
}

ControlFlow::Node ControlFlow::follow(Node from, std::uintptr_t code) {
  for (const Node to : nodes_[from].successors) {
    if (to != kEnd && nodes_[to].code == code) return to;
  }
  const Node to = node_of(code);
  add_edge(from, to);
  return to;
}

ControlFlow::Node ControlFlow::reconvergence_point(Node node) {
  if (changed_) find_reconvergence_points();
  return nodes_[node].reconvergence_point;
}

// Computes post-dominators with the algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm" (2001), on the reversed graph.
void ControlFlow::find_reconvergence_points() {
  changed_ = false;
  const auto count = nodes_.size();
  std::vector<std::vector<Node>> predecessors(count);
  for (std::size_t n = 1; n < count; ++n) {
    nodes_[n].order = -1;
    nodes_[n].reconvergence_point = kEnd;
    // No lane has left it yet: as far as is known, paths end there.
    if (nodes_[n].successors.empty()) predecessors[kEnd].push_back(static_cast<Node>(n));
    for (const Node to : nodes_[n].successors) predecessors[to].push_back(static_cast<Node>(n));
  }

  struct Visit {
    Node node;
    std::size_t next;
  };
  std::vector<Node> post_order;
  std::vector<bool> seen(count);
  std::vector<Visit> stack{{kEnd, 0}};
  seen[kEnd] = true;
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.next == predecessors[top.node].size()) {
      nodes_[top.node].order = static_cast<int>(post_order.size());
      post_order.push_back(top.node);
      stack.pop_back();
      continue;
    }
    const Node next = predecessors[top.node][top.next++];
    if (seen[next]) continue;
    seen[next] = true;
    stack.push_back({next, 0});
  }

  std::vector<bool> known(count);
  known[kEnd] = true;
  for (bool stable = false; !stable;) {
    stable = true;
    for (auto it = post_order.rbegin(); it != post_order.rend(); ++it) {
      Data& node = nodes_[*it];
      if (*it == kEnd || node.successors.empty()) {
        known[*it] = true;
        continue;
      }
      Node point = -1;
      for (const Node to : node.successors) {
        if (known[to]) point = point < 0 ? to : common_point(point, to);
      }
      if (point < 0) continue;
      if (!known[*it] || node.reconvergence_point != point) stable = false;
      known[*it] = true;
      node.reconvergence_point = point;
    }
  }
}

ControlFlow::Node ControlFlow::common_point(Node a, Node b) const {
  while (a != b) {
    while (nodes_[a].order < nodes_[b].order) a = nodes_[a].reconvergence_point;
    while (nodes_[b].order < nodes_[a].order) b = nodes_[b].reconvergence_point;
  }
  return a;
}

bool ControlFlow::finds_way(Node from, Node to, Node without) const {
  std::vector<bool> seen(nodes_.size());
  std::vector<Node> open{from};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (node == without || seen[node]) continue;
    if (node == to) return true;
    seen[node] = true;
    open.insert(open.end(), nodes_[node].successors.begin(), nodes_[node].successors.end());
  }
  return false;
}

}  // namespace cuda_simulator

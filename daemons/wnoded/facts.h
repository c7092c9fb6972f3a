// Role: what the master has not acknowledged yet. Each fact has this host's own number; all are
// said again after every registration, so a lost session loses none.
// Invariant: numbers rise and are never reused by one process.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "libwm/launch/launcher.h"
#include "libwm/model/node/node.h"

namespace wm::node {

/// The attempt a fact is about. @cost O(1)
launch::AttemptKey attempt_of(const Fact& fact);

/// Unacknowledged facts in order. @thread one
class Facts {
 public:
  /// Keeps a fact until it is acknowledged; what to send now. @cost O(log n)
  HostFact add(Fact fact);
  /// The master has it; which attempt it was about, if it waited. @cost O(log n)
  std::optional<launch::AttemptKey> acknowledge(std::uint64_t number);
  /// Nobody wants to know any more. @cost O(facts about it)
  void forget(const launch::AttemptKey& key);
  /// A fact about the attempt waits. @cost O(log n)
  bool any_about(const launch::AttemptKey& key) const { return about_.contains(key); }
  /// The end of this task waits. @cost O(facts about the attempt)
  bool end_waits(const launch::AttemptKey& key, TaskNumber task) const;
  /// Everything, oldest first. @cost O(n)
  void each(const std::function<void(const HostFact&)>& use) const;
  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }

 private:
  std::map<std::uint64_t, Fact> waiting_;
  std::map<launch::AttemptKey, std::set<std::uint64_t>> about_;
  std::uint64_t next_ = 1;
};

}  // namespace wm::node

// Role: what tests of a node's decisions start from: its core over an env that only notes what it
// is told, orders for one job, and what that job's shepherd says.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "daemons/wnoded/core.h"
#include "libwm/codec/codec.h"
#include "test/support/fake_env.h"

namespace wm::test {

inline HostRegister node_card() {
  HostRegister words;
  words.name = "n";
  words.boot = "b";
  return words;
}

inline launch::HostFacts node_facts() {
  launch::HostFacts facts;
  facts.name = "n";
  facts.address = "10.0.0.1";
  facts.cluster = "c";
  facts.run = "/run/n";
  return facts;
}

/// A node's decisions with nothing real below them; job 7, attempt 1, is what tests order.
class NodeCore : public ::testing::Test {
 protected:
  explicit NodeCore(const HostRegister& card = node_card(),
                    const launch::HostFacts& facts = node_facts())
      : node_(env_, card, facts) {
    node_.on_session();
    env_.sent.clear();
  }

  static HostOrder order(std::uint32_t attempt = 1, std::uint64_t generation = 1) {
    HostOrder o;
    o.job = {7, 0};
    o.attempt = {attempt};
    o.generation = generation;
    o.resolved.program.command = "true";
    o.resolved.owner = {1000, 100, "ann"};
    o.blobs.env = std::string("A=1\0", 4);
    return with_task(o, 1);
  }
  static HostOrder with_task(HostOrder o, std::uint32_t number) {
    OrderedTask task;
    task.task = {number};
    o.tasks.push_back(task);
    o.all.push_back({{number}, "n", "10.0.0.1"});
    return o;
  }
  template <class T>
  void hear(NodeVerb verb, const T& words) {
    ASSERT_TRUE(node_.on_frame(static_cast<std::uint16_t>(verb), codec::encode(words)));
  }
  void start(const HostOrder& o) {
    hear(NodeVerb::Order, o);
    env_.authorise_next();
    node_.on_word(key_, launch::TaskStarted{{TaskNumber{1}, 4711, {}, false}});
  }
  static launch::ExitRecord record(std::uint32_t task, int status = 0,
                                   launch::EndCause cause = launch::EndCause::Exited) {
    launch::ExitRecord r;
    r.key = {{7, 0}, {1}};
    r.task = {task};
    r.status = status;
    r.cause = cause;
    return r;
  }
  void end_task(int status = 0, launch::EndCause cause = launch::EndCause::Exited) {
    node_.on_word(key_, launch::TaskEnded{record(1, status, cause)});
  }
  void end_attempt(launch::EndCause cause = launch::EndCause::Exited) {
    node_.on_word(key_, launch::AttemptEnded{record(0, 0, cause)});
  }
  std::vector<FactEnded> ends() {
    std::vector<FactEnded> found;
    for (const auto& fact : env_.take_facts())
      if (auto* ended = std::get_if<FactEnded>(&fact.fact)) found.push_back(*ended);
    return found;
  }
  HostRegister registered() {
    env_.sent.clear();
    node_.on_session();
    return *codec::decode<HostRegister>(env_.sent.at(0).second);
  }

  FakeEnv env_;
  node::Core node_;
  launch::AttemptKey key_{{7, 0}, {1}};
};

}  // namespace wm::test

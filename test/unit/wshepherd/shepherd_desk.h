// Role: a whole shepherd over the kernel that only remembers, for tests of attempts from the order
// to the record of their end.
#pragma once

#include <gmock/gmock.h>

#include <optional>
#include <utility>
#include <vector>

#include "daemons/wshepherd/shepherd.h"
#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {

/// One attempt. Each step hears and turns once.
class shepherd : public ::testing::Test {
 protected:
  void begin(std::vector<launch::TaskSpec> tasks = {a_task(1)}) {
    spec_.tasks = std::move(tasks);
    shepherd_.emplace(env_.parts(), a_place(), spec_);
    shepherd_->begin();
  }
  void order(launch::ShepherdOrder order) {
    shepherd_->obey(std::move(order));
    turn();
  }
  void turn() {
    shepherd_->hear();
    shepherd_->turn();
  }
  pid_t pid(std::size_t nth = 0) const { return env_.spawned.at(nth).pid; }
  void ends(std::size_t nth, int status) {
    env_.exit(pid(nth), status);
    turn();
  }
  /// The only one of what was recorded.
  const launch::ExitRecord& of(std::uint32_t task) const {
    for (const auto& record : env_.records)
      if (record.task == TaskNumber{task}) return record;
    ADD_FAILURE() << "no record of task " << task;
    return env_.records.at(0);
  }

  FakeEnv env_;
  launch::AttemptSpec spec_ = a_spec();
  std::optional<Shepherd> shepherd_;
};

}  // namespace wm::shepherd

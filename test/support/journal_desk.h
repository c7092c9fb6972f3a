// Role: what tests of the master's parts start from: a journal that has on disk what a cluster has
// been through, in virtual time.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "daemons/wmasterd/state/journal.h"
#include "libwm/base/log.h"
#include "test/support/builders.h"
#include "test/support/sim_env.h"

namespace wm::test {

/// Let `past` happen, then open(). What is made over env and journal goes before them: declare
/// it in what is derived from this.
struct JournalDesk {
  ClusterBuilder past;
  Sim sim{1};
  SimDisk disk;
  std::unique_ptr<SimEnv> env;
  std::unique_ptr<master::Journal> journal;
  std::vector<std::size_t> groups;  ///< how many events became durable together, in order

  JournalDesk() {
    static const bool quiet = (log::open("desk", "", log::Level::Error), true);
    static_cast<void>(quiet);
    past.config.hosts.clear();
    past.reconfigure();
  }
  void open() {
    disk.events = past.history;
    env = std::make_unique<SimEnv>(sim, disk, past.config);
    journal = std::make_unique<master::Journal>(
        *env, *env, [this](const master::Journal::Published& published) {
          groups.push_back(published.events.size());
        });
    ASSERT_TRUE(journal->start());
  }
  void pass(Duration time = std::chrono::milliseconds(200)) { sim.run(sim.now() + time); }
  const Cluster& state() const { return journal->published(); }
  const Job& job(JobId id) const { return *find_job(state(), id); }
};

}  // namespace wm::test

// Role: a store and its accounting in a folder, for tests of accounting as the master runs it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "daemons/wmasterd/acct/accounting.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/store/core/core_db.h"
#include "test/support/builders.h"
#include "test/support/store_files.h"

namespace wm::master {

/// A store and its accounting in a directory.
struct AcctDesk {
  test::ScratchDir dir;
  test::ClusterBuilder cluster;
  std::unique_ptr<store::CoreDb> core;
  std::unique_ptr<Accounting> accounting;
  Cluster state;  // what was taken has made
  std::size_t taken = 0;
  double clock = 0;

  AcctDesk() {
    static const bool quiet = (log::open("accounting", "", log::Level::Error), true);
    static_cast<void>(quiet);
    store::CoreOptions options;
    options.dir = dir.path();
    options.reserve = Bytes{1 << 16};
    auto opened = store::CoreDb::open(options);
    WM_CHECK(opened.has_value());
    core = std::move(*opened);
    cluster.reconfigure();
    open();
  }
  void open() {
    accounting.reset();
    accounting = std::move(*Accounting::open(dir.path()));
    EXPECT_TRUE(accounting->begin({}, {}));
  }
  /// Makes what has happened since the last call durable.
  std::vector<Event> keep() {
    std::vector<Event> fresh(cluster.history.begin() + static_cast<std::ptrdiff_t>(taken),
                             cluster.history.end());
    taken = cluster.history.size();
    store::Batch batch;
    for (const auto& event : fresh)
      batch.events.push_back({event.seq, event.time,
                              static_cast<std::uint16_t>(event.body.index() + 1), 1,
                              codec::encode(event.body)});
    EXPECT_TRUE(core->append(batch));
    return fresh;
  }
  /// The same, and accounting is told, until it has written all unless it is being made again.
  void commit() {
    for (const auto& event : keep()) {
      fsm::apply(state, event);
      accounting->take({event}, state);
    }
    catch_up();
  }
  /// As the master's ticks do.
  void catch_up() {
    auto is_behind = [this] {
      auto reply = accounting->history({});
      return !reply && reply.error().code == Code::Timeout;
    };
    while (is_behind()) accounting->take({}, state);
  }

  /// A job that waits, runs and ends, 10 seconds after the one before.
  JobId ended(test::SpecBuilder builder, std::int32_t status = 0) {
    auto id = cluster.submit(builder);
    cluster.run(id, {HostId{1}});
    cluster.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, status, Term::None, {}, ""}, clock += 10);
    return id;
  }
  std::vector<std::uint32_t> found(AcctRequest request) {
    if (request.jobs.user.empty()) request.jobs.user = "all";
    auto reply = accounting->account(request);
    EXPECT_TRUE(reply) << reply.error().text;
    std::vector<std::uint32_t> numbers;
    if (reply)
      for (const auto& job : reply->jobs) numbers.push_back(job.id.job);
    return numbers;
  }
};

}  // namespace wm::master

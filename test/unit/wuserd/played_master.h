// Role: a master in a test's hands, which wuserd talks to as to any: it knows the jobs that it was
// given, ends those that it is told to, and refuses everything else.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "libwm/codec/codec.h"
#include "libwm/model/config/config.h"
#include "libwm/model/verbs/run_verbs.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/proc/accounts.h"
#include "libwm/wire/munge.h"
#include "test/support/builders.h"
#include "test/support/private_munged.h"
#include "test/support/session_pair.h"
#include "test/support/threaded_server.h"

namespace wm::user {

/// A job of this user's, or another's, in that state.
inline JobView job_view(JobId id, JobState state, const test::SpecBuilder& spec) {
  auto job = std::make_shared<Job>();
  job->id = id;
  job->sealed = spec.sealed();
  job->state = state;
  if (!job->sealed->spec.groups.empty()) job->alternative = id.index;
  JobView view;
  view.job = std::move(job);
  view.id = id;
  view.app = spec.spec.app;
  view.plan = "/";
  return view;
}

/// What this user asked for; with a framework it is an execution.
inline test::SpecBuilder own_spec(const std::string& framework = "") {
  test::SpecBuilder spec;
  spec.user("ann", ::getuid());
  spec.spec.exec.framework = framework;
  return spec;
}

/// See above. @thread any
class PlayedMaster {
 public:
  PlayedMaster()
      : server_(options(munged_),
                [this](wire::Link& link, wire::Frame frame) { take(link, std::move(frame)); }) {}

  /// Why there is none; empty: it answers.
  const std::string& missing() const { return munged_.missing(); }
  /// Of a cluster that is its.
  ClusterConf conf() const {
    ClusterConf conf;
    auto own = proc::account(::getuid());
    conf.master_user = own ? own->name : "root";
    conf.master_host = "127.0.0.1";
    conf.master_port = server_.endpoint().port;
    conf.munge_socket = munged_.socket();
    return conf;
  }
  void know(std::vector<JobView> jobs) {
    std::lock_guard hold(lock_);
    jobs_ = std::move(jobs);
    killed_.clear();
  }
  /// Where agents of its jobs let their owners in.
  void door(const std::string& place) {
    std::lock_guard hold(lock_);
    door_ = place;
  }
  std::vector<JobId> killed() {
    std::lock_guard hold(lock_);
    return killed_;
  }

 private:
  static wire::ListenOptions options(const test::PrivateMunged& munged) {
    wire::ListenOptions options;
    options.link.session = test::master_options(0);
    options.link.credentials = wire::munge_credentials(munged.socket());
    return options;
  }

  void take(wire::Link& link, wire::Frame frame) {
    std::lock_guard hold(lock_);
    switch (static_cast<Verb>(frame.type)) {
      case Verb::Jobs: return answer<JobsRequest>(link, frame);
      case Verb::Runs: return answer<RunsRequest>(link, frame);
      case Verb::Kill: return answer<KillRequest>(link, frame);
      case Verb::Attach: return answer<AttachRequest>(link, frame);
      default: {
        VerbError error{static_cast<std::uint8_t>(Code::Denied), "not of a played master"};
        (void)link.send(static_cast<std::uint16_t>(Verb::Failed), codec::encode(error));
      }
    }
  }
  template <class Request>
  void answer(wire::Link& link, const wire::Frame& frame) {
    auto request = codec::decode<Request>(frame.payload);
    ASSERT_TRUE(request);
    (void)link.send(frame.type, codec::encode(reply_to(*request)));
  }

  static bool is_of(const JobView& view, JobId id) {
    return view.id == id || (id.index == 0 && view.id.job == id.job);
  }
  JobsReply reply_to(const JobsRequest& request) const {
    JobsReply reply;
    for (const auto& view : jobs_)
      if (std::ranges::any_of(request.jobs.ids, [&](JobId id) { return is_of(view, id); }) ||
          request.jobs.ids.empty())
        reply.jobs.push_back(view);
    return reply;
  }
  // A run each, the newest first, of those that are asked for.
  RunsReply reply_to(const RunsRequest& request) const {
    const auto& wanted = request.query.jobs;
    std::map<std::uint32_t, RunView, std::greater<>> runs;
    for (const auto& view : jobs_) {
      if (!wanted.empty() && std::ranges::find(wanted, view.id.job) == wanted.end()) continue;
      runs[view.id.job].facts.job = view.id.job;
      runs[view.id.job].parts.push_back(view);
    }
    RunsReply reply;
    for (auto& [job, run] : runs) reply.runs.push_back(std::move(run));
    return reply;
  }
  AttachReply reply_to(const AttachRequest&) const {
    AttachReply reply;
    reply.door = door_;
    return reply;
  }
  OutcomeReply reply_to(const KillRequest& request) {
    OutcomeReply reply;
    for (auto id : request.jobs.ids) {
      killed_.push_back(id);
      reply.jobs.push_back({id, 0, ""});
    }
    return reply;
  }

  test::PrivateMunged munged_;
  std::mutex lock_;
  std::vector<JobView> jobs_;  // Guarded by lock_.
  std::vector<JobId> killed_;  // Guarded by lock_.
  std::string door_;           // Guarded by lock_.
  test::ThreadedServer server_;
};

/// Tests of one suite share a master, which takes a moment to come.
class WithMaster : public ::testing::Test {
 public:
  static void SetUpTestSuite() { master = std::make_unique<PlayedMaster>(); }
  static void TearDownTestSuite() { master.reset(); }

 protected:
  void SetUp() override {
    if (!master->missing().empty()) GTEST_SKIP() << master->missing();
  }
  static inline std::unique_ptr<PlayedMaster> master;
};

}  // namespace wm::user

// What services, searches and notebooks stand on, in a simulated env: open arrays, trials that
// report, groups that come down to no task, requeues, orders that no host finds signed. The master
// dies at any call, hosts restart and reboot. All ends; no trial ends without its last report.
#include "libwm/model/groups.h"
#include "libwm/model/verbs/change_verbs.h"
#include "test/sim/sim_cluster.h"

namespace wm {
namespace {

using test::expect_all_done;
using test::expect_replay_equal;
using test::SimCluster;

JobSpec plain_spec(SimCluster& c) {
  auto spec = test::random_spec(c.sim);
  JobSpec plain;
  plain.program = spec.program;
  plain.rerunnable = true;
  return plain;
}

void begin_search(SimCluster& c) {
  auto spec = plain_spec(c);
  spec.array = {{1, 9, 1}};
  spec.array_limit = 2;
  spec.open = true;
  c.client.submit(spec, [&c](JobId id) {
    c.client.ask(Verb::Give, GiveRequest{"", id, {R"({"x":1})", R"({"x":2})"}, false});
    c.sim.after(c.sim.between(500, 4000), [&c, id] {
      c.client.ask(Verb::Give, GiveRequest{"", id, {R"({"x":3})"}, true});
    });
  });
}

void begin_service(SimCluster& c) {
  auto spec = plain_spec(c);
  TaskGroup kernels{.name = "kernel", .command = "serve", .min_tasks = 0, .max_tasks = 3};
  kernels.restart = Restart::Independent;
  spec.groups = {{.name = "router", .command = "route"}, kernels};
  c.client.submit(spec, [&c](JobId id) {
    for (std::uint32_t tasks : {0u, 2u})
      c.sim.after(c.sim.between(300, 3000), [&c, id, tasks] {
        c.client.ask(Verb::Resize,
                     ResizeRequest{"", id, ResizeRequest::Kind::Set, tasks, "kernel"});
      });
  });
}

void begin_twice(SimCluster& c) {
  c.client.submit(plain_spec(c), [&c](JobId id) {
    c.sim.after(c.sim.between(1000, 12000), [&c, id] {
      RequeueRequest request;
      request.jobs.ids = {id};
      request.active = request.done = request.exited = true;
      c.client.ask(Verb::Requeue, request);
    });
  });
}

// Their owner does not sign them anew, and gives them up.
void end_held_ones(SimCluster& c) {
  ASSERT_TRUE(c.core);
  KillRequest request;
  each_job(c.state(), [&](const Job& job) {
    if (job.state == JobState::Held) request.jobs.ids.push_back(job.id);
  });
  if (!request.jobs.ids.empty()) c.client.ask(Verb::Kill, request);
}

// Of every trial that a host has told the end of.
std::size_t expect_last_reports(SimCluster& c) {
  std::size_t count = 0;
  each_job(c.state(), [&](const Job& job) {
    auto told = c.net.last_reports.find({job.id, job.attempt});
    if (told == c.net.last_reports.end() || job.outcome.term != Term::None) return;
    EXPECT_EQ(job.trial.report, told->second) << to_string(job.id);
    ++count;
  });
  return count;
}

TEST(services_sim, all_ends_and_no_trial_loses_its_last_report) {
  std::set<std::string_view> seen;
  std::size_t reports = 0, held = 0, none = 0;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    SimCluster c(seed);
    c.env->on_call = [&c, at = seed * 3](std::uint64_t call) {
      if (call == at) c.crash_soon();
    };
    c.sim.after(c.sim.between(4500, 15000), [&c] { c.crash(); });
    for (int i = 0; i < 4; ++i)
      c.sim.after(c.sim.between(4500, 15000), [&c] {
        auto& host = *c.hosts[c.sim.pick(4)];
        if (c.sim.once_in(4)) host.reboot();
        else host.restart_daemon();
      });
    c.sim.after(c.sim.between(3000, 8000), [&c] { c.hosts[c.sim.pick(4)]->forget_the_key(2); });
    for (auto* begin : {begin_search, begin_service, begin_twice, begin_search})
      c.sim.after(c.sim.between(4000, 9000), [&c, begin] { begin(c); });
    c.sim.run(std::chrono::seconds(300));
    end_held_ones(c);
    c.sim.run(std::chrono::seconds(600));
    expect_all_done(c);
    expect_replay_equal(c);
    reports += expect_last_reports(c);
    for (const auto& event : c.disk.events) {
      seen.insert(event_name(event.body));
      auto* ended = std::get_if<TaskEnded>(&event.body);
      held += ended && ended->term == Term::NotSigned;
      auto* cap = std::get_if<CapChanged>(&event.body);
      none += cap && cap->none;
    }
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  for (const char* kind : {"job_requeued", "element_given", "array_closed", "trial_reported"})
    EXPECT_TRUE(seen.contains(kind)) << kind;
  EXPECT_GT(reports, 500u);
  EXPECT_GT(held, 50u);
  EXPECT_GT(none, 100u);
}

}  // namespace
}  // namespace wm

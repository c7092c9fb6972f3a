// How jobs, queues and hosts are shown.
#include "daemons/wmasterd/verbs/views.h"

#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "test/support/builders.h"
#include "test/support/sim_env.h"

namespace wm::master {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

/// What views look at, of a cluster without any host session.
struct Show {
  explicit Show(const ClusterBuilder& cluster)
      : env(sim, disk, cluster.config),
        journal(env, env, [](auto&) {}),
        hosts(env, journal),
        c(cluster) {}
  JobView job(JobId id) {
    const Job* found = find_job(c.state, id);
    if (found == nullptr) found = c.state.jobs.find(id.job);
    WM_CHECK(found != nullptr);
    return view_of(view_source(), *found, id, JobInfo::All);
  }
  ViewSource view_source() {
    return {std::make_shared<const Cluster>(c.state), std::make_shared<const PendReasons>(reasons),
            hosts.readings().freeze(), hosts.progress(), hosts.meetings()};
  }

  test::Sim sim{1};
  test::SimDisk disk;
  test::SimEnv env;
  Journal journal;
  Hosts hosts;
  PendReasons reasons;
  const ClusterBuilder& c;
};

TEST(views, a_pending_job_always_has_a_reason) {
  ClusterBuilder c;
  auto fresh = c.submit(SpecBuilder()), held = c.submit(SpecBuilder().hold());
  auto array = c.submit(SpecBuilder().array(1, 2));
  Show show(c);
  for (auto id : {fresh, held, JobId{array.job, 2}}) EXPECT_EQ(show.job(id).reasons.size(), 1u);
  EXPECT_EQ(show.job(fresh).reasons[0].code, PendCode::New);
  EXPECT_EQ(show.job(held).reasons[0].code, PendCode::Held);
  show.reasons = {{fresh, nullptr}};
  EXPECT_EQ(show.job(fresh).reasons.size(), 1u);
  show.reasons = {{fresh, std::make_shared<std::vector<PendReason>>()}};
  EXPECT_EQ(show.job(fresh).reasons.size(), 1u);
}

TEST(views, the_newest_pass_says_why_a_job_waits) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder()), array = c.submit(SpecBuilder().array(1, 2));
  Show show(c);
  auto slots =
      std::make_shared<std::vector<PendReason>>(1, PendReason{PendCode::Slots, "no slots", 3, ""});
  show.reasons = {{id, slots}, {array, slots}};
  EXPECT_EQ(show.job(id).reasons, *slots);
  EXPECT_EQ(show.job({array.job, 2}).reasons, *slots) << "its array's";
  c.run(id, {host});
  EXPECT_TRUE(show.job(id).reasons.empty()) << "it runs";
}

TEST(views, a_job_is_shown_with_its_hosts_and_what_it_resolved_to) {
  ClusterBuilder c;
  auto h1 = c.host(4), h2 = c.host(4);
  auto id = c.submit(SpecBuilder().app("training").tasks(2, 2));
  auto array = c.submit(SpecBuilder().array(1, 2));
  c.run(id, {h2, h1});
  Show show(c);
  auto view = show.job(id);
  EXPECT_EQ(view.task_hosts, (std::vector<std::string>{"h2", "h1"}));
  EXPECT_EQ(view.app, "training");
  EXPECT_EQ(view.plan, "/");
  EXPECT_EQ(view.job->state, JobState::Running);
  EXPECT_TRUE(view.result_dir.ends_with("/u1/batchworkdir/1")) << view.result_dir;
  auto element = show.job({array.job, 2});
  EXPECT_EQ(element.id, (JobId{array.job, 2}));
  EXPECT_EQ(element.job->state, JobState::Pending) << "not Array";
  EXPECT_TRUE(element.result_dir.ends_with("/batchworkdir/2.2")) << element.result_dir;
}

TEST(views, hosts_that_a_job_may_not_return_to_are_shown_by_name) {
  ClusterBuilder c;
  std::vector<HostId> hosts;
  for (int i = 0; i < 10; ++i) hosts.push_back(c.host(4));
  SpecBuilder spec;
  spec.spec.min_tasks = spec.spec.max_tasks = 2;
  spec.spec.requeue_exits = {{3}, {3}};
  auto id = c.submit(spec);
  c.run(id, {hosts[1], hosts[9]});
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{2}, 3 << 8, Term::None, {}, ""});
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 3 << 8, Term::None, {}, ""});
  EXPECT_EQ(Show(c).job(id).excluded_hosts, (std::vector<std::string>{"h10", "h2"}));
}

TEST(views, a_queue_counts_slots_by_state) {
  ClusterBuilder c;
  auto host = c.host(8);
  auto runs = c.submit(SpecBuilder().tasks(2, 2));
  c.submit(SpecBuilder().tasks(3, 4));
  c.submit(SpecBuilder().hold());
  c.submit(SpecBuilder().array(1, 4));
  c.run(runs, {host, host});
  c.step(KillRequested{c.submit(SpecBuilder()), {Term::Owner, "u1", "", at(0)}});
  c.step(QueueChanged{"normal", QueueStandingChange::Close, "root", "repair"});
  auto views = view_queues(c.state, {"normal"});
  ASSERT_EQ(views.size(), 1u);
  const auto& view = views[0];
  EXPECT_EQ(view.running, 2u);
  EXPECT_EQ(view.pending, 7u);
  EXPECT_EQ(view.suspended, 1u);
  EXPECT_EQ(view.jobs, 10u);
  EXPECT_TRUE(view.closed);
  EXPECT_EQ(view.why, "repair");
}

TEST(views, jobs_of_a_silent_host_count_as_they_did_before) {
  ClusterBuilder c;
  auto host = c.host(8);
  auto runs = c.submit(SpecBuilder().tasks(2, 2)), stopped = c.submit(SpecBuilder().tasks(3, 3));
  c.run(runs, {host, host});
  c.run(stopped, {host, host, host});
  c.step(JobSuspended{stopped, "u1"});
  c.step(HostSilent{host});
  ASSERT_EQ(c.job(stopped).state, JobState::Unknown);
  auto queue = view_queues(c.state, {"normal"})[0];
  EXPECT_EQ(queue.running, 2u);
  EXPECT_EQ(queue.suspended, 3u);
  auto view = view_hosts(Show(c).view_source(), {{"h1"}, ""}, at(0))[0];
  EXPECT_EQ(view.running, 2u);
  EXPECT_EQ(view.suspended, 3u);
}

TEST(views, a_host_counts_the_slots_on_it) {
  ClusterBuilder c;
  auto h1 = c.host(4, 2), h2 = c.host(4);
  auto id = c.submit(SpecBuilder().gpus(2)), array = c.submit(SpecBuilder().array(1, 2));
  c.run(id, {h1});
  c.run({array.job, 1}, {h1});
  c.step(TaskStuck{id, Attempt{1}, TaskNumber{1}, "zombie"});
  auto views = view_hosts(Show(c).view_source(), {{"h1", "h2"}, ""}, at(0));
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].host.id, h1);
  EXPECT_EQ(views[0].jobs, 2u);
  EXPECT_EQ(views[0].stuck_gpus, 2u);
  EXPECT_FALSE(views[0].connected);
  EXPECT_EQ(views[1].host.id, h2);
  EXPECT_EQ(views[1].jobs, 0u);
}

TEST(views, use_of_a_running_job_is_that_of_all_its_hosts_together) {
  ClusterBuilder c;
  auto h1 = c.host(4), h2 = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(3, 3));
  c.run(id, {h1, h1, h2});
  Show show(c);
  EXPECT_FALSE(show.job(id).use) << "no host has told";
  auto source = show.view_source();
  const Job& job = *find_job(c.state, id);
  auto tell = [&](HostId host, std::int64_t mem, std::int32_t pid) {
    AttemptUse use;
    use.job = id, use.attempt = job.attempt;
    use.cpu = std::chrono::seconds(3), use.mem = Bytes{mem}, use.pids = {pid};
    HostStanding standing;
    standing.uses = std::make_shared<const HostUses>(HostUses{{use}});
    source.hosts.set(host.value, standing);
  };
  tell(h1, 100, 11);
  tell(h2, 20, 22);
  auto use = view_of(source, job, id, JobInfo::All).use;
  ASSERT_TRUE(use);
  EXPECT_EQ(use->cpu, std::chrono::seconds(6));
  EXPECT_EQ(use->mem, Bytes{120});
  EXPECT_EQ(use->pids, (std::vector<std::int32_t>{11, 22}));
  EXPECT_FALSE(view_of(source, job, id, JobInfo::Summary).use) << "its owner's";
}

TEST(views, what_reservations_keep_idle_is_told) {
  ClusterBuilder c;
  auto h1 = c.host(4), h2 = c.host(4);
  Reservation what{
      .name = "u1#0", .users = {"u1"}, .begin = at(10), .end = at(20), .places = {{h1, 3}}};
  c.step(ReservationSet{what, "u1"});
  auto kept = [&](double now) {
    std::vector<std::uint32_t> slots;
    for (const auto& view : view_hosts(Show(c).view_source(), {{"h1", "h2"}, ""}, at(now)))
      slots.push_back(view.reserved);
    return slots;
  };
  using Slots = std::vector<std::uint32_t>;
  EXPECT_EQ(kept(5), (Slots{0, 0})) << "it is not active yet";
  EXPECT_EQ(kept(15), (Slots{3, 0}));
  SpecBuilder own;
  own.spec.reservation = "u1#0";
  c.run(c.submit(own), {h1});
  EXPECT_EQ(kept(15), (Slots{2, 0}));
  c.run(c.submit(SpecBuilder().tasks(2, 2)), {h1, h1});
  EXPECT_EQ(kept(15), (Slots{1, 0})) << "what is lent is in use";
  EXPECT_EQ(kept(20), (Slots{0, 0}));
  (void)h2;
}

TEST(views, hosts_are_shown_by_name_those_that_never_registered_too) {
  ClusterBuilder c;
  c.config.hosts = {{.name = "absent", .slots = 3}, {.name = "h2"}};
  c.reconfigure();
  for (int i = 0; i < 3; ++i) c.host(4);
  auto names = [&](const HostsRequest& asked) {
    std::vector<std::string> found;
    for (const auto& view : view_hosts(Show(c).view_source(), asked, at(0)))
      found.push_back(view.host.name);
    return found;
  };
  EXPECT_EQ(names({}), (std::vector<std::string>{"absent", "h1", "h2", "h3"}));
  EXPECT_EQ(names({{}, "h1"}), (std::vector<std::string>{"h2", "h3"}));
  EXPECT_EQ(names({{"h3", "absent", "elsewhere"}, ""}), (std::vector<std::string>{"absent", "h3"}));
  auto absent = view_hosts(Show(c).view_source(), {{"absent"}, ""}, at(0)).at(0);
  EXPECT_EQ(absent.host.state, HostState::Silent);
  EXPECT_EQ(absent.host.capacity.slots, 3u);
}

TEST(views, whoever_looks_at_a_job_learns_nothing_to_act_for_its_owner_with) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder());
  c.run(id, {host});
  Job& job = c.state.jobs.edit(id.job);
  auto sealed = *job.sealed;
  sealed.bytes = "signed bytes", sealed.credential = "a credential", sealed.request_key = "a key";
  sealed.alternatives = {sealed.spec};
  job.sealed = std::make_shared<const SealedSpec>(sealed);
  job.key = "key of its agents";
  auto view = Show(c).job(id);
  auto bytes = codec::encode(view);
  for (const auto& secret : {sealed.bytes, sealed.credential, sealed.request_key, job.key})
    EXPECT_EQ(bytes.find(secret), std::string::npos) << secret;
  EXPECT_EQ(view.job->spec(), sealed.spec);
  EXPECT_EQ(view.job->sealed->alternatives, sealed.alternatives) << "it may run under one of them";
}

}  // namespace
}  // namespace wm::master

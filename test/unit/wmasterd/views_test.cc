// Which jobs a selection means, and how jobs, queues and hosts are shown.
#include "daemons/wmasterd/views.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"
#include "test/support/sim_world.h"

namespace wm::master {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;
using Ids = std::vector<JobId>;

Ids selected(const ClusterBuilder& c, const JobSelection& selection,
             const std::string& caller = "u1") {
  Ids found;
  each_selected(c.state, selection, caller, [&](const Job&, JobId id) { found.push_back(id); });
  return found;
}

JobSelection by_id(Ids ids) {
  JobSelection selection;
  selection.ids = std::move(ids);
  return selection;
}

JobSelection by_name(const std::string& name) {
  JobSelection selection;
  selection.name = name;
  return selection;
}

SpecBuilder called(const std::string& name) {
  SpecBuilder spec;
  spec.spec.name = name;
  return spec;
}

KillRequested kill(JobId id) { return {id, {Term::Owner, "u1", "", at(0)}}; }

/// What views look at, of a cluster without any host session.
struct Show {
  explicit Show(const ClusterBuilder& cluster)
      : world(sim, disk, cluster.config),
        journal(world, [](auto&) {}),
        hosts(world, journal),
        c(cluster) {}
  JobView job(JobId id) {
    const Job* found = find_job(c.state, id);
    if (found == nullptr) found = c.state.jobs.find(id.job);
    WM_CHECK(found != nullptr);
    return view_of(seen(), *found, id);
  }
  Seen seen() { return {c.state, reasons, hosts}; }

  test::Sim sim{1};
  test::SimDisk disk;
  test::SimWorld world;
  Journal journal;
  Hosts hosts;
  PendReasons reasons;
  const ClusterBuilder& c;
};

TEST(views, ids_mean_jobs_of_everybody_in_every_state) {
  ClusterBuilder c;
  auto mine = c.submit(SpecBuilder());
  auto other = c.submit(SpecBuilder().user("u2", 1002));
  c.submit(SpecBuilder());
  c.step(kill(mine));
  EXPECT_EQ(selected(c, by_id({other, mine})), (Ids{other, mine}));
  EXPECT_EQ(selected(c, by_id({{99, 0}})), Ids{});
}

TEST(views, an_array_is_its_elements_made_or_not) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto array = c.submit(SpecBuilder().array(1, 3));
  c.run({array.job, 2}, {host});
  EXPECT_EQ(selected(c, by_id({array})), (Ids{{1, 1}, {1, 2}, {1, 3}}));
  EXPECT_EQ(selected(c, by_id({{1, 3}})), (Ids{{1, 3}}));
  EXPECT_EQ(selected(c, {}), (Ids{{1, 1}, {1, 2}, {1, 3}}));
  std::vector<JobState> states;
  each_selected(c.state, by_id({array}), "u1",
                [&](const Job& job, JobId id) { states.push_back(state_of(job, id)); });
  EXPECT_EQ(states,
            (std::vector<JobState>{JobState::Pending, JobState::Running, JobState::Pending}));
}

TEST(views, without_ids_the_user_decides) {
  ClusterBuilder c;
  auto mine = c.submit(SpecBuilder());
  auto other = c.submit(SpecBuilder().user("u2", 1002));
  JobSelection selection;
  EXPECT_EQ(selected(c, selection), Ids{mine}) << "nobody named: the caller";
  selection.user = "u2";
  EXPECT_EQ(selected(c, selection), Ids{other});
  selection.user = "all";
  EXPECT_EQ(selected(c, selection), (Ids{mine, other}));
}

TEST(views, finished_jobs_are_shown_when_asked_for) {
  ClusterBuilder c;
  auto over = c.submit(SpecBuilder());
  auto waits = c.submit(SpecBuilder());
  c.step(kill(over));
  JobSelection selection;
  EXPECT_EQ(selected(c, selection), Ids{waits});
  selection.finished = true;
  EXPECT_EQ(selected(c, selection), (Ids{over, waits}));
  selection.unfinished = false;
  EXPECT_EQ(selected(c, selection), Ids{over});
}

TEST(views, states_narrow_the_selection) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto runs = c.submit(SpecBuilder()), waits = c.submit(SpecBuilder()),
       held = c.submit(SpecBuilder().hold());
  c.run(runs, {host});
  JobSelection selection;
  selection.pending_only = true;
  EXPECT_EQ(selected(c, selection), (Ids{waits, held}));
  selection = {};
  selection.running_only = true;
  EXPECT_EQ(selected(c, selection), Ids{runs});
  selection = {};
  selection.suspended_only = true;
  EXPECT_EQ(selected(c, selection), Ids{held});
}

TEST(views, of_named_jobs_all_are_meant_unless_a_state_is_named_too) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto array = c.submit(SpecBuilder().array(1, 3));
  c.run({array.job, 2}, {host});
  JobSelection selection;
  selection.ids = {array};
  EXPECT_EQ(selected(c, selection).size(), 3u);
  selection.running_only = true;
  EXPECT_EQ(selected(c, selection), (Ids{{array.job, 2}}));
}

TEST(views, names_match_with_a_star_at_either_end) {
  ClusterBuilder c;
  auto night = c.submit(called("train-night")), day = c.submit(called("train-day"));
  auto last = c.submit(called("retrain"));
  EXPECT_EQ(selected(c, by_name("train-day")), Ids{day});
  EXPECT_EQ(selected(c, by_name("train-*")), (Ids{night, day}));
  EXPECT_EQ(selected(c, by_name("*train")), Ids{last});
  EXPECT_EQ(selected(c, by_name("*train*")), (Ids{night, day, last}));
  EXPECT_EQ(selected(c, by_name("*")), (Ids{night, day, last}));
  EXPECT_EQ(selected(c, by_name("train")), Ids{});
}

TEST(views, an_element_is_named_with_its_index) {
  ClusterBuilder c;
  auto spec = called("sweep");
  c.submit(spec.array(1, 3));
  EXPECT_EQ(selected(c, by_name("sweep[2]")), (Ids{{1, 2}}));
  EXPECT_EQ(selected(c, by_name("sweep")).size(), 3u);
}

TEST(views, queue_project_app_and_host_narrow_the_selection) {
  ClusterBuilder c;
  auto h1 = c.host(4);
  c.host(4);
  auto batch = c.submit(SpecBuilder()), training = c.submit(SpecBuilder().app("training"));
  c.run(training, {h1});
  JobSelection selection;
  selection.app = "training";
  EXPECT_EQ(selected(c, selection), Ids{training});
  selection = {};
  selection.queue = "night";
  EXPECT_EQ(selected(c, selection), Ids{});
  selection.queue = "normal";
  EXPECT_EQ(selected(c, selection), (Ids{batch, training}));
  selection.project = "p1";
  EXPECT_EQ(selected(c, selection), Ids{});
  selection = {};
  selection.host = "h1";
  EXPECT_EQ(selected(c, selection), Ids{training});
  selection.host = "h2";
  EXPECT_EQ(selected(c, selection), Ids{});
  selection.host = "elsewhere";
  EXPECT_EQ(selected(c, selection), Ids{});
}

TEST(views, ids_that_mean_nothing_are_named) {
  ClusterBuilder c;
  auto plain = c.submit(SpecBuilder()), array = c.submit(SpecBuilder().array(1, 3));
  auto asked = by_id({plain, array, {array.job, 3}, {array.job, 4}, {plain.job, 1}, {99, 0}});
  EXPECT_EQ(missing_ids(c.state, asked), (Ids{{array.job, 4}, {plain.job, 1}, {99, 0}}));
}

TEST(views, elements_in_the_range_stand_as_their_array_does) {
  ClusterBuilder c;
  auto killed = c.submit(SpecBuilder().array(1, 2)), held = c.submit(SpecBuilder().array(1, 2));
  c.step(kill(killed));
  c.step(JobHeld{held, "u1"});
  auto state = [&](JobId id) { return state_of(*c.state.jobs.find(id.job), id); };
  EXPECT_EQ(state({killed.job, 1}), JobState::Killed);
  EXPECT_EQ(state({held.job, 2}), JobState::Held);
  c.step(JobReleased{held, "u1"});
  EXPECT_EQ(state({held.job, 2}), JobState::Pending);
  EXPECT_EQ(selected(c, {}), (Ids{{held.job, 1}, {held.job, 2}}));
}

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
  c.step(kill(c.submit(SpecBuilder())));
  c.step(QueueChanged{"normal", QueueStandingChange::Close, "root", "repair"});
  auto view = view_of(Show(c).seen(), *c.config.queue("normal"));
  EXPECT_EQ(view.running, 2u);
  EXPECT_EQ(view.pending, 7u);
  EXPECT_EQ(view.suspended, 1u);
  EXPECT_EQ(view.jobs, 10u);
  EXPECT_TRUE(view.closed);
  EXPECT_EQ(view.why, "repair");
}

TEST(views, a_host_counts_the_slots_on_it) {
  ClusterBuilder c;
  auto h1 = c.host(4, 2), h2 = c.host(4);
  auto id = c.submit(SpecBuilder().gpus(2)), array = c.submit(SpecBuilder().array(1, 2));
  c.run(id, {h1});
  c.run({array.job, 1}, {h1});
  c.step(TaskStuck{id, Attempt{1}, TaskNumber{1}, "zombie"});
  Show show(c);
  auto view = view_of(show.seen(), c.host_of(h1));
  EXPECT_EQ(view.jobs, 2u);
  EXPECT_EQ(view.stuck_gpus, 2u);
  EXPECT_FALSE(view.connected);
  EXPECT_EQ(view_of(show.seen(), c.host_of(h2)).jobs, 0u);
}

}  // namespace
}  // namespace wm::master

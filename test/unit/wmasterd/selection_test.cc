// Which jobs a selection means, at once and in portions.
#include "daemons/wmasterd/verbs/selection.h"

#include <gtest/gtest.h>

#include <random>

#include "daemons/wmasterd/verbs/portion.h"
#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;
using Ids = std::vector<JobId>;

Ids selected(const ClusterBuilder& c, const JobSelection& selection,
             const std::string& caller = "u1") {
  Ids found;
  each_selected(c.state, selection, caller, [&](const Job&, JobId id) {
    found.push_back(id);
    return true;
  });
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

SpecBuilder with_name(const std::string& name) {
  SpecBuilder spec;
  spec.spec.name = name;
  return spec;
}

KillRequested kill(JobId id) { return {id, {Term::Owner, "u1", "", at(0)}}; }

/// The same, so many a walk.
Ids in_portions(const ClusterBuilder& c, JobSelection selection, std::size_t portion,
                Ids& missing) {
  Ids found;
  for (;;) {
    std::size_t taken = 0;
    auto walked = each_selected(c.state, selection, "u1", [&](const Job&, JobId id) {
      if (taken == portion) return false;
      ++taken;
      found.push_back(id);
      return true;
    });
    missing.insert(missing.end(), walked.missing.begin(), walked.missing.end());
    if (!walked.rest) return found;
    selection = *walked.rest;
  }
}

TEST(selection, a_job_group_is_itself_and_those_below_it) {
  ClusterBuilder c;
  Ids ids;
  for (const char* group : {"/risk", "/risk/day", "/risky", ""}) {
    SpecBuilder spec;
    spec.spec.job_group = group;
    ids.push_back(c.submit(spec));
  }
  auto in = [&](const std::string& group) {
    JobSelection selection;
    selection.user = "all";
    selection.job_group = group;
    return selected(c, selection);
  };
  EXPECT_EQ(in("/risk"), (Ids{ids[0], ids[1]}));
  EXPECT_EQ(in("/risk/day"), Ids{ids[1]});
  EXPECT_EQ(in("/"), (Ids{ids[0], ids[1], ids[2]}));
  EXPECT_EQ(in("/ris"), Ids{});
}

TEST(selection, ids_mean_jobs_of_everybody_in_every_state) {
  ClusterBuilder c;
  auto mine = c.submit(SpecBuilder());
  auto other = c.submit(SpecBuilder().user("u2", 1002));
  c.submit(SpecBuilder());
  c.step(kill(mine));
  EXPECT_EQ(selected(c, by_id({other, mine})), (Ids{other, mine}));
  EXPECT_EQ(selected(c, by_id({{99, 0}})), Ids{});
}

TEST(selection, an_array_is_its_elements_made_or_not) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto array = c.submit(SpecBuilder().array(1, 3));
  c.run({array.job, 2}, {host});
  EXPECT_EQ(selected(c, by_id({array})), (Ids{{1, 1}, {1, 2}, {1, 3}}));
  EXPECT_EQ(selected(c, by_id({{1, 3}})), (Ids{{1, 3}}));
  EXPECT_EQ(selected(c, {}), (Ids{{1, 1}, {1, 2}, {1, 3}}));
  std::vector<JobState> states;
  each_selected(c.state, by_id({array}), "u1", [&](const Job& job, JobId id) {
    states.push_back(state_of(job, id));
    return true;
  });
  EXPECT_EQ(states,
            (std::vector<JobState>{JobState::Pending, JobState::Running, JobState::Pending}));
}

TEST(selection, without_ids_the_user_decides) {
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

TEST(selection, finished_jobs_are_shown_when_asked_for) {
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

TEST(selection, states_narrow_the_selection) {
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

TEST(selection, states_add_up) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto runs = c.submit(SpecBuilder()), waits = c.submit(SpecBuilder()),
       over = c.submit(SpecBuilder());
  c.run(runs, {host});
  c.step(kill(over));
  JobSelection selection;
  selection.pending_only = selection.running_only = true;
  EXPECT_EQ(selected(c, selection), (Ids{runs, waits}));
  selection.pending_only = false;
  selection.finished = true;
  EXPECT_EQ(selected(c, selection), (Ids{runs, over}));
}

TEST(selection, of_named_jobs_all_are_meant_unless_a_state_is_named_too) {
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

TEST(selection, names_match_with_a_star_at_either_end) {
  ClusterBuilder c;
  auto night = c.submit(with_name("train-night")), day = c.submit(with_name("train-day"));
  auto last = c.submit(with_name("retrain"));
  EXPECT_EQ(selected(c, by_name("train-day")), Ids{day});
  EXPECT_EQ(selected(c, by_name("train-*")), (Ids{night, day}));
  EXPECT_EQ(selected(c, by_name("*train")), Ids{last});
  EXPECT_EQ(selected(c, by_name("*train*")), (Ids{night, day, last}));
  EXPECT_EQ(selected(c, by_name("*")), (Ids{night, day, last}));
  EXPECT_EQ(selected(c, by_name("train")), Ids{});
}

TEST(selection, an_element_is_named_with_its_index) {
  ClusterBuilder c;
  auto spec = with_name("sweep");
  c.submit(spec.array(1, 3));
  EXPECT_EQ(selected(c, by_name("sweep[2]")), (Ids{{1, 2}}));
  EXPECT_EQ(selected(c, by_name("sweep")).size(), 3u);
}

TEST(selection, queue_project_app_and_host_narrow_the_selection) {
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

TEST(selection, users_and_hosts_may_be_groups_users_a_list) {
  ClusterBuilder c;
  c.config.users = {{.name = "ann", .groups = {"red"}}, {.name = "bob", .groups = {"red", "blue"}}};
  c.config.hosts = {{.name = "h1", .groups = {"rack"}}, {.name = "h2"}};
  c.reconfigure();
  auto h1 = c.host(4), h2 = c.host(4);
  auto of = [&](const std::string& user, std::uint32_t uid, HostId host) {
    auto id = c.submit(SpecBuilder().user(user, uid));
    c.run(id, {host});
    return id;
  };
  auto ann = of("ann", 1, h1), bob = of("bob", 2, h2), eve = of("eve", 3, h1);
  JobSelection selection;
  auto users = [&](const std::string& names) {
    selection.user = names;
    return selected(c, selection);
  };
  EXPECT_EQ(users("red"), (Ids{ann, bob}));
  EXPECT_EQ(users("blue"), Ids{bob});
  EXPECT_EQ(users("eve, blue"), (Ids{bob, eve}));
  EXPECT_EQ(users("nobody"), Ids{});
  selection.host = "rack";
  EXPECT_EQ(users("all"), (Ids{ann, eve}));
  EXPECT_EQ(users("red"), Ids{ann});
}

TEST(selection, ids_that_mean_nothing_are_named) {
  ClusterBuilder c;
  auto plain = c.submit(SpecBuilder()), array = c.submit(SpecBuilder().array(1, 3));
  auto asked = by_id({plain, array, {array.job, 3}, {array.job, 4}, {plain.job, 1}, {99, 0}});
  auto walked = each_selected(c.state, asked, "u1", [](const Job&, JobId) { return true; });
  EXPECT_EQ(walked.missing, (Ids{{array.job, 4}, {plain.job, 1}, {99, 0}}));
  EXPECT_FALSE(walked.rest);
}

TEST(selection, elements_in_the_range_stand_as_their_array_does) {
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

// Plain jobs and arrays, some elements of them made, of two users; ids twice, and unknown ones.
TEST(selection, in_portions_it_is_what_it_is_at_once) {
  std::mt19937 random(7);
  auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    ClusterBuilder c;
    auto host = c.host(64);
    Ids all = {{99, 0}, {99, 2}};
    for (int i = 0; i < 6; ++i) {
      auto spec = below(2) ? SpecBuilder() : SpecBuilder().user("u2", 1002);
      if (below(2)) spec.array(1, 1 + below(5));
      auto id = c.submit(spec);
      all.push_back(id);
      if (spec.spec.array.empty()) continue;
      JobId element{id.job, 1 + below(6)};
      all.push_back(element);
      if (element_position(spec.spec, element.index)) c.run(element, {host});
    }
    JobSelection selection;
    if (below(2)) selection.user = "all";
    if (below(4) == 0) selection.running_only = true;
    if (below(2))
      for (std::uint32_t i = below(8); i > 0; --i)
        selection.ids.push_back(all[below(static_cast<std::uint32_t>(all.size()))]);
    Ids missing;
    auto whole = each_selected(c.state, selection, "u1", [](const Job&, JobId) { return true; });
    EXPECT_EQ(in_portions(c, selection, 1 + below(4), missing), selected(c, selection));
    EXPECT_EQ(missing, whole.missing);
  }
}

TEST(selection, what_ends_between_two_portions_takes_nobody_along) {
  ClusterBuilder c;
  Ids jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(c.submit(SpecBuilder()));
  JobSelection selection;
  selection.after = jobs[1];
  c.step(KillRequested{jobs[1], {Term::Owner, "u1", "", test::at(1)}}, 1);
  c.step(JobPurged{jobs[1]}, 2);
  EXPECT_EQ(selected(c, selection), (Ids{jobs[2], jobs[3]}));
}

TEST(selection, a_write_cuts_no_array) {
  ClusterBuilder c;
  c.config.cluster.limits.max_array_size = 3000;
  c.reconfigure();
  auto first = c.submit(SpecBuilder().array(1, kMostInAnswer + 7)), second = c.submit({});
  std::size_t visited = 0;
  auto walked = each_to_change(c.state, {}, "u1", [&](const Job&, JobId) { ++visited; });
  EXPECT_EQ(visited, kMostInAnswer + 7);
  ASSERT_TRUE(walked.rest);
  EXPECT_EQ(walked.rest->after.job, first.job);
  EXPECT_EQ(selected(c, *walked.rest), Ids{second});
}

TEST(selection, an_id_that_is_repeated_counts_once) {
  ClusterBuilder c;
  auto one = c.submit({}), other = c.submit({});
  EXPECT_EQ(selected(c, by_id({one, one, other, one})), (Ids{one, other}));
}

TEST(selection, a_walk_that_finds_nothing_ends_after_very_many_and_goes_on_there) {
  ClusterBuilder c;
  for (int i = 0; i < 150; ++i) c.submit(SpecBuilder().array(1, 1000));
  auto selection = by_name("nobody*");  // no index serves a pattern
  auto walked = each_selected(c.state, selection, "u1", [](const Job&, JobId) { return true; });
  ASSERT_TRUE(walked.rest);
  EXPECT_EQ(walked.rest->after, (JobId{100, 1000}));
  EXPECT_EQ(selected(c, *walked.rest), Ids{});
}

}  // namespace
}  // namespace wm::master

// Which jobs are forgotten: plain ones, elements and what an array still stands for.
#include "daemons/wmasterd/state/purge.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;
using Ids = std::vector<JobId>;

Ids gone(const ClusterBuilder& c, double before) { return purgeable(c.state, at(before), {}).jobs; }

void end(ClusterBuilder& c, JobId id, double when) {
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""}, when);
}

KillRequested kill(JobId id, double when) { return {id, {Term::Owner, "u1", "", at(when)}}; }

TEST(purge, a_job_is_forgotten_once_it_ended_before_that_time) {
  ClusterBuilder c;
  auto host = c.host(2);
  auto id = c.submit({});
  auto runs = c.submit({});
  c.run(id, {host});
  c.run(runs, {host});
  end(c, id, 5);
  EXPECT_EQ(gone(c, 5), Ids{});
  EXPECT_EQ(gone(c, 6), Ids{id});
}

TEST(purge, an_array_is_forgotten_when_all_its_elements_have_ended) {
  ClusterBuilder c;
  auto host = c.host(2);
  auto other = c.submit(SpecBuilder().array(1, 1));  // its element is the first of all
  auto array = c.submit(SpecBuilder().array(1, 2));
  for (std::uint32_t i : {1u, 2u}) c.run({array.job, i}, {host});
  end(c, {array.job, 1}, 5);
  EXPECT_EQ(gone(c, 100), Ids{});
  end(c, {array.job, 2}, 8);
  EXPECT_EQ(gone(c, 8), Ids{});
  EXPECT_EQ(gone(c, 9), Ids{array});
  c.step(kill({other.job, 1}, 8), 8);
  EXPECT_EQ(gone(c, 9), (Ids{other, array}));
}

TEST(purge, an_array_that_was_killed_is_forgotten_whether_its_elements_ran_or_not) {
  ClusterBuilder c;
  auto host = c.host(2);
  auto array = c.submit(SpecBuilder().array(1, 3));
  c.run({array.job, 1}, {host});
  c.step(kill({array.job, 2}, 3), 3);
  c.step(kill(array, 4), 4);
  EXPECT_EQ(gone(c, 100), Ids{}) << "one runs";
  c.step(kill({array.job, 1}, 4), 4);
  end(c, {array.job, 1}, 5);
  EXPECT_EQ(gone(c, 5), Ids{});
  EXPECT_EQ(gone(c, 6), Ids{array});
  c.step(JobPurged{array}, 7);
  EXPECT_EQ(find_job(c.state, array), nullptr);
  EXPECT_EQ(find_job(c.state, {array.job, 1}), nullptr);
}

TEST(purge, a_search_without_trials_is_shown_as_long_as_what_had_some) {
  ClusterBuilder c;
  SpecBuilder open = SpecBuilder().array(1, 5);
  open.spec.open = true;
  auto closed = c.submit(open), killed = c.submit(open);
  c.step(ArrayClosed{closed, "wm"}, 20);
  c.step(kill(killed, 30), 30);
  EXPECT_EQ(gone(c, 0), Ids{});
  EXPECT_EQ(gone(c, 30), Ids{closed});
  EXPECT_EQ(gone(c, 31), (Ids{closed, killed}));
}

TEST(purge, a_walk_goes_on_where_it_stopped) {
  ClusterBuilder c;
  auto host = c.host(1);
  for (std::uint32_t i = 1; i <= 5; ++i) {
    c.run(c.submit({}), {host});
    end(c, JobId{i, 0}, 5);
  }
  auto step = [&](PurgeStep part) { return purgeable(c.state, at(6), part); };
  auto looked = step({0, 2, 100});
  EXPECT_EQ(looked.jobs, (Ids{{1, 0}, {2, 0}}));
  EXPECT_EQ(looked.next, 3u);
  auto full = step({looked.next, 100, 1});
  EXPECT_EQ(full.jobs, (Ids{{3, 0}}));
  auto rest = step({full.next, 100, 100});
  EXPECT_EQ(rest.jobs, (Ids{{4, 0}, {5, 0}}));
  EXPECT_EQ(rest.next, 0u) << "from the beginning";
}

}  // namespace
}  // namespace wm::master

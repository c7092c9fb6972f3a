// Indexes of jobs, and that a state once frozen stays as it was whatever happens afterwards: the
// core edits in place what only it holds.
#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "libwm/model/indexes.h"
#include "test/support/builders.h"

namespace wm::fsm {
namespace {

using test::ClusterBuilder;
using test::ended;
using test::SpecBuilder;

std::vector<std::uint32_t> named(const Cluster& state, const std::string& name) {
  std::vector<std::uint32_t> found;
  each_keyed(state.jobs, state.indexes.by_name, key_of(name), 0, [&](const Job& job) {
    found.push_back(job.id.job);
    return true;
  });
  return found;
}

SpecBuilder named_job(const std::string& name) {
  SpecBuilder spec;
  spec.spec.name = name;
  return spec;
}

TEST(job_index, a_job_is_found_by_its_name_until_it_has_another_or_is_gone) {
  ClusterBuilder c;
  auto a = c.submit(named_job("a")), b = c.submit(named_job("b"));
  auto more = c.submit(named_job("a"));
  EXPECT_EQ(named(c.state, "a"), (std::vector{a.job, more.job}));
  c.step(JobModified{b, named_job("a").sealed(), "u1", ""});
  EXPECT_EQ(named(c.state, "a"), (std::vector{a.job, b.job, more.job}));
  EXPECT_TRUE(named(c.state, "b").empty());
  c.step(KillRequested{a, {}});
  c.step(JobPurged{a});
  EXPECT_EQ(named(c.state, "a"), (std::vector{b.job, more.job}));
}

TEST(job_index, what_waits_of_a_user_is_counted) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto uid = SpecBuilder().spec.owner.uid;
  auto waits = [&] {
    const UserWaits* found = c.state.indexes.waits.find({uid, 0});
    return found ? found->jobs : 0;
  };
  auto one = c.submit(SpecBuilder());
  c.submit(SpecBuilder().array(1, 10));
  EXPECT_EQ(waits(), 11u);
  c.run(one, {h});
  EXPECT_EQ(waits(), 10u);
  c.dispatch({2, 1}, {h});
  EXPECT_EQ(waits(), 9u);
  c.step(KillRequested{{2, 0}, {}});
  EXPECT_EQ(waits(), 0u);
  EXPECT_EQ(c.state.indexes.waiting, 0u);
}

TEST(job_index, an_array_counts_its_elements_by_state) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto array = c.submit(SpecBuilder().array(1, 3));
  c.run({array.job, 1}, {h});
  c.run({array.job, 2}, {h});
  c.step(ended(c, {array.job, 1}, 1));
  const auto& counts = *c.state.indexes.arrays.find(array.job);
  auto in = [&](JobState state) { return counts[static_cast<std::size_t>(state)]; };
  EXPECT_EQ(in(JobState::Finished), 1u);
  EXPECT_EQ(in(JobState::Running), 1u);
  EXPECT_EQ(in(JobState::Pending), 0u);  // the third is still its base's
}

TEST(job_index, a_job_with_a_place_is_in_that_of_its_queue_until_it_has_none_or_is_over) {
  ClusterBuilder c;
  c.config.queues.push_back(c.config.queues.front());
  c.config.queues.back().name = "night";
  c.reconfigure();
  auto a = c.submit({}), b = c.submit({});
  auto moved = [&](const std::string& queue) {
    std::vector<std::uint32_t> found;
    each_keyed(c.state.jobs, c.state.indexes.moved, key_of(queue), 0, [&](const Job& job) {
      found.push_back(job.id.job);
      return true;
    });
    return found;
  };
  EXPECT_TRUE(moved("normal").empty());
  c.step(JobMoved{a, -1, "u1"});
  c.step(JobMoved{b, 1, "u1"});
  EXPECT_EQ(moved("normal"), (std::vector{a.job, b.job}));
  c.step(JobMoved{b, 0, "u1"});
  EXPECT_EQ(moved("normal"), std::vector{a.job});
  auto changed = SpecBuilder().queue("night").sealed();
  c.step(JobModified{a, changed, "u1", ""});
  EXPECT_TRUE(moved("normal").empty()) << "in another queue it has its turn";
  EXPECT_TRUE(moved("night").empty());
  c.step(JobMoved{a, -1, "u1"});
  EXPECT_EQ(moved("night"), std::vector{a.job});
  c.step(KillRequested{a, {}});
  EXPECT_TRUE(moved("night").empty());
}

TEST(job_index, of_a_state_that_was_read_is_the_same) {
  ClusterBuilder c;
  auto h = c.host(4);
  c.submit(SpecBuilder().array(1, 5));
  c.run({1, 2}, {h});
  c.submit(named_job("b"));
  auto read = codec::decode<Cluster>(codec::encode(c.state));
  ASSERT_TRUE(read);
  auto sound = check_invariants(*read);
  EXPECT_TRUE(sound) << sound.error().text;
  EXPECT_EQ(named(*read, "b"), std::vector{2u});
  EXPECT_EQ(read->indexes.waiting, c.state.indexes.waiting);
}

TEST(held_state, does_not_change_whatever_happens_afterwards) {
  ClusterBuilder c;
  auto h = c.host(300);
  auto big = c.submit(SpecBuilder().app("training").tasks(200, 200));
  c.submit(SpecBuilder().array(1, 5));
  std::vector<std::pair<Cluster, std::string>> held;
  auto hold = [&] {
    auto state = c.state.freeze();
    held.emplace_back(state, codec::encode(state));
  };
  hold();
  c.dispatch(big, std::vector<HostId>(200, h));
  for (std::uint32_t n = 1; n <= 200; ++n) {
    if (n % 50 == 1) hold();
    c.step(TaskStarted{big, Attempt{1}, TaskNumber{n}, 100});
  }
  c.run({2, 1}, {h});
  hold();
  for (std::uint32_t n = 1; n <= 200; ++n) c.step(ended(c, big, n));
  c.step(ended(c, {2, 1}, 1));
  for (const auto& [state, bytes] : held) EXPECT_EQ(codec::encode(state), bytes);
  EXPECT_EQ(c.job(big).state, JobState::Finished);
}

}  // namespace
}  // namespace wm::fsm

// Role: which tasks are asked to leave, and for whom.
#include "libwm/sched/placement/donors.h"

#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;

class Donor : public test::ClaimCluster {
 protected:
  // The named jobs may keep so many tasks; `receiver` is a pending job.
  void targets(const std::map<JobId, std::uint32_t>& keep) {
    collect();
    for (auto [id, target] : keep) claim(id)->target = target;
    places = std::make_unique<Places>(*claims, 256);
    donors = std::make_unique<Donors>(claims->all, *places);
  }
  std::optional<std::uint32_t> room_for(JobId id, std::int64_t chunk) {
    return donors->make_room(*claim(id), chunk, {}, places->request(*claim(id)).hosts);
  }
  std::vector<TaskNumber> leavers(JobId id) {
    auto it = donors->leaving().find(id);
    return it == donors->leaving().end() ? std::vector<TaskNumber>{} : it->second.tasks;
  }
  std::unique_ptr<Places> places;
  std::unique_ptr<Donors> donors;
};

using Numbers = std::vector<TaskNumber>;

TEST_F(Donor, nobody_is_asked_where_there_is_room) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann", 1, 3));
  auto r = run.submit(rigid("bob", 1));
  targets({{a, 1}});
  EXPECT_EQ(room_for(r, 1), 3u);
  EXPECT_EQ(leavers(a), Numbers{});
}

TEST_F(Donor, the_highest_number_is_asked_first) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto r = run.submit(rigid("bob", 2));
  targets({{a, 2}});
  EXPECT_EQ(room_for(r, 1), 3u);
  places->take(*claim(r), {3, 1}, {});
  EXPECT_EQ(room_for(r, 1), 2u);
  EXPECT_EQ(leavers(a), (Numbers{{4}, {3}}));
}

TEST_F(Donor, no_more_than_the_surplus_is_asked) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto r = run.submit(rigid("bob", 2));
  targets({{a, 3}});
  ASSERT_TRUE(room_for(r, 1));
  places->take(*claim(r), {3, 1}, {});
  EXPECT_FALSE(donors->any());
  EXPECT_FALSE(room_for(r, 1));
  EXPECT_EQ(leavers(a), (Numbers{{4}}));
}

TEST_F(Donor, the_lower_queue_is_asked_first) {
  gpu_hosts(4);
  auto low = run.submit(elastic("ann", 1, 2).queue("low"));
  auto normal = submit_and_settle(elastic("bob", 1, 2));
  auto r = run.submit(rigid("eve", 1).queue("high"));
  targets({{low, 1}, {normal, 1}});
  ASSERT_TRUE(room_for(r, 1));
  EXPECT_EQ(leavers(low), (Numbers{{2}}));
  EXPECT_EQ(leavers(normal), Numbers{});
}

TEST_F(Donor, one_host_is_emptied_rather_than_two_scratched) {
  gpu_hosts(2, 2);
  auto a = submit_and_settle(elastic("ann"));
  auto r = run.submit(rigid("bob", 2));
  targets({{a, 2}});
  EXPECT_EQ(room_for(r, 2), 1u);
  EXPECT_EQ(leavers(a), (Numbers{{4}, {3}}));  // 2 is beside rank 0
}

// Both have one task more than they should; that of the later job is beside its rank 0.
TEST_F(Donor, who_is_apart_from_its_rank_0_is_asked_first) {
  run.host(2, 2);
  run.host(1, 1);
  auto apart = submit_and_settle(elastic("ann", 1, 3));
  run.host(2, 2);
  auto later = submit_and_settle(elastic("bob", 1, 2));
  auto r = run.submit(rigid("eve", 1));
  targets({{apart, 2}, {later, 1}});
  EXPECT_EQ(room_for(r, 1), 1u);
  EXPECT_EQ(leavers(apart), (Numbers{{3}}));
  EXPECT_EQ(leavers(later), Numbers{});
}

TEST_F(Donor, the_host_that_needs_the_fewest_leavers_is_taken) {
  run.host(4, 3);
  run.host(4, 2);
  auto a = submit_and_settle(elastic("ann", 1, 4));  // one GPU of the second host is free
  auto spec = rigid("bob", 2);
  auto r = run.submit(spec);
  targets({{a, 1}});
  EXPECT_EQ(room_for(r, 2), 1u);
  EXPECT_EQ(leavers(a).size(), 1u);
}

// On the first two hosts a job may keep one task of two, on the others `full` keeps its four.
class FirstHost : public Donor {
 protected:
  void SetUp() override {
    gpu_hosts(4, 2);
    a = submit_and_settle(elastic("ann", 1, 2));
    b = submit_and_settle(elastic("ann", 1, 2));
    full = submit_and_settle(elastic("ann", 1, 4));
  }
  std::optional<std::uint32_t> host_for(JobId id, std::int64_t tasks, std::int64_t most = 9) {
    targets({{a, 1}, {b, 1}, {full, 4}});
    return donors->clear_host(*claim(id), tasks, most, places->request(*claim(id)).hosts);
  }
  JobId a, b, full;
};

TEST_F(FirstHost, is_cleared_by_a_job_that_then_gets_what_others_give) {
  auto r = run.submit(elastic("bob", 1, 2));
  EXPECT_EQ(host_for(r, 2), 3u);
  EXPECT_EQ(leavers(full), (Numbers{{4}, {3}}));
  EXPECT_EQ(leavers(a), Numbers{});
  EXPECT_EQ(leavers(b), Numbers{});
  EXPECT_TRUE(donors->any()) << "what a and b are to give is there for it";
}

TEST_F(FirstHost, is_that_of_jobs_above_their_target_if_they_suffice) {
  auto r = run.submit(elastic("bob", 1, 2));
  EXPECT_EQ(host_for(r, 1), 0u);
  EXPECT_EQ(leavers(a), (Numbers{{2}}));
  EXPECT_EQ(leavers(full), Numbers{});
}

TEST_F(FirstHost, is_cleared_of_no_more_within_their_target_than_may_be) {
  auto r = run.submit(elastic("bob", 1, 2));
  EXPECT_FALSE(host_for(r, 2, 1));
  EXPECT_EQ(leavers(full), Numbers{});
  EXPECT_EQ(host_for(r, 1, 0), 0u);
}

TEST_F(FirstHost, is_not_cleared_for_a_lower_queue_or_another_request) {
  EXPECT_FALSE(host_for(run.submit(elastic("bob", 1, 2).queue("low")), 2));
  auto other = elastic("bob", 1, 2);
  other.spec.task.mem = Bytes{1};
  EXPECT_FALSE(host_for(run.submit(other), 2));
  EXPECT_EQ(leavers(full), Numbers{});
}

TEST_F(FirstHost, is_not_cleared_of_jobs_that_are_started_again_for_it) {
  auto r = run.submit(elastic("bob", 1, 2));
  targets({{a, 1}, {b, 1}, {full, 4}});
  claim(full)->in_place = false;
  donors = std::make_unique<Donors>(claims->all, *places);
  EXPECT_FALSE(donors->clear_host(*claim(r), 2, 9, places->request(*claim(r)).hosts));
}

TEST_F(Donor, a_job_is_not_asked_to_leave_for_itself) {
  gpu_hosts(2);
  auto a = submit_and_settle(elastic("ann", 1, 2));
  targets({{a, 1}});
  EXPECT_FALSE(room_for(a, 1));
}

TEST_F(Donor, choices_are_undone) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto r = run.submit(rigid("bob", 1));
  targets({{a, 2}});
  places->begin();
  donors->begin();
  ASSERT_TRUE(room_for(r, 1));
  places->rollback();
  donors->rollback();
  EXPECT_EQ(leavers(a), Numbers{});
  EXPECT_EQ(places->room(3).coming.slots, 0);
  EXPECT_TRUE(donors->any());
}

TEST_F(Donor, a_lowered_limit_is_obeyed_though_nobody_receives) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  run.step(CapChanged{a, 2, false, "ann"});
  targets({{a, 2}});
  donors->release_above_limit(claims->all);
  EXPECT_EQ(leavers(a), (Numbers{{4}, {3}}));
  EXPECT_TRUE(donors->leaving().at(a).receivers.empty());
}

TEST_F(Donor, a_cap_below_the_minimum_leaves_the_minimum) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann", 3, 4));
  run.step(CapChanged{a, 1, false, "ann"});
  targets({{a, 3}});
  donors->release_above_limit(claims->all);
  EXPECT_EQ(leavers(a), (Numbers{{4}}));
}

TEST_F(Donor, the_surplus_is_released_wherever_it_is) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto r = run.submit(rigid("bob", 1));
  targets({{a, 2}});
  donors->release_surplus(*claim(a), r);
  EXPECT_EQ(leavers(a), (Numbers{{4}, {3}}));
  EXPECT_EQ(donors->leaving().at(a).receivers, (std::vector<JobId>{r}));
}

}  // namespace
}  // namespace wm::sched

// Role: rooms over time: ends of running jobs raise them, later starts lower them, and the
// first date found is one at which the tasks fit for as long as they run.
#include "libwm/sched/placement/skyline.h"

#include <random>

#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using test::at;
using test::rigid;
using test::slots;
using test::SpecBuilder;

SpecBuilder limited(SpecBuilder spec, int seconds) {
  spec.spec.run_limit = std::chrono::seconds(seconds);
  return spec;
}

class SkylineTest : public test::ClaimCluster {
 protected:
  // A job that runs on these hosts until `end`.
  void busy(std::uint32_t tasks, HostId host, double end) {
    JobId id = run.submit(slots("zoe", tasks));
    run.dispatch(id, std::vector<HostId>(tasks, host));
    ends.push_back({id, end});
  }
  void build() {
    places = std::make_unique<Places>(*claims, 256);
    sky.emplace(claims->rooms, at(0), std::chrono::seconds(10));
    for (auto [id, end] : ends) {
      for (const Task& task : run.job(id).tasks) {
        auto room = static_cast<std::uint32_t>(room_at(claims->rooms, task.host));
        sky->release(room, run.job(id), task, at(end));
      }
    }
  }
  // When a new job of that kind can start, in seconds; -1: never.
  double first_date(const SpecBuilder& spec, int length = 0) {
    last = run.submit(limited(spec, length));
    collect();
    build();
    for (const auto& [share, window] : occupied) sky->occupy(*claim(last), share, window);
    dated = sky->earliest(*places, *claim(last), {std::chrono::seconds(length)});
    return dated ? std::chrono::duration<double>(dated->at - at(0)).count() : -1;
  }
  std::vector<std::pair<JobId, double>> ends;
  std::vector<std::pair<Share, Window>> occupied;
  std::unique_ptr<Places> places;
  std::optional<Skyline> sky;
  std::optional<Dated> dated;
  JobId last;
};

TEST_F(SkylineTest, free_room_is_free_now) {
  run.host(2);
  EXPECT_EQ(first_date(slots("ann", 2)), 0);
}

TEST_F(SkylineTest, who_makes_way_is_gone_after_the_grace_until_that_is_undone) {
  HostId host = run.host(2);
  busy(2, host, 1000);
  auto spec = limited(slots("ann", 2), 100);
  EXPECT_EQ(first_date(spec, 100), 1000);
  const Job& victim = run.job(ends[0].first);
  auto date = [&] {
    auto found = sky->earliest(*places, *claim(last), {std::chrono::seconds(100)});
    return found ? found->at : WallTime{};
  };
  sky->begin();
  for (const Task& task : victim.tasks) sky->leave(0, victim, task, false);
  EXPECT_EQ(date(), at(10));
  sky->occupy(*claim(last), {0, 2}, {at(10), at(50)});
  EXPECT_EQ(date(), at(50)) << "its own end does not free the room a second time";
  sky->rollback();
  EXPECT_EQ(date(), at(1000));
}

// What is kept from pass to pass, and what only this pass knows, count alike.
TEST_F(SkylineTest, kept_ends_are_gone_through_in_order_of_time) {
  HostId a = run.host(1), b = run.host(1), c = run.host(1);
  for (HostId host : {a, b, c}) busy(1, host, 0);
  JobId last = run.submit(slots("ann", 2));
  collect();
  Places places(*claims, 256);
  Ends kept;
  kept.reset(claims->rooms.size());
  const Job &first = run.job(ends[0].first), &second = run.job(ends[1].first),
            &third = run.job(ends[2].first);
  kept.add(0, {at(300), &first, &first.tasks[0]});
  kept.add(1, {at(2), &second, &second.tasks[0]});
  auto date = [&](const Ends* of, bool more) {
    Skyline sky(claims->rooms, at(0), std::chrono::seconds(10), of);
    if (more) sky.release(2, third, third.tasks[0], at(200));
    auto found = sky.earliest(places, *claim(last), {});
    return found ? std::chrono::duration<double>(found->at - at(0)).count() : -1;
  };
  EXPECT_EQ(date(&kept, false), 300);
  EXPECT_EQ(date(&kept, true), 200);
  EXPECT_EQ(date(nullptr, true), -1);
  kept.remove(1, second.tasks[0]);
  EXPECT_EQ(date(&kept, false), -1) << "one slot is not enough";
  EXPECT_EQ(date(&kept, true), 300);
  EXPECT_EQ(kept.dates().size(), 1u);
}

TEST_F(SkylineTest, what_should_have_ended_counts_after_the_grace) {
  HostId a = run.host(1);
  busy(1, a, 0);
  JobId last = run.submit(slots("ann", 1));
  collect();
  Places places(*claims, 256);
  const Job& late = run.job(ends[0].first);
  for (auto [end, counted] :
       {std::pair(kAtOnce, at(10)), {at(-5), at(10)}, {at(0), at(10)}, {at(3), at(3)}}) {
    Ends kept;
    kept.reset(1);
    kept.add(0, {end, &late, &late.tasks[0]});
    Skyline sky(claims->rooms, at(0), std::chrono::seconds(10), &kept);
    auto found = sky.earliest(places, *claim(last), {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->at, counted);
  }
}

TEST_F(SkylineTest, a_job_that_never_ends_leaves_no_date) {
  HostId host = run.host(2);
  run.dispatch(run.submit(slots("zoe", 1)), {host});
  EXPECT_EQ(first_date(slots("ann", 2)), -1);
}

TEST_F(SkylineTest, the_date_is_the_end_that_makes_enough_room) {
  HostId a = run.host(2), b = run.host(2);
  busy(2, a, 100);
  busy(2, b, 50);
  EXPECT_EQ(first_date(slots("ann", 2)), 50);
  EXPECT_EQ(dated->shares, (std::vector<Share>{{1, 2}}));
  EXPECT_EQ(first_date(slots("ann", 3)), 100);
}

TEST_F(SkylineTest, a_date_is_looked_for_as_far_as_asked) {
  HostId a = run.host(2), b = run.host(2);
  busy(2, a, 100);
  busy(2, b, 50);
  for (bool steps : {false, true}) {
    if (steps) occupied = {{{0, 2}, {at(300), at(400)}}, {{1, 2}, {at(300), at(400)}}};
    EXPECT_EQ(first_date(slots("ann", 3), 60), 100);
    for (double before : {0.0, 99.0, 100.0})
      EXPECT_FALSE(sky->earliest(*places, *claim(last), {std::chrono::seconds(60), at(before)}));
    EXPECT_TRUE(sky->earliest(*places, *claim(last), {std::chrono::seconds(60), at(100.5)}));
  }
}

TEST_F(SkylineTest, who_will_not_run_after_all_leaves_no_trace) {
  HostId quiet = run.host(8, 4), host = run.host(8, 4);  // from the second some are leaving
  busy(1, quiet, 70);
  busy(1, host, 70);
  JobId shrinks = run.submit(test::elastic("bea", 1, 3));
  run.dispatch(shrinks, {host, host, host});
  run.step(TasksLeaving{shrinks, Attempt{1}, {TaskNumber{2}, TaskNumber{3}}, at(10), ""});
  std::vector<JobId> jobs;
  for (std::uint32_t n = 1; n <= 3; ++n) jobs.push_back(run.submit(slots("ann", n)));
  jobs.push_back(run.submit(rigid("ann", 1)));
  collect();
  build();
  std::minstd_rand random(7);
  for (int round = 0; round < 8000; ++round) {
    Skyline with = *sky, without = *sky;
    std::uint32_t room = random() % 2;
    std::size_t leaver = random() % jobs.size();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      double from = random() % 20;
      Window window{at(from), at(from + 1 + random() % 100)};
      Share share{room, 1 + static_cast<std::int64_t>(random() % 2)};
      with.occupy(*claim(jobs[i]), share, window);
      if (i != leaver) without.occupy(*claim(jobs[i]), share, window);
    }
    with.vacate(*claim(jobs[leaver]), {{room, 1}});
    for (JobId asks : jobs) {
      double from = random() % 100;
      Window window{at(from), at(from + 1 + random() % 50)};
      EXPECT_EQ(with.fits(*places, *claim(asks), room, window, 8, {}),
                without.fits(*places, *claim(asks), room, window, 8, {}))
          << "round " << round;
    }
  }
}

TEST_F(SkylineTest, memory_that_was_given_back_early_is_free_once) {
  HostId host = run.host(2);
  Bytes all = run.host_of(host).capacity.mem;
  auto asks = slots("zoe", 1);
  asks.spec.task.mem = Bytes{all.value / 2};
  JobId early = run.submit(asks);
  run.run(early, {host});
  run.step(MemoryReleased{early, run.job(early).attempt});
  JobId other = run.submit(asks);
  run.run(other, {host});
  ends = {{early, 100}, {other, 200}};
  auto whole = slots("ann", 1);
  whole.spec.task.mem = all;
  EXPECT_EQ(first_date(whole), 200);
}

TEST_F(SkylineTest, tasks_that_must_be_together_wait_for_one_host) {
  HostId a = run.host(2), b = run.host(2);
  busy(1, a, 100);
  busy(1, b, 200);
  auto spec = slots("ann", 2);
  EXPECT_EQ(first_date(spec), 0);
  spec.spec.span.one_host = true;
  EXPECT_EQ(first_date(spec), 100);
}

TEST_F(SkylineTest, a_short_job_fits_before_what_is_held_a_long_one_after_it) {
  run.host(2);
  occupied.push_back({{0, 2}, {at(60), at(100)}});
  EXPECT_EQ(first_date(slots("ann", 1), 60), 0);
  EXPECT_EQ(first_date(slots("ann", 1), 61), 100);
  EXPECT_EQ(first_date(slots("ann", 1), 0), 100);
}

TEST_F(SkylineTest, gpus_are_followed_like_slots) {
  HostId host = run.host(8, 2);
  JobId gpu_job = run.submit(rigid("zoe", 2));
  run.dispatch(gpu_job, {host, host});
  ends.push_back({gpu_job, 70});
  EXPECT_EQ(first_date(rigid("ann", 1)), 70);
  EXPECT_EQ(first_date(slots("ann", 4)), 0);
}

TEST_F(SkylineTest, what_was_tried_is_undone) {
  run.host(2);
  EXPECT_EQ(first_date(slots("ann", 2)), 0);
  Claim& one = *claim(last);
  sky->begin();
  sky->occupy(one, {0, 2}, {at(0), WallTime::max()});
  EXPECT_EQ(sky->fits(*places, one, 0, {at(0), at(1)}, 2, {}), 0);
  sky->rollback();
  EXPECT_EQ(sky->fits(*places, one, 0, {at(0), at(1)}, 2, {}), 2);
}

}  // namespace
}  // namespace wm::sched

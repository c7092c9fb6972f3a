// What people arrange, and what they configured for it, as bytes and back.
#include <gtest/gtest.h>

#include "libwm/base/hash.h"
#include "libwm/codec/codec.h"
#include "libwm/model/cluster.h"
#include "libwm/model/event.h"
#include "libwm/model/verbs/group_verbs.h"
#include "libwm/model/verbs/reservation_verbs.h"

namespace wm {
namespace {

Reservation reservation() {
  Reservation r;
  r.name = "ann#0";
  r.kind = ReservedFor::Group;
  r.users = {"ann", "vision"};
  r.open = true;
  r.begin = WallTime(std::chrono::seconds(5));
  r.windows = {{1200, 360}};
  r.places = {{HostId{3}, 4}};
  r.by = "root";
  return r;
}

template <class E>
E again(const E& event) {
  auto body = codec::decode<EventBody>(codec::encode(EventBody(event)));
  return std::get<E>(*body);
}

TEST(arranged_codec, events_come_back_as_they_were) {
  EXPECT_EQ(again(ReservationSet{reservation(), "root"}).reservation, reservation());
  EXPECT_EQ(again(ReservationRemoved{"ann#0", "root"}).name, "ann#0");
  JobGroup group{"ann", 0, WallTime(std::chrono::seconds(9))};
  EXPECT_EQ(again(JobGroupSet{"/risk/day", group, "ann"}).group, group);
  EXPECT_EQ(again(JobGroupRemoved{"/risk", "ann"}).path, "/risk");
  JobNote note{7, "ann", "half way", WallTime(std::chrono::seconds(2)), "plot.png", "\x89PNG"};
  EXPECT_EQ(again(JobNoted{JobId{4, 2}, note}).note, note);
  EXPECT_EQ(again(JobRelocated{JobId{4, 0}, {HostId{1}, HostId{2}}, "root"}).hosts,
            (std::vector{HostId{1}, HostId{2}}));
}

TEST(arranged_codec, their_bytes_stay) {
  EXPECT_EQ(hex(codec::encode(EventBody(ReservationRemoved{"a", "b"}))),
            "f202060a016112016"
            "2");
  JobNote note{1, "b", "c", WallTime{}, "", ""};
  EXPECT_EQ(hex(codec::encode(EventBody(JobNoted{JobId{5, 0}, note}))),
            "8a030e0a02080512080801120162"
            "1a0163");
}

TEST(arranged_codec, a_snapshot_keeps_them) {
  Cluster cluster;
  cluster.reservations.edit()["ann#0"] = reservation();
  cluster.job_groups.edit()["/risk"] = {"ann", 3, {}};
  auto read = codec::decode<Cluster>(codec::encode(cluster));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->reservations, *cluster.reservations);
  EXPECT_EQ(*read->job_groups, *cluster.job_groups);
}

TEST(arranged_codec, a_job_and_a_configuration_keep_what_was_asked) {
  JobSpec spec;
  spec.reservation = "ann#0";
  spec.service_class = "reports";
  spec.run_estimate = std::chrono::minutes(5);
  spec.checkpoint = {"/ckpt", std::chrono::minutes(10), "wm"};
  EXPECT_EQ(*codec::decode<JobSpec>(codec::encode(spec)), spec);
  Config config;
  config.limits.push_back({});
  config.limits[0].name = "night";
  config.limits[0].users = {{"all", "~ann"}, true};
  config.limits[0].jobs = 0;
  config.limits[0].mem = Bytes{1 << 30};
  config.limits[0].windows = {{0, 60}};
  config.classes.push_back({});
  config.classes[0].name = "reports";
  config.classes[0].velocity = 3;
  config.clock = {{0, 3600}};
  QueueConf queue;
  queue.name = "q";
  queue.run_window = queue.dispatch_window = {{1, 2}};
  config.queues.push_back(queue);
  PlanConf plan;
  plan.shares_at = {{7, {{3, 4}}}};
  config.plans.push_back(plan);
  EXPECT_EQ(*codec::decode<Config>(codec::encode(config)), config);
}

TEST(arranged_codec, requests_come_back_as_they_were) {
  ReserveRequest reserve{
      "0123456789abcdef", ReserveRequest::Act::AddHosts, reservation(), {"h1"}, "mem > 1", 3, true};
  EXPECT_EQ(*codec::decode<ReserveRequest>(codec::encode(reserve)), reserve);
  GroupRequest group{"0123456789abcdef", GroupRequest::Act::Modify, "/a", true, 0u};
  EXPECT_EQ(*codec::decode<GroupRequest>(codec::encode(group)), group);
  ReservationView view{reservation(), {"h3"}, {2}, true, {}, WallTime(std::chrono::hours(1)), {}};
  ReservationsReply reply{{view}, {"bob#1"}};
  EXPECT_EQ(*codec::decode<ReservationsReply>(codec::encode(reply)), reply);
}

}  // namespace
}  // namespace wm

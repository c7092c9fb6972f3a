#include "libwm/model/config/config.h"

#include <gtest/gtest.h>

#include "libwm/codec/codec.h"

namespace wm {
namespace {

Config full() {
  Config c;
  c.cluster.admins = {"ann", "bob"};
  c.cluster.dirs.results = "/shared/results";
  c.cluster.limits.store_reserve = Bytes{1 << 20};
  c.queues = {{.name = "night",
               .priority = 10,
               .run_limit = {std::chrono::hours(1), std::chrono::hours(2)},
               .interactive = Interactive::Only,
               .place = PlaceBy::Topology,
               .preempt_by = PreemptBy::Kill,
               .elastic = SizeBy::Goodput,
               .requeue_exits = {{1, 3}, {3}}}};
  c.hosts = {{.name = "gpu01",
              .mem = Bytes{1LL << 34},
              .gpus = 4,
              .groups = {"gpu", "fast"},
              .resources = {{"ssd", ""}, {"scratch", "500"}},
              .load = {{"r1m", 0.7, 2.0}},
              .dispatch_window = {{60, 120}}}};
  c.plans = {{},
             {.path = "/research",
              .shares = 3,
              .limit = 0,
              .reclaim_grace = Duration(0),
              .elastic = SizeBy::FairShare}};
  c.apps = {{.name = "training",
             .type = AppType::Training,
             .env = {{"A", "B"}},
             .success_exits = {3, 0, 7},
             .requeue_exits = {{9, 20}, {9}},
             .place = PlaceBy::Spread}};
  c.users = {{.name = "ann", .groups = {"vision"}, .max_slots = 8}};
  return c;
}

void expect_round_trip(const Config& value) {
  auto back = codec::decode<Config>(codec::encode(value));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, value);
}

TEST(config_codec, an_empty_configuration_survives_the_trip) { expect_round_trip(Config{}); }

TEST(config_codec, every_section_survives_the_trip) { expect_round_trip(full()); }

TEST(config_codec, zero_survives_where_the_default_is_not_zero) {
  Config c = full();
  c.cluster.times.clean_period = Duration(0);
  c.cluster.limits.newcomer_tries = 0;
  c.cluster.dirs.state.clear();
  c.queues[0].priority = 0;
  c.plans[1].shares = 0;
  expect_round_trip(c);
}

// A length-delimited field of protobuf.
std::string field(int tag, const std::string& bytes) {
  std::string key;
  for (unsigned n = static_cast<unsigned>(tag) << 3 | 2; n > 0; n >>= 7)
    key += static_cast<char>(n > 0x7f ? n | 0x80 : n);
  return key + static_cast<char>(bytes.size()) + bytes;
}

TEST(config_codec, choices_are_the_words_that_they_were_when_they_were_texts) {
  auto queue = field(1, "q") + field(60, "topology") + field(62, "kill") + field(140, "goodput");
  auto bytes = field(2, queue) + field(4, field(1, "/a") + field(140, "queue")) +
               field(5, field(1, "x") + field(60, "spread"));
  auto config = codec::decode<Config>(bytes);
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->queues[0].place, PlaceBy::Topology);
  EXPECT_EQ(config->queues[0].preempt_by, PreemptBy::Kill);
  EXPECT_EQ(config->queues[0].elastic, SizeBy::Goodput);
  EXPECT_EQ(config->plans[0].elastic, std::nullopt);
  EXPECT_EQ(config->apps[0].place, PlaceBy::Spread);
  EXPECT_NE(codec::encode(*config).find(field(62, "kill")), std::string::npos);
  EXPECT_FALSE(codec::decode<Config>(field(2, field(62, "sideways"))));
}

TEST(config_codec, a_limit_of_zero_is_not_no_limit) {
  Config c;
  c.plans = {{.path = "/closed", .limit = 0}};
  auto back = codec::decode<Config>(codec::encode(c));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->plans[0].limit, std::optional<std::uint32_t>(0));
}

}  // namespace
}  // namespace wm

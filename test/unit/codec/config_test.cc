#include "libwm/model/config.h"

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
               .requeue_exits = {{1, 3}, {3}}}};
  c.hosts = {{.name = "gpu01",
              .mem = Bytes{1LL << 34},
              .gpus = 4,
              .groups = {"gpu", "fast"},
              .resources = {{"ssd", ""}, {"scratch", "500"}}}};
  c.plans = {{}, {.path = "/research", .shares = 3, .limit = 0, .reclaim_grace = Duration(0)}};
  c.apps = {{.name = "training",
             .type = AppType::Training,
             .env = {{"A", "B"}},
             .success_exits = {3, 0, 7},
             .requeue_exits = {{9, 20}, {9}}}};
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

TEST(config_codec, a_limit_of_zero_is_not_no_limit) {
  Config c;
  c.plans = {{.path = "/closed", .limit = 0}};
  auto back = codec::decode<Config>(codec::encode(c));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->plans[0].limit, std::optional<std::uint32_t>(0));
}

}  // namespace
}  // namespace wm

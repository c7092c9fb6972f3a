#include "libwm/conf/field.h"

#include <gtest/gtest.h>

namespace wm::conf {
namespace {

std::string refusal(const Field& field, std::string_view text, Range range = {}) {
  auto set = set_field(field, text, range);
  return set ? "accepted" : set.error().text;
}

TEST(field, bounds_are_named_in_the_fields_unit) {
  std::uint32_t n = 7;
  EXPECT_EQ(refusal(&n, "70000", {1, 65535}), "70000 exceeds the most, 65535");
  EXPECT_EQ(refusal(&n, "-1", {}), "-1 is below the least, 0");
  EXPECT_EQ(refusal(&n, "7x"), "'7x' is not a number");
  EXPECT_EQ(refusal(&n, "99999999999"), "99999999999 exceeds the most, 4294967295");
  EXPECT_EQ(n, 7u);
  Duration d{};
  EXPECT_EQ(refusal(&d, "2h", {0, 60000000}), "2h exceeds the most, 1m");
  Bytes b;
  EXPECT_EQ(refusal(&b, "2G", {0, 1 << 20}), "2G exceeds the most, 1M");
}

TEST(field, a_wrong_unit_is_refused) {
  Duration d{};
  EXPECT_NE(refusal(&d, "16G"), "accepted");
  Bytes b;
  EXPECT_NE(refusal(&b, "2h"), "accepted");
}

TEST(field, enumerations_list_their_words) {
  ResizeMode mode{};
  EXPECT_EQ(refusal(&mode, "quick"), "'quick' is not one of auto inplace restart tasks notify");
  EXPECT_EQ(refusal(&mode, "tasks"), "accepted");
  EXPECT_EQ(mode, ResizeMode::Tasks);
}

TEST(field, codes_that_requeue_may_exclude_hosts) {
  RequeueExits exits;
  ASSERT_TRUE(set_field(&exits, "30, EXCLUDE(20)", {}));
  EXPECT_EQ(exits, (RequeueExits{{20, 30}, {20}}));
  EXPECT_EQ(show_field(&exits), "30, EXCLUDE(20)");
  EXPECT_EQ(refusal(&exits, "30 EXCLUDE(300)"),
            "'300': exit codes from 0 to 255, all, ~code or EXCLUDE(code ...) are wanted");
  EXPECT_EQ(exits.codes.size(), 2u);
}

TEST(field, an_act_is_a_signal_or_a_command) {
  std::string act;
  for (const char* fine :
       {"SIGTSTP", "USR1", "15", "kill -9 $LSB_JOBPGIDS", "./stop", "stop", ""}) {
    EXPECT_EQ(refusal(ActField{&act}, fine), "accepted") << fine;
    EXPECT_EQ(act, fine);
  }
  EXPECT_TRUE(refusal(ActField{&act}, "SIGSTPO").starts_with("'SIGSTPO' is not a signal, of HUP"));
  EXPECT_NE(refusal(ActField{&act}, "CHKPNT"), "accepted");
}

TEST(field, what_ends_jobs_is_a_list_of_three_words) {
  TerminateWhen when;
  ASSERT_TRUE(set_field(&when, "window load", {}));
  EXPECT_EQ(when, (TerminateWhen{true, false, true}));
  EXPECT_EQ(show_field(&when), "load window");
  EXPECT_EQ(refusal(&when, "later"), "'later' is not one of load preempt window");
}

TEST(field, load_limits_are_refused_with_their_word) {
  std::vector<LoadLimit> load;
  EXPECT_TRUE(refusal(&load, "r1m=0.5 cpu=1").starts_with("'cpu=1'"));
  ASSERT_TRUE(set_field(&load, "r1m=0.5/1", {}));
  EXPECT_EQ(show_field(&load), "r1m=0.5/1");
}

TEST(field, none_is_not_zero) {
  std::optional<std::uint32_t> limit;
  ASSERT_TRUE(set_field(&limit, "0", {}));
  EXPECT_EQ(limit, std::optional<std::uint32_t>(0));
  ASSERT_TRUE(set_field(&limit, "none", {}));
  EXPECT_EQ(limit, std::nullopt);
}

TEST(field, borrow_is_a_word_or_a_list) {
  PlanConf plan;
  Field field = BorrowField{&plan.borrow, &plan.borrow_from};
  ASSERT_TRUE(set_field(field, "/a, /b", {}));
  EXPECT_EQ(plan.borrow, Borrow::Listed);
  EXPECT_EQ(plan.borrow_from, (std::vector<std::string>{"/a", "/b"}));
  ASSERT_TRUE(set_field(field, "none", {}));
  EXPECT_EQ(plan.borrow, Borrow::None);
  EXPECT_TRUE(plan.borrow_from.empty());
}

TEST(field, ports_are_a_rising_range) {
  std::uint32_t first = 0, last = 0;
  Field field = PortRange{&first, &last};
  EXPECT_EQ(refusal(field, "3000-2000"), "'3000-2000' is not a range: its end is below its start");
  EXPECT_EQ(refusal(field, "3000"), "'3000' is not a range such as 20000-24999");
  EXPECT_EQ(refusal(field, "20000-40000", {1024, 32767}), "40000 exceeds the most, 32767");
  EXPECT_EQ(refusal(field, "20000-20100"), "accepted");
  EXPECT_EQ(show_field(field), "20000-20100");
}

TEST(field, names_without_value_are_flags_of_a_map) {
  std::map<std::string, std::string> map;
  ASSERT_TRUE(set_field(&map, "ssd, scratch=500", {}));
  EXPECT_EQ(map, (std::map<std::string, std::string>{{"ssd", ""}, {"scratch", "500"}}));
  EXPECT_EQ(refusal(&map, "a=1,a=2"), "'a' is given twice");
}

}  // namespace
}  // namespace wm::conf

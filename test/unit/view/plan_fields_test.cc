#include "libwm/view/plan_fields.h"

#include <gtest/gtest.h>

#include "test/unit/view/listings.h"

namespace wm::view {
namespace {

PlanView plan(std::string path, std::int64_t limit = -1) {
  PlanView view;
  view.path = std::move(path);
  view.shares = 3;
  view.owns = 4;
  view.limit = limit;
  view.used = 5;
  view.demand = 9;
  view.deserved = 6;
  view.lent = 1;
  view.borrowed = 2;
  return view;
}

TEST(tree_name, indents_by_level) {
  EXPECT_EQ(tree_name("/"), "/");
  EXPECT_EQ(tree_name("/research"), "  /research");
  EXPECT_EQ(tree_name("/research/vision"), "    /vision");
}

TEST(plan_table, is_a_tree_with_a_dash_for_no_limit) {
  EXPECT_EQ(plan_table(std::vector{plan("/"), plan("/research", 8)}, false, true),
            "PLAN                 SHARES  OWNS LIMIT  USED DEMAND DESERVED  LENT BORROWED\n"
            "/                         3     4     -     5      9        6     1        2\n"
            "  /research               3     4     8     5      9        6     1        2\n");
}

TEST(plan_table, a_star_says_that_shares_are_those_of_the_time) {
  auto view = plan("/");
  view.conf.shares = 1;
  view.conf.shares_at = {{2, *parse_windows("20:00-6:00")}, {3, *parse_windows("6:00-20:00")}};
  EXPECT_EQ(plan_table(std::vector{view}, false, false),
            "/                        3*     4     -     5      9        6     1        2\n");
  auto text = plan_long_text(view);
  EXPECT_NE(text.find("SHARES:        1 else\nSHARES AT:     2 in 20:00-06:00\n"
                      "SHARES AT:     3 in 06:00-20:00, in force\n"),
            std::string::npos)
      << text;
  view.shares = 1;
  EXPECT_EQ(plan_table(std::vector{view}, false, false).find('*'), std::string::npos);
  EXPECT_NE(plan_long_text(view).find("1 else, in force\n"), std::string::npos);
}

TEST(plan_table, whole_paths_widen_the_column) {
  auto text = plan_table(std::vector{plan("/research/computer_vision")}, true, false);
  EXPECT_EQ(text,
            "/research/computer_vision      3     4     -     5      9        6     1        2\n");
}

TEST(plan_fields, json_has_every_contracted_key) {
  Listing listing{"bplans", "PLANS", "plan shares owns limit used demand deserved lent borrowed"};
  EXPECT_EQ(json_of<PlanView>(listing, plan_fields(), std::vector{plan("/a")}),
            "{\n  \"COMMAND\": \"bplans\",\n  \"PLANS\": 1,\n  \"RECORDS\": [\n    {\n      "
            "\"PLAN\": \"/a\",\n"
            "      \"SHARES\": \"3\",\n      \"OWNS\": \"4\",\n      \"LIMIT\": \"\",\n      "
            "\"USED\": \"5\",\n"
            "      \"DEMAND\": \"9\",\n      \"DESERVED\": \"6\",\n      \"LENT\": \"1\",\n"
            "      \"BORROWED\": \"2\"\n    }\n  ]\n}\n");
}

TEST(plan_long_text, says_who_may_use_it_and_what_it_lends) {
  auto view = plan("/a");
  auto text = plan_long_text(view);
  EXPECT_NE(text.find("USERS:         all\n"), std::string::npos) << text;
  EXPECT_NE(text.find("LENDS:         all\n"), std::string::npos) << text;
  view.conf.users = {"ann", "bob"};
  view.conf.lend = 2;
  view.conf.borrow = Borrow::Listed;
  view.conf.borrow_from = {"/b"};
  text = plan_long_text(view);
  EXPECT_NE(text.find("USERS:         ann bob\n"), std::string::npos) << text;
  EXPECT_NE(text.find("LENDS:         2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("BORROWS FROM:  /b\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace wm::view

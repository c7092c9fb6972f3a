// Role: what a changed configuration would do, as a page shows it.
#include "daemons/wuserd/cluster/preview.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::user {
namespace {

using replay::Foretold;

WallTime after(int seconds) {
  return seconds < 0 ? WallTime{} : WallTime(Duration(std::chrono::seconds(1'000 + seconds)));
}
Foretold row(std::uint32_t job, int now, int then, bool displaced = false) {
  return {{job, 0}, after(now), after(then), displaced};
}

TEST(foretold_json, counts_all_and_shows_those_that_move_most_first) {
  const Cluster live;
  const Foretold rows[] = {row(1, 50, 50), row(2, 50, 40), row(3, 10, 100, true), row(4, -1, 30),
                           row(5, 30, -1, true)};
  auto json = foretold_json(live, rows, after(0));
  EXPECT_EQ(json["at"], 1000);
  EXPECT_EQ(json["gains"], 2);
  EXPECT_EQ(json["waits"], 2);
  EXPECT_EQ(json["same"], 1);
  ASSERT_EQ(json["jobs"].size(), 4u);
  EXPECT_EQ(json["jobs"][0]["id"], "4") << "from never to some day";
  EXPECT_EQ(json["jobs"][0]["now"], nullptr);
  EXPECT_EQ(json["jobs"][0]["verdict"], "gains");
  EXPECT_EQ(json["jobs"][1]["id"], "5");
  EXPECT_EQ(json["jobs"][1]["then"], nullptr);
  EXPECT_EQ(json["jobs"][2]["id"], "3");
  EXPECT_EQ(json["jobs"][2]["verdict"], "waits");
}

TEST(foretold_json, a_second_is_no_difference) {
  const Foretold rows[] = {row(1, 50, 51), row(2, 50, 49)};
  auto json = foretold_json({}, rows, after(0));
  EXPECT_EQ(json["same"], 2);
  EXPECT_TRUE(json["jobs"].empty());
}

TEST(foretold_json, users_and_queues_are_those_of_the_jobs) {
  test::ClusterBuilder cluster;
  cluster.host(1);
  auto id = cluster.submit(test::SpecBuilder().user("ann", 1001));
  const Foretold rows[] = {{id, after(50), after(20), false}, row(99, 1, 2, true)};
  auto json = foretold_json(cluster.state, rows, after(0));
  ASSERT_EQ(json["users"].size(), 1u) << "of a job that is gone nothing is known";
  EXPECT_EQ(json["users"][0]["name"], "ann");
  EXPECT_EQ(json["users"][0]["gains"], 1);
  EXPECT_EQ(json["jobs"][0]["user"], "ann");
  EXPECT_EQ(json["jobs"][0]["runs"], false);
}

TEST(foretold_json, a_page_gets_no_more_rows_than_it_shows) {
  std::vector<Foretold> rows;
  for (std::uint32_t i = 1; i <= 1000; ++i) rows.push_back(row(i, 0, static_cast<int>(i) + 10));
  auto json = foretold_json({}, rows, after(0));
  EXPECT_EQ(json["waits"], 1000);
  EXPECT_EQ(json["jobs"].size(), kMostForetold);
  EXPECT_EQ(json["jobs"][0]["id"], "1000");
}

}  // namespace
}  // namespace wm::user

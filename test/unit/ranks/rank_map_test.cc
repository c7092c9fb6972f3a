// Which ranks are on which host, as agents read it and PMIx is told.
#include "libwm/ranks/rank_map.h"

#include <gtest/gtest.h>

namespace wm::ranks {
namespace {

TEST(rank_map, counts_ranks_host_by_host) {
  auto map = parse_rank_map("node1 2 node2 1 node7 3");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->hosts, (std::vector<RankHost>{{"node1", 0, 2}, {"node2", 2, 1}, {"node7", 3, 3}}));
  EXPECT_EQ(map->size(), 6u);
}

TEST(rank_map, knows_where_a_rank_is) {
  auto map = *parse_rank_map("node1 2 node2 1 node7 3");
  EXPECT_EQ(map.place_of(0u), 0u);
  EXPECT_EQ(map.place_of(1u), 0u);
  EXPECT_EQ(map.place_of(2u), 1u);
  EXPECT_EQ(map.place_of(5u), 2u);
  EXPECT_EQ(map.place_of(6u), 3u);  // no such rank
  EXPECT_EQ(map.place_of("node7"), 2u);
  EXPECT_EQ(map.place_of("node3"), 3u);
}

TEST(rank_map, is_written_as_pmix_reads_it) {
  auto map = *parse_rank_map("node1 2 node2 1 node7 3");
  EXPECT_EQ(node_map(map), "raw:node1,node2,node7");
  EXPECT_EQ(proc_map(map), "raw:0,1;2;3,4,5");
  EXPECT_EQ(peers_at(map.hosts[2]), "3,4,5");
}

TEST(rank_map, refuses_what_is_no_list_of_hosts) {
  for (const char* text : {"", "   ", "node1", "node1 0", "node1 x", "node1 2 node2", "node1 2x"})
    EXPECT_FALSE(parse_rank_map(text)) << text;
}

}  // namespace
}  // namespace wm::ranks

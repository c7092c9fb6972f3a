// Role: where tasks go by each policy, alone on offers: packed, spread, below few switches, in
// preferred order, and under the rules of same[] and cu[].
#include "libwm/sched/capacity/layout.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace wm::sched {
namespace {

using Shares = std::vector<Share>;

// Hosts h0, h1 … on the switches given.
struct SwitchTree {
  explicit SwitchTree(const std::vector<std::string>& paths) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      Host host;
      host.id = HostId{static_cast<std::uint32_t>(i + 1)};
      host.name = "h" + std::to_string(10 + i);
      hosts.push_back(host);
      HostConf conf;
      conf.name = host.name;
      conf.switches = paths[i];
      config.hosts.push_back(conf);
    }
    std::vector<HostCapacity> rooms;
    for (const Host& host : hosts) rooms.push_back(room_of(host));
    switches = Switches(config, rooms);
  }
  std::deque<Host> hosts;
  Config config;
  Switches switches;
};

Shares offers_of(const std::vector<std::int64_t>& room) {
  Shares offers;
  for (std::size_t i = 0; i < room.size(); ++i)
    if (room[i] > 0) offers.push_back({static_cast<std::uint32_t>(i), room[i]});
  return offers;
}

std::int64_t total(const Shares& shares) {
  std::int64_t sum = 0;
  for (const Share& share : shares) sum += share.tasks;
  return sum;
}

LayoutRules rules_for(Placing placing, std::int64_t tasks, const Switches* switches = nullptr) {
  return {placing, tasks, true, {}, switches, {}, {}};
}

TEST(layout, pack_takes_the_fewest_hosts_then_the_first) {
  auto r = rules_for(Placing::Pack, 5);
  EXPECT_EQ(lay_out(offers_of({2, 4, 4, 1}), r), (Shares{{1, 4}, {2, 1}}));
}

TEST(layout, spread_is_even_and_prefers_room) {
  auto r = rules_for(Placing::Spread, 4);
  EXPECT_EQ(lay_out(offers_of({4, 1, 4}), r), (Shares{{0, 2}, {1, 1}, {2, 1}}));
  r.tasks = 1;
  EXPECT_EQ(lay_out(offers_of({1, 3, 3}), r), (Shares{{1, 1}}));
}

TEST(layout, preferred_hosts_are_filled_in_their_order) {
  EXPECT_EQ(lay_out(Shares{{2, 1}, {0, 4}}, rules_for(Placing::InOrder, 3)),
            (Shares{{2, 1}, {0, 2}}));
}

TEST(layout, a_gang_is_laid_out_whole_or_not) {
  auto r = rules_for(Placing::Spread, 9);
  EXPECT_TRUE(lay_out(offers_of({4, 4}), r).empty());
  r.whole = false;
  EXPECT_EQ(total(lay_out(offers_of({4, 4}), r)), 8);
}

TEST(layout, a_gang_stays_below_one_switch_where_it_fits) {
  SwitchTree tree({"a/l1", "a/l1", "a/l2", "a/l2", "b/l3"});
  auto r = rules_for(Placing::Topology, 4, &tree.switches);
  // l1 has less room than l2, yet enough.
  EXPECT_EQ(lay_out(offers_of({2, 2, 3, 3, 2}), r), (Shares{{0, 2}, {1, 2}}));
  r.tasks = 6;
  EXPECT_EQ(lay_out(offers_of({2, 2, 3, 3, 9}), r), (Shares{{2, 3}, {3, 3}}));  // least room
  r.tasks = 8;                                                                  // only below a
  auto shares = lay_out(offers_of({2, 2, 3, 3, 2}), r);
  EXPECT_EQ(total(shares), 8);
  for (const Share& share : shares) EXPECT_LT(share.room, 4u);
  EXPECT_EQ(switches_crossed(shares, tree.switches), 3u);
}

TEST(layout, trees_may_be_uneven_and_hosts_hang_anywhere) {
  SwitchTree tree({"", "a", "a/b/c/d", "a/b/c/d", "x"});
  auto r = rules_for(Placing::Topology, 3, &tree.switches);
  EXPECT_EQ(lay_out(offers_of({1, 1, 1, 2, 2}), r), (Shares{{3, 2}, {2, 1}}));
  r.tasks = 7;
  EXPECT_EQ(total(lay_out(offers_of({1, 1, 1, 2, 2}), r)), 7);
}

TEST(layout, a_job_that_grows_stays_near) {
  SwitchTree tree({"a/l1", "a/l1", "a/l2", "b/l3"});
  auto r = rules_for(Placing::Topology, 1, &tree.switches);
  r.held = {1};
  EXPECT_EQ(lay_out(offers_of({1, 0, 9, 9}), r), (Shares{{0, 1}}));
  r.tasks = 3;
  EXPECT_EQ(lay_out(offers_of({1, 0, 9, 9}), r), (Shares{{2, 3}}));
}

TEST(layout, hosts_of_different_groups_are_not_mixed) {
  auto r = rules_for(Placing::Pack, 4);
  r.groups = {0, 1, 0, 1};
  EXPECT_EQ(lay_out(offers_of({2, 3, 2, 1}), r), (Shares{{0, 2}, {2, 2}}));
  r.tasks = 5;
  EXPECT_TRUE(lay_out(offers_of({2, 3, 2, 1}), r).empty());
}

class ComputeUnits : public testing::Test {
 protected:
  ComputeUnits() : tree({"r1/l1", "r1/l1", "r1/l2", "r2/l3", "r2/l3"}) {
    r = rules_for(Placing::Pack, 4, &tree.switches);
    r.unit.any = true;
  }
  SwitchTree tree;
  LayoutRules r;
};

TEST_F(ComputeUnits, maxcus_bounds_how_many_are_used) {
  r.unit.max_units = 1;
  EXPECT_EQ(lay_out(offers_of({3, 2, 4, 1, 1}), r), (Shares{{0, 3}, {1, 1}}));
  r.tasks = 6;
  EXPECT_TRUE(lay_out(offers_of({3, 2, 4, 1, 1}), r).empty());
  r.unit.level = 1;  // rows: l1 and l2 are one
  EXPECT_EQ(total(lay_out(offers_of({3, 2, 4, 1, 1}), r)), 6);
}

TEST_F(ComputeUnits, small_units_are_left_out) {
  r.unit.least_slots = 3;
  r.tasks = 6;
  for (const Share& share : lay_out(offers_of({3, 2, 2, 2, 1}), r)) EXPECT_NE(share.room, 2u);
}

TEST_F(ComputeUnits, pref_says_which_are_taken_first) {
  r.tasks = 2;
  r.unit.pref = UnitPref::MinAvail;
  EXPECT_EQ(lay_out(offers_of({3, 2, 4, 1, 2}), r), (Shares{{4, 2}}));
  r.unit.pref = UnitPref::MaxAvail;
  EXPECT_EQ(lay_out(offers_of({3, 2, 4, 1, 2}), r), (Shares{{0, 2}}));
}

TEST_F(ComputeUnits, minavail_under_maxcus_takes_the_smallest_that_is_enough) {
  r.unit.pref = UnitPref::MinAvail;
  r.unit.max_units = 1;
  EXPECT_EQ(lay_out(offers_of({3, 2, 4, 1, 1}), r), (Shares{{2, 4}}));
}

TEST_F(ComputeUnits, balance_divides_evenly_over_the_fewest) {
  r.unit.balance = true;
  r.tasks = 8;
  auto shares = lay_out(offers_of({3, 2, 4, 2, 2}), r);
  std::map<std::uint32_t, std::int64_t> by_unit;
  for (const Share& share : shares) by_unit[tree.switches.of(share.room)] += share.tasks;
  ASSERT_EQ(by_unit.size(), 2u);
  for (auto& [unit, tasks] : by_unit) EXPECT_EQ(tasks, 4);
}

TEST(switches, types_name_levels_from_the_host_up) {
  Config config;
  EXPECT_EQ(unit_level(config, ""), 0);
  EXPECT_EQ(unit_level(config, "switch"), 0);
  EXPECT_EQ(unit_level(config, "rack"), -1);
  config.cluster.unit_types = {"rack", "row"};
  EXPECT_EQ(unit_level(config, "row"), 1);
  SwitchTree tree({"row1/rack1", "row1/rack2", ""});
  EXPECT_NE(tree.switches.of(0), tree.switches.of(1));
  EXPECT_EQ(tree.switches.above(tree.switches.of(0), 1),
            tree.switches.above(tree.switches.of(1), 1));
  EXPECT_EQ(tree.switches.of(2), 0u);
}

// ---- against brute force -------------------------------------------------------------------

// Fewest hosts that hold all, over all subsets; 0: none does.
std::size_t fewest_hosts(const Shares& offers, std::int64_t tasks) {
  std::size_t best = 0;
  for (unsigned set = 1; set < 1u << offers.size(); ++set) {
    std::int64_t room = 0;
    std::size_t hosts = 0;
    for (std::size_t i = 0; i < offers.size(); ++i)
      if (set >> i & 1) room += offers[i].tasks, ++hosts;
    if (room >= tasks && (best == 0 || hosts < best)) best = hosts;
  }
  return best;
}

std::size_t fewest_switches(const Shares& offers, std::int64_t tasks, const Switches& switches) {
  std::size_t best = 0;
  for (unsigned set = 1; set < 1u << offers.size(); ++set) {
    Shares used;
    for (std::size_t i = 0; i < offers.size(); ++i)
      if (set >> i & 1) used.push_back(offers[i]);
    auto crossed = switches_crossed(used, switches);
    if (total(used) >= tasks && (best == 0 || crossed < best)) best = crossed;
  }
  return best;
}

void expect_within(const Shares& shares, const Shares& offers) {
  for (const Share& share : shares) {
    auto it = std::find_if(offers.begin(), offers.end(),
                           [&](const Share& offer) { return offer.room == share.room; });
    ASSERT_NE(it, offers.end());
    EXPECT_GT(share.tasks, 0);
    EXPECT_LE(share.tasks, it->tasks);
  }
}

TEST(layout_prop, never_worse_than_every_other_choice) {
  for (unsigned seed = 0; seed < 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    auto pick = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
    std::vector<std::string> paths;
    std::vector<std::int64_t> room;
    for (auto n = 1 + pick(8); n > 0; --n) {
      paths.push_back("l" + std::to_string(pick(3)));
      room.push_back(pick(5));
    }
    SwitchTree tree(paths);
    auto offers = offers_of(room);
    std::int64_t tasks = 1 + pick(12);
    bool fits = total(offers) >= tasks;
    for (auto placing : {Placing::Pack, Placing::Spread, Placing::Topology, Placing::InOrder}) {
      auto r = rules_for(placing, tasks, &tree.switches);
      auto shares = lay_out(offers, r);
      EXPECT_EQ(total(shares), fits ? tasks : 0);
      expect_within(shares, offers);
      EXPECT_EQ(shares, lay_out(offers, r));
      if (placing == Placing::Pack) {
        EXPECT_EQ(shares.size(), fewest_hosts(offers, tasks));
      }
      if (fits && placing == Placing::Topology) {
        EXPECT_EQ(switches_crossed(shares, tree.switches),
                  fewest_switches(offers, tasks, tree.switches));
      }
    }
  }
}

// With a rule of each kind at a time: what comes out keeps it.
TEST(layout_prop, rules_between_hosts_are_kept) {
  for (unsigned seed = 0; seed < 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    auto pick = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
    std::vector<std::string> paths;
    std::vector<std::int64_t> room;
    for (auto n = 1 + pick(8); n > 0; --n) {
      paths.push_back("r" + std::to_string(pick(2)) + "/l" + std::to_string(pick(2)));
      room.push_back(1 + pick(4));
    }
    SwitchTree tree(paths);
    auto offers = offers_of(room);
    auto r = rules_for(static_cast<Placing>(pick(4)), 1 + pick(9), &tree.switches);
    r.whole = pick(2) == 0;
    r.unit = {true, pick(2), static_cast<UnitPref>(pick(3)), pick(3), pick(3), pick(2) == 0, false};
    bool grouped = pick(2) == 0;
    for (std::size_t i = 0; i < offers.size() && grouped; ++i) r.groups.push_back(pick(2));
    auto shares = lay_out(offers, r);
    expect_within(shares, offers);
    EXPECT_LE(total(shares), r.tasks);
    if (r.whole) {
      EXPECT_TRUE(shares.empty() || total(shares) == r.tasks);
    }
    std::set<std::uint32_t> units, groups;
    for (const Share& share : shares) {
      units.insert(tree.switches.above(tree.switches.of(share.room), r.unit.level));
      if (grouped) groups.insert(r.groups[share.room]);
    }
    if (r.unit.max_units) {
      EXPECT_LE(units.size(), r.unit.max_units);
    }
    EXPECT_LE(groups.size(), 1u);
  }
}

}  // namespace
}  // namespace wm::sched

// Role: hosts in parts, those that take no jobs, and what there is in sum.
#include "daemons/wuserd/cluster/host_list.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wm::user {
namespace {

HostView host(const std::string& name, std::uint32_t slots = 2, std::size_t gpus = 0) {
  HostView view;
  view.host.name = name;
  view.host.capacity.slots = slots;
  view.host.capacity.gpus.resize(gpus);
  view.host.gpu_owners.resize(gpus);
  view.connected = true;
  return view;
}
std::vector<std::string> names(std::span<const HostView> hosts) {
  std::vector<std::string> all;
  for (const auto& view : hosts) all.push_back(view.host.name);
  return all;
}
Result<HostPart> part(const std::string& query) {
  return host_part(*rest::parse_target("/api/v1/hosts" + query));
}
using Names = std::vector<std::string>;

TEST(hosts_of, parts_are_all_hosts_each_once) {
  std::vector<HostView> all{host("a"), host("b"), host("c"), host("d"), host("e")};
  Names seen;
  HostPart asked{2, ""};
  for (auto found = hosts_of(all, asked); !found.empty(); found = hosts_of(all, asked)) {
    for (const auto& name : names(found)) seen.push_back(name);
    asked.after = found.back().host.name;
  }
  EXPECT_EQ(seen, (Names{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(names(hosts_of(all, {})), seen) << "without a limit all at once";
  EXPECT_EQ(names(hosts_of(all, {2, "bb"})), (Names{"c", "d"})) << "one that is gone meanwhile";
  EXPECT_TRUE(hosts_of({}, {2, ""}).empty());
}

TEST(hosts_of, those_that_take_no_jobs_are_closed_or_not_heard) {
  auto closed = host("a"), silent = host("b"), gone = host("c"), full = host("d");
  closed.host.closed = true;
  silent.host.state = HostState::Silent;
  gone.connected = false;
  full.host.used_slots = 2;
  std::vector<HostView> all{closed, silent, gone, full, host("e")};
  EXPECT_EQ(names(hosts_of(all, {0, "", true})), (Names{"a", "b", "c"}));
  EXPECT_EQ(names(hosts_of(all, {2, "a", true})), (Names{"b", "c"}));
}

TEST(host_part, what_is_no_part_is_refused_by_its_word) {
  EXPECT_EQ(part("?limit=500&after=node7")->after, "node7");
  EXPECT_EQ(part("")->limit, 0u);
  EXPECT_TRUE(part("?out=yes")->out);
  for (const char* query : {"?limit=0", "?limit=x", "?limit=2001", "?limit=-1", "?out=no"})
    EXPECT_FALSE(part(query)) << query;
}

TEST(capacity_json, counts_what_takes_jobs_apart_from_what_there_is) {
  auto busy = host("a", 8, 4), closed = host("b", 8, 4);
  busy.host.used_slots = 3;
  busy.host.gpu_owners[1].job = {7, 0};
  closed.host.closed = true;
  std::vector<HostView> all{busy, closed};
  auto json = nlohmann::json::parse(capacity_json(all));
  EXPECT_EQ(json["hosts"], 2);
  EXPECT_EQ(json["usable"], 1);
  EXPECT_EQ(json["slots"], 8);
  EXPECT_EQ(json["slots_used"], 3);
  EXPECT_EQ(json["gpus"], 4);
  EXPECT_EQ(json["gpus_used"], 1);
  EXPECT_EQ(json["gpus_all"], 8);
}

TEST(HostList, keeps_what_was_told_for_the_parts_of_one_reader) {
  using namespace std::chrono_literals;
  HostList list;
  TimePoint now{};
  EXPECT_EQ(list.recent(now), nullptr);
  auto kept = list.keep({host("a")}, now);
  EXPECT_EQ(list.recent(now + 5s), kept);
  EXPECT_EQ(list.recent(now + 20s), kept) << "as long as a reader takes for all parts";
  EXPECT_EQ(list.recent(now + 20s + 1us), nullptr);
  EXPECT_EQ(list.recent(now + 60s), nullptr);
}

}  // namespace
}  // namespace wm::user

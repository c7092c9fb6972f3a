// Words between master and hosts, and those that older programs wrote.
#include "libwm/model/node/node.h"

#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "libwm/codec/patch.h"

namespace wm {
namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

JobSpec signed_spec() {
  JobSpec own;
  own.program.command = "./train";
  own.program.cwd = "/w";
  own.program.env_hash = "e";
  return own;
}

/// Job 12 as host b hears of it, which has tasks 2 and 4 of 1 to 4.
HostOrder order_of_b() {
  HostOrder o;
  o.job = {12, 0};
  o.attempt = {3};
  o.generation = 9;
  o.sealed.spec = codec::encode(signed_spec());
  o.sealed.credential = "c";
  o.sealed.request_key = "k";
  o.resolved = signed_spec();
  o.resolved.queue = "normal";
  o.resolved.owner = {1000, 100, "ann"};
  o.hosts = job_hosts_of({{{1}, "a", "10.0.0.1"},
                          {{2}, "b", "10.0.0.2"},
                          {{3}, "a", "10.0.0.1"},
                          {{4}, "b", "10.0.0.2"}},
                         "b");
  for (std::uint32_t n : {2u, 4u}) {
    o.tasks.emplace_back();
    o.tasks.back().task = {n};
  }
  return o;
}

TEST(codec, an_order_with_the_whole_specification_and_every_task_is_still_read) {
  auto old = codec::decode<HostOrder>(from_hex(
      "0a02080c10031809221e42072e2f747261696e5201655a022f777812a80101b00101ba010308e8072a016332016b"
      "3a320a0a08e80710641a03616e6e1a066e6f726d616c42072e2f747261696e5201655a022f777812a80101b00101"
      "ba010308e8075211e2030571756575658205060a046e6f6e655a04080220015a0408042001620f08011201611a08"
      "31302e302e302e31620f08021201621a0831302e302e302e32620f08031201611a0831302e302e302e31620f0804"
      "1201621a0831302e302e302e327801800101"));
  ASSERT_TRUE(old) << old.error().text;
  EXPECT_EQ(*old, order_of_b());
}

TEST(codec, an_order_says_the_specification_once) {
  auto order = order_of_b();
  order.resolved.program.command = std::string(10'000, 'x');
  order.sealed.spec = codec::encode(order.resolved);
  order.resolved.queue = "other";
  auto bytes = codec::encode(order);
  EXPECT_LT(bytes.size(), 10'500u);
  auto back = codec::decode<HostOrder>(bytes);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, order);
}

TEST(codec, what_was_filled_in_or_taken_away_comes_through) {
  auto order = order_of_b();
  auto own = signed_spec();
  own.asked.hosts = {"a", "b"};
  own.when.hold = true;
  own.array = {{1, 3, 1}};
  order.sealed.spec = codec::encode(own);
  order.resolved = own;
  order.resolved.asked.hosts = {"c"};
  order.resolved.when.hold = false;
  order.resolved.array.clear();
  order.resolved.program.umask = 0;
  order.resolved.task.milli_gpus = 2000;
  auto back = codec::decode<HostOrder>(codec::encode(order));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, order);
}

TEST(codec, a_specification_that_cannot_be_read_has_the_resolved_one_whole_beside_it) {
  auto order = order_of_b();
  for (const char* spec : {"", "no fields"}) {
    order.sealed.spec = spec;
    auto back = codec::decode<HostOrder>(codec::encode(order));
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(*back, order);
  }
}

TEST(codec, a_damaged_difference_is_no_specification) {
  auto from = codec::encode(signed_spec());
  EXPECT_EQ(codec::patched(from, ""), codec::patched(from, *codec::difference(from, from)));
  EXPECT_FALSE(codec::patched(from, "\x12"));
  EXPECT_FALSE(codec::patched(from, std::string("\x12\x01\xff", 3)));
  EXPECT_FALSE(codec::patched(from, std::string("\x0a\x01\xff", 3)));
  EXPECT_FALSE(codec::patched("\xff", ""));
}

TEST(codec, agents_that_are_told_all_tasks_count_them) {
  AgentOrder order;
  order.tasks = {{{1}, {1}, false}, {{2}, {1}, true}, {{3}, {2}, false}};
  EXPECT_EQ(codec::decode<AgentOrder>(codec::encode(order))->world, 2u) << "from an older master";
  order.tasks.clear();
  order.world = 5;
  EXPECT_EQ(codec::decode<AgentOrder>(codec::encode(order))->world, 5u);
}

}  // namespace
}  // namespace wm

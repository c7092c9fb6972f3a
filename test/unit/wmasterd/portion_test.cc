// Answers and writes about very many, or about jobs of many words: some at a time, nothing twice.
#include "daemons/wmasterd/verbs/portion.h"

#include <gtest/gtest.h>

#include "daemons/wmasterd/verbs/call.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

// The jobs of all portions of an answer.
std::vector<JobId> listed(Desk& desk, JobsRequest request) {
  std::vector<JobId> ids;
  for (;;) {
    desk.ask(Verb::Jobs, request);
    auto reply = desk.first.last<JobsReply>();
    for (const auto& view : reply.jobs) ids.push_back(view.id);
    if (!reply.rest) return ids;
    request.jobs = *reply.rest;
  }
}

TEST(portion, jobs_of_many_words_come_in_portions_that_frames_take) {
  Desk desk;
  desk.start();
  SpecBuilder wordy;
  wordy.array(1, 100).spec.program.command = std::string(200'000, 'x');
  auto id = desk.submit("one", wordy);
  JobsRequest request;
  request.jobs.ids = {id};
  std::vector<JobId> all;
  for (std::uint32_t i = 1; i <= 100; ++i) all.push_back({id.job, i});
  EXPECT_EQ(listed(desk, request), all);
  request.jobs.ids = {};
  EXPECT_EQ(listed(desk, request), all);
}

TEST(portion, an_answer_that_no_frame_takes_is_refused_with_its_size) {
  Desk desk;
  SpecBuilder wordy;  // nobody could submit it today
  wordy.spec.program.command = std::string(kLargestReply, 'x');
  JobsRequest request;
  request.jobs.ids = {desk.past.submit(wordy)};
  desk.start();
  desk.ask(Verb::Jobs, request);
  auto refusal = desk.first.refusal();
  EXPECT_EQ(refusal.code, number(Code::Limit));
  EXPECT_NE(refusal.text.find("at most 15728640 can be sent"), std::string::npos) << refusal.text;
}

TEST(portion, very_many_are_killed_some_an_answer_and_arrays_whole) {
  Desk desk;
  desk.past.submit(SpecBuilder().array(1, 900));
  for (std::size_t i = 0; i < kMostInAnswer + 500; ++i) desk.past.submit({});
  desk.start();
  KillRequest request{key("k1"), {}};
  desk.ask(Verb::Kill, request);
  auto reply = desk.first.last<OutcomeReply>();
  EXPECT_EQ(reply.jobs.size(), 1 + kMostInAnswer - 900) << "the array in one word";
  ASSERT_TRUE(reply.rest);
  desk.ask(Verb::Kill, KillRequest{key("k2"), *reply.rest});
  auto others = desk.first.last<OutcomeReply>();
  EXPECT_EQ(reply.jobs.size() + others.jobs.size(), kMostInAnswer + 501);
  EXPECT_FALSE(others.rest);
  EXPECT_EQ(listed(desk, {}).size(), 0u);
}

TEST(portion, an_array_that_is_named_is_killed_in_one_word_unless_an_element_is_named) {
  Desk desk;
  SpecBuilder named;
  named.array(1, 5).spec.name = "sweep";
  desk.past.submit(named);
  desk.start();
  KillRequest request{key("k1"), {}};
  request.jobs.name = "sweep[2]";
  request.jobs.ids = {{1, 0}};
  desk.ask(Verb::Kill, request);
  auto reply = desk.first.last<OutcomeReply>();
  ASSERT_EQ(reply.jobs.size(), 1u);
  EXPECT_EQ(reply.jobs[0].job, (JobId{1, 2}));
  request.jobs.ids = {};
  EXPECT_EQ(listed(desk, {}).size(), 4u);
  request.request_key = key("k2");
  request.jobs.name = "swe*";
  desk.ask(Verb::Kill, request);
  reply = desk.first.last<OutcomeReply>();
  EXPECT_EQ(reply.jobs.size(), 1u);
  EXPECT_EQ(listed(desk, {}).size(), 0u);
}

TEST(portion, very_many_hosts_come_in_portions) {
  Desk desk;
  for (std::size_t i = 0; i < kMostInAnswer + 1; ++i) desk.past.host(1);
  desk.start();
  desk.ask(Verb::Hosts, HostsRequest{});
  auto first = desk.first.last<HostsReply>();
  EXPECT_EQ(first.hosts.size(), kMostInAnswer);
  ASSERT_TRUE(first.rest);
  desk.ask(Verb::Hosts, *first.rest);
  auto second = desk.first.last<HostsReply>();
  ASSERT_EQ(second.hosts.size(), 1u);
  EXPECT_LT(first.hosts.back().host.name, second.hosts[0].host.name);
  EXPECT_FALSE(second.rest);
}

}  // namespace
}  // namespace wm::master

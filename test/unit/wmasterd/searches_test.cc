// Role: a search's trials come from the suggester as slots for them come free, once each, also
// over restarts; what cannot be suggested is asked again later.
#include "daemons/wmasterd/state/searches.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;
using Json = nlohmann::json;
using namespace std::chrono_literals;

struct SearchDesk : Desk {
  std::vector<Json> asked;
  JobId id;

  SearchDesk(const std::string& algorithm, std::uint32_t most, std::uint32_t at_once) {
    auto builder = SpecBuilder().array(1, most, at_once).open();
    bool whole = algorithm.starts_with('{');
    builder.spec.exec.search = whole ? algorithm : R"({"algorithm":")" + algorithm + R"("})";
    id = past.submit(builder);
  }
  void begin() {
    if (!core) start();
    env->on_suggest = [this](const std::string& line) -> Result<std::string> {
      asked.push_back(Json::parse(line));
      Json answer{{"configs", Json::array()}};
      std::size_t given = asked.back()["history"].size();
      for (unsigned i = 0; i < asked.back()["wanted"].get<unsigned>(); ++i)
        answer["configs"].push_back({{"x", given + i + 1}});
      answer["done"] = given + answer["configs"].size() >= enough;
      return answer.dump();
    };
    pass();
  }
  void pass(Duration time = 1s) { sim.run(sim.now() + time); }
  std::uint32_t given() const { return elements_given(*state().jobs.find(id.job)); }
  std::size_t enough = 1000;
};

TEST(searches, give_as_many_as_may_run_and_one_ahead) {
  SearchDesk desk("TPE", 50, 3);
  desk.begin();
  EXPECT_EQ(desk.given(), 4U);
  desk.pass(60s);
  EXPECT_EQ(desk.given(), 4U) << "nothing has ended";
}

TEST(searches, that_look_at_no_history_give_more_ahead) {
  SearchDesk desk("Random", 50, 3);
  desk.begin();
  EXPECT_EQ(desk.given(), 6U);
}

TEST(searches, never_give_more_than_was_reserved) {
  SearchDesk desk("Random", 2, 3);
  desk.begin();
  EXPECT_EQ(desk.given(), 2U);
}

TEST(searches, close_their_array_when_they_are_done) {
  SearchDesk desk("Random", 50, 3);
  desk.enough = 5;
  desk.begin();
  EXPECT_TRUE(desk.state().jobs.find(desk.id.job)->elements.closed);
}

TEST(searches, tell_the_suggester_what_was_given_and_how_it_went) {
  SearchDesk desk("TPE", 50, 1);
  desk.begin();
  ASSERT_EQ(desk.given(), 2U);
  desk.ask(Verb::Kill, desk.kill({desk.id.job, 1}));
  desk.pass();  // the next does not wait for its last words
  EXPECT_EQ(desk.given(), 3U);
  desk.pass(10s);
  desk.ask(Verb::Kill, desk.kill({desk.id.job, 2}, "second"));
  desk.pass();
  EXPECT_EQ(desk.given(), 4U);
  const Json& first = desk.asked.back()["history"][0];
  EXPECT_EQ(first["config"]["x"], 1);
  EXPECT_EQ(first["state"], "killed");
  EXPECT_EQ(first["metrics"], Json::object());
}

// Its last report is there when its end is: at once it is what the next trial is decided by.
TEST(searches, count_a_trial_as_soon_as_it_has_ended) {
  SearchDesk desk("TPE", 50, 1);
  auto host = desk.past.host(1);
  JobId trial{desk.id.job, 1};
  desk.past.step(ElementGiven{trial, ""});
  desk.past.run(trial, {host});
  desk.past.step(TaskEnded{trial, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""}, 5);
  desk.begin();
  ASSERT_FALSE(desk.asked.empty());
  EXPECT_EQ(desk.asked.front()["history"][0]["state"], "finished");
}

TEST(searches, wait_where_there_is_no_suggester_and_ask_again) {
  SearchDesk desk("TPE", 50, 3);
  desk.start();
  desk.pass();
  EXPECT_EQ(desk.given(), 0U);
  desk.begin();
  desk.pass(6s);
  EXPECT_EQ(desk.given(), 4U);
}

TEST(searches, that_are_full_end_what_runs_at_their_run_limit) {
  SearchDesk desk(R"({"algorithm":"TPE","max_run_s":60})", 50, 3);
  desk.enough = 2;
  desk.begin();
  desk.pass(50s);
  const Job& base = *desk.state().jobs.find(desk.id.job);
  ASSERT_TRUE(base.elements.closed);
  EXPECT_FALSE(is_over(desk.state().elements.find(base.elements.first)->state));
  desk.pass(20s);
  for (std::uint32_t p = 0; p < desk.given(); ++p)
    EXPECT_TRUE(is_over(desk.state().elements.find(base.elements.first + p)->state));
}

std::string reason_of_base(SearchDesk& desk) {
  JobsRequest request;
  request.jobs.ids = {desk.id};
  desk.ask(Verb::Jobs, request);
  auto reply = desk.first.last<JobsReply>();
  return reply.jobs.empty() || reply.jobs.back().id.index ? "" : reply.jobs.back().reasons[0].text;
}

TEST(searches, say_why_the_next_trial_does_not_come_until_it_does) {
  SearchDesk desk("TPE", 50, 3);
  desk.start();
  desk.env->on_suggest = [](const std::string&) -> Result<std::string> {
    return std::string(R"({"error":"the space is odd"})");
  };
  desk.pass();
  EXPECT_EQ(reason_of_base(desk), "The search cannot bring its next trial: the space is odd");
  desk.begin();
  desk.pass(6s);
  EXPECT_EQ(desk.given(), 4U);
  EXPECT_EQ(reason_of_base(desk), "The search brings its next trial when one has ended");
}

TEST(searches, end_at_their_run_limit_with_all_that_runs) {
  SearchDesk desk(R"({"algorithm":"TPE","max_run_s":60})", 50, 3);
  desk.begin();
  desk.pass(50s);
  EXPECT_FALSE(desk.state().jobs.find(desk.id.job)->elements.closed);
  desk.pass(20s);
  const Job& base = *desk.state().jobs.find(desk.id.job);
  EXPECT_TRUE(base.elements.closed);
  ASSERT_EQ(desk.given(), 4U);
  for (std::uint32_t p = 0; p < 4; ++p)
    EXPECT_TRUE(is_over(desk.state().elements.find(base.elements.first + p)->state));
}

// Whatever dies when: each trial is given once, in order, and runs as it was suggested.
TEST(searches, lose_double_and_reorder_nothing_when_the_master_dies) {
  const std::uint64_t seeds = std::getenv("WM_SOAK") ? 50 : 3;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SearchDesk desk("TPE", 40, 4);
    std::mt19937_64 dice(seed);
    desk.begin();
    for (int round = 0; round < 60 && desk.given() < 40; ++round) {
      auto recent = dice() % std::min(desk.given(), 8U);
      auto index = desk.given() - static_cast<std::uint32_t>(recent);
      auto live = desk.state_of({desk.id.job, index}) == JobState::Pending;
      if (live) desk.ask(Verb::Kill, desk.kill({desk.id.job, index}, "k" + std::to_string(round)));
      desk.pass(std::chrono::milliseconds(dice() % 4000));
      if (dice() % 3 != 0) continue;
      desk.restart();
      desk.begin();
    }
    const Job& base = *desk.state().jobs.find(desk.id.job);
    ASSERT_GT(desk.given(), 20U) << "seed " << seed;
    for (std::uint32_t p = 0; p < desk.given(); ++p) {
      const Job* trial = desk.state().elements.find(base.elements.first + p);
      ASSERT_TRUE(trial) << "seed " << seed << ", " << p;
      EXPECT_EQ(trial->id.index, p + 1);
      auto data = desk.env->blob(trial->trial.data_hash);
      ASSERT_TRUE(data);
      EXPECT_EQ(Json::parse(*data)["x"], p + 1) << "seed " << seed;
    }
  }
}

TEST(searches, are_not_given_to_by_anybody_else) {
  SearchDesk desk("TPE", 50, 3);
  desk.begin();
  desk.ask(Verb::Give, GiveRequest{.request_key = key("g"), .job = desk.id, .data = {"{}"}});
  EXPECT_EQ(desk.first.refusal().text, "Job <1>: is a search, which brings its trials itself");
}

}  // namespace
}  // namespace wm::master

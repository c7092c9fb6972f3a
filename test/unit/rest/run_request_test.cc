// Lists of runs as they are asked for, what owners say of them, and how they are shown.
#include "libwm/rest/run_request.h"

#include <gtest/gtest.h>

#include "libwm/base/json.h"

namespace wm::rest {
namespace {

Result<RunsRequest> asked(const std::string& words) {
  auto target = parse_target("/api/v1/runs?" + words);
  if (!target) return target.error();
  return runs_request(*target);
}

TEST(run_request, every_filter_has_its_word) {
  auto request = asked(
      "user=all&name=x*&state=finished,failed&type=training&framework=F&plan=/p&project=P&queue=q&"
      "app=a&service=s&label=k%3Dv&tag=t&text=lr&search=true&starred=false&shelved=any&from=5&to=6."
      "5&"
      "ended_from=7&ended_to=8&order=oldest&cursor=9&limit=10&count=1");
  ASSERT_TRUE(request) << request.error().text;
  const auto& q = request->query;
  EXPECT_EQ(q.user + q.name + q.framework + q.plan + q.project + q.queue + q.app + q.service,
            "allx*F/pPqas");
  EXPECT_EQ(q.label + q.tag + q.text, "k=vtlr");
  EXPECT_EQ(q.states, (std::vector{JobState::Finished, JobState::Failed}));
  EXPECT_EQ(q.kind, AppType::Training);
  EXPECT_EQ(q.search, true);
  EXPECT_EQ(q.starred, false);
  EXPECT_FALSE(q.shelved) << "any";
  EXPECT_EQ(q.submitted_to, WallTime(std::chrono::milliseconds(6500)));
  EXPECT_EQ(q.ended_to, WallTime(std::chrono::seconds(8)));
  EXPECT_TRUE(q.oldest_first);
  EXPECT_EQ(q.from, 9u);
  EXPECT_EQ(request->limit, 10u);
  EXPECT_TRUE(request->count);
}

TEST(run_request, what_is_shelved_is_left_out_unless_it_is_asked_for) {
  EXPECT_EQ(asked("")->query.shelved, false);
  EXPECT_EQ(asked("cursor=7")->query.to, 7u);
}

TEST(run_request, what_is_no_filter_is_refused_by_its_word) {
  for (const char* words : {"colour=red", "state=done", "type=x", "search=maybe", "from=noon",
                            "limit=0", "limit=1001", "cursor=x", "order=up", "to=-1"}) {
    auto request = asked(words);
    ASSERT_FALSE(request) << words;
    EXPECT_EQ(request.error().code, Code::BadArgument);
    auto word = std::string(words).substr(0, std::string(words).find('='));
    EXPECT_NE(request.error().text.find(word), std::string::npos) << request.error().text;
  }
}

TEST(run_request, of_words_those_change_that_are_said) {
  RunWords words{.name = "a", .note = "n", .tags = {"x"}};
  auto next = patched_words(words, R"({"name": "b", "tags": ["y", "z"], "starred": true})");
  ASSERT_TRUE(next);
  EXPECT_EQ(*next, (RunWords{.name = "b", .note = "n", .tags = {"y", "z"}, .starred = true}));
  EXPECT_NE(words_tag(words), words_tag(*next));
  EXPECT_EQ(words_tag(words), words_tag(*patched_words(words, "{}")));
  for (const char* bad : {"[]", "x", R"({"name": 1})", R"({"tags": "a"})", R"({"tags": [1]})",
                          R"({"starred": "yes"})", R"({"colour": "red"})"})
    EXPECT_FALSE(patched_words(words, bad)) << bad;
}

TEST(run_request, a_page_says_where_the_next_begins_and_how_many_there_are) {
  RunsReply reply;
  auto& run = reply.runs.emplace_back();
  run.facts.job = 7;
  run.facts.state = JobState::Failed;
  run.facts.counts = {{JobState::Failed, 2}};
  run.facts.words.name = "mine";
  JobView head;
  auto job = std::make_shared<Job>();
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.name = "theirs", sealed->spec.owner.user = "ann";
  job->sealed = std::move(sealed);
  head.job = std::move(job);
  run.parts = {head};
  reply.next = 7;
  reply.count = kMostCounted + 1;
  RunsRequest request;
  request.count = true;
  auto json = json_or_null(runs_json(reply, request, "c", "ann"));
  EXPECT_EQ(json["next"], "7");
  EXPECT_EQ(json["count"], "1000+");
  EXPECT_EQ(json["runs"][0]["exec_id"], "c-7");
  EXPECT_EQ(json["runs"][0]["name"], "mine");
  EXPECT_EQ(json["runs"][0]["job_name"], "theirs");
  EXPECT_EQ(json["runs"][0]["counts"]["failed"], 2);
  EXPECT_EQ(json["runs"][0]["own"], true);
}

}  // namespace
}  // namespace wm::rest

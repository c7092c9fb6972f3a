// The site's policy of submissions: what it is told and what its answers mean; who waits for it;
// and that every way in meets it, against the real core on a simulated env.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemons/wmasterd/verbs/policy_desk.h"
#include "libwm/base/json.h"
#include "libwm/model/verbs/pack_verbs.h"
#include "libwm/submit/sign_again.h"
#include "libwm/submit/stated.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;
using Kind = Verdict::Kind;

// ---- words ----------------------------------------------------------------------------------

std::string failure(std::string_view line) {
  auto verdict = read_verdict(line);
  EXPECT_EQ(verdict.kind, Kind::Failed) << line;
  return verdict.words;
}

TEST(policy_words, an_answer_is_one_of_three) {
  EXPECT_EQ(read_verdict(R"({"accept": true})"), Verdict{});
  EXPECT_EQ(read_verdict(R"({"refuse": "not at night"})"),
            (Verdict{Kind::Refuse, "not at night", {}}));
  auto instead = read_verdict(
      R"({"options": {"q": "night", "W": 60, "x": true, "gpu": null, "r": false, "R": ["a", "b"]}})");
  EXPECT_EQ(instead.kind, Kind::Instead);
  EXPECT_EQ(instead.instead, (std::vector<OptionChange>{{"q", {"night"}},
                                                        {"W", {"60"}},
                                                        {"x", {""}},
                                                        {"gpu", {}},
                                                        {"r", {}},
                                                        {"R", {"a", "b"}}}));
}

TEST(policy_words, whatever_else_is_no_answer) {
  for (const char* line :
       {"", "yes", "{", "[]", "null", "true", "{}", R"({"accept": false})", R"({"accept": 1})",
        R"({"accept": "true"})", R"({"accept": true, "refuse": "x"})", R"({"refuse": ""})",
        R"({"refuse": true})", R"({"allow": true})", R"({"options": {}})", R"({"options": []})",
        R"({"options": "q"})", R"({"accept": true} {"accept": true})", R"([{"accept": true}])"})
    failure(line);
}

TEST(policy_words, options_that_are_not_the_policys_or_have_no_such_value_are_no_answer) {
  EXPECT_EQ(failure(R"({"options": {"E": "rm -r x"}})"), "option E is not for a policy to change");
  EXPECT_EQ(failure(R"({"options": {"x": "yes"}})"), "option x is a flag");
  EXPECT_EQ(failure(R"({"options": {"q": true}})"), "option q is not a flag");
  for (const char* value : {R"("")", "{}", "[]", "1.5", "[[1]]", R"([""])", "[null]"})
    failure(R"({"options": {"q": )" + std::string(value) + "}}");
  failure(R"({"options": {"q": ")" + std::string(5000, 'a') + R"("}})");
  failure(R"({"refuse": )" + std::string(9, '[') + std::string(9, ']') + "}");
}

TEST(policy_words, a_refusal_steers_no_terminal_and_has_an_end) {
  auto verdict = read_verdict("{\"refuse\": \"\\u001b[2Jno\\nmore\"}");
  EXPECT_EQ(verdict.words, "\\x1b[2Jno\\nmore");
  auto words = read_verdict(R"({"refuse": ")" + std::string(5000, 'a') + R"("})").words;
  EXPECT_EQ(words, std::string(kMostWords, 'a') + "...");
}

TEST(policy_words, lines_are_as_many_as_jobs) {
  auto two = read_verdicts("{\"accept\":true}\n\n {\"refuse\":\"no\"}", 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].kind, Kind::Accept);
  EXPECT_EQ(two[1].kind, Kind::Refuse);
  auto few = read_verdicts("{\"accept\":true}\n", 2);
  ASSERT_EQ(few.size(), 2u);
  EXPECT_EQ(few[0].kind, Kind::Accept);
  EXPECT_EQ(few[1], (Verdict{Kind::Failed, "it wrote 1 lines for 2 jobs", {}}));
  for (const auto& verdict : read_verdicts("{\"accept\":true}\n{\"accept\":true}\n", 1))
    EXPECT_EQ(verdict.kind, Kind::Failed) << "of which job each is, is not known";
  EXPECT_EQ(read_verdicts("", 1)[0].kind, Kind::Failed);
}

TEST(policy_words, half_a_line_is_no_answer) {
  const std::string whole = R"({"options":{"q":"night"}})";
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_EQ(read_verdicts(whole.substr(0, n), 1)[0].kind, Kind::Failed) << n;
}

TEST(policy_words, a_question_has_what_is_stated_and_what_it_comes_to) {
  test::ClusterBuilder builder;
  UserConf ann{.name = "ann", .groups = {"staff", "gpu"}};
  builder.config.users = {ann};
  JobSpec stated = SpecBuilder().tasks(2, 2).spec;
  stated.owner = {7, 8, "ann"};
  stated.queue = "";
  stated.array = {{1, 10, 1}};
  stated.array_limit = 3;
  JobSpec filled = stated;
  filled.queue = "normal";
  auto line = policy_line(builder.config, {"submit", kBoss, stated, filled, {}, 1});
  ASSERT_TRUE(line.ends_with("}\n"));
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  auto asked = json_or_null(line);
  EXPECT_EQ(asked["by"], "boss");
  EXPECT_EQ(asked["user"], "ann");
  EXPECT_EQ(asked["uid"], 7);
  EXPECT_EQ(asked["groups"], Json::parse(R"(["staff", "gpu"])"));
  EXPECT_EQ(asked["queue"], "normal");
  EXPECT_FALSE(asked["options"].contains("q"));
  EXPECT_EQ(asked["options"]["n"], "2");
  EXPECT_EQ(asked["array"], Json::parse(R"({"elements": 10, "at_once": 3})"));
  EXPECT_FALSE(asked.contains("job"));
}

TEST(policy_words, a_number_that_is_left_to_the_queue_is_stated) {
  JobSpec stated = SpecBuilder().spec, filled = SpecBuilder().tasks(4, 4).spec;
  auto said = stated;
  state_tasks(said, filled);
  EXPECT_EQ(said, stated) << "it has said 1";
  stated.default_tasks = true;
  state_tasks(stated, filled);
  EXPECT_EQ(stated, filled);
}

// ---- decisions ------------------------------------------------------------------------------

Result<std::vector<OptionChange>> settle(const Verdict& verdict, PolicyRound round) {
  test::ClusterBuilder builder;
  auto stated = SpecBuilder().queue("normal").tasks(1, 1).spec;
  return settled(builder.config, verdict, stated, round, WallTime{});
}

TEST(policy_decision, other_options_are_for_the_first_round_of_a_client_that_takes_them) {
  const Verdict night{Kind::Instead, {}, {{"q", {"night"}}}};
  EXPECT_EQ(*settle(night, 1), night.instead);
  EXPECT_EQ(settle(night, 0).error(),
            (Error{Code::Denied, "submit_policy wants other options: -q night"}));
  EXPECT_EQ(settle(night, 2).error(),
            (Error{Code::Denied, "submit_policy wants other options again: -q night"}));
  EXPECT_EQ(settle(night, 255).error().code, Code::Denied);
}

TEST(policy_decision, options_that_are_stated_already_are_accepted_in_every_round) {
  const Verdict same{Kind::Instead, {}, {{"q", {"normal"}}, {"n", {"1"}}, {"gpu", {}}}};
  for (PolicyRound round : {0, 1, 2, 3}) EXPECT_TRUE(settle(same, round)->empty());
}

TEST(policy_decision, options_that_do_not_read_are_the_policys_failure) {
  const Verdict soon{Kind::Instead, {}, {{"W", {"soon"}}}};
  EXPECT_EQ(settle(soon, 1).error().code, Code::Unavailable);
  EXPECT_NE(settle(soon, 1).error().text.find("submit_policy did not answer"), std::string::npos);
  EXPECT_EQ(settle({Kind::Failed, "gone", {}}, 1).error().code, Code::Unavailable);
  EXPECT_EQ(settle({Kind::Refuse, "no", {}}, 1).error(),
            (Error{Code::Denied, "submit_policy: no"}));
}

// ---- the desk -------------------------------------------------------------------------------

/// Runs of the policy that end when the test says so.
struct HeldRuns {
  std::vector<PolicyQuestion> asked;
  std::vector<std::function<void(Result<std::string>)>> open;
  PolicyAsk ask() {
    return [this](PolicyQuestion question, std::function<void(Result<std::string>)> done) {
      asked.push_back(std::move(question));
      open.push_back(std::move(done));
    };
  }
  void end(std::size_t at, const std::string& said) { ended(at, said); }
  void ended(std::size_t at, Result<std::string> said) { std::exchange(open[at], nullptr)(said); }
};

struct HeldDesk {
  HeldDesk() {
    conf.command = "/policy", conf.at_once = 2;
    desk.set_asker(held.ask());
  }
  Result<void> ask(std::uint32_t uid, const std::string& line, std::size_t bytes = 0) {
    return desk.ask(conf, uid, bytes, {line + "\n"},
                    [this, line](const std::vector<Verdict>& said) { told[line] = said; });
  }
  std::vector<std::string> begun() const {
    std::vector<std::string> lines;
    for (const auto& question : held.asked) lines.push_back(question.lines);
    return lines;
  }
  test::Sim sim{1};
  test::SimDisk disk;
  test::SimEnv env{sim, disk, Config{}};
  HeldRuns held;
  PolicyDesk desk{env};
  SubmitPolicyConf conf;
  std::map<std::string, std::vector<Verdict>> told;
};

TEST(policy_desk, a_few_at_a_time_and_accounts_in_turn) {
  HeldDesk desk;
  for (const char* line : {"a1", "a2", "a3", "a4"}) EXPECT_TRUE(desk.ask(1, line));
  EXPECT_TRUE(desk.ask(2, "b1"));
  EXPECT_TRUE(desk.ask(3, "c1"));
  EXPECT_EQ(desk.begun(), (std::vector<std::string>{"a1\n", "a2\n"}));
  for (std::size_t n = 0; n < 6; ++n) desk.held.end(n, "{\"accept\":true}\n");
  EXPECT_EQ(desk.begun(),
            (std::vector<std::string>{"a1\n", "a2\n", "b1\n", "c1\n", "a3\n", "a4\n"}));
  EXPECT_EQ(desk.told.size(), 6u);
  EXPECT_EQ(desk.desk.counts().verdicts.at("accepted"), 6u);
  EXPECT_EQ(desk.desk.counts().runs.count(), 6u);
}

TEST(policy_desk, what_waits_is_bounded_for_one_account_and_for_all) {
  HeldDesk desk;
  ASSERT_TRUE(desk.ask(1, "a", kMostWaitingOfOne - 2));
  EXPECT_EQ(desk.ask(1, "b").error().code, Code::Unavailable);
  EXPECT_TRUE(desk.ask(2, "c", kMostWaitingOfOne - 2)) << "another does not notice";
  for (std::uint32_t uid = 3; uid <= 4; ++uid)
    EXPECT_TRUE(desk.ask(uid, "d" + std::to_string(uid), kMostWaitingOfOne - 3));
  EXPECT_EQ(desk.ask(5, "e", 100).error().code, Code::Unavailable);
  desk.held.end(0, "{\"accept\":true}");
  EXPECT_TRUE(desk.ask(1, "b")) << "what is answered waits no more";
  EXPECT_FALSE(desk.told.contains("e"));
}

TEST(policy_desk, a_failure_is_for_all_lines_and_accepted_where_the_site_says_so) {
  HeldDesk desk;
  EXPECT_TRUE(desk.ask(1, "a"));
  desk.held.ended(0, fail(Code::Timeout, "killed"));
  EXPECT_EQ(desk.told["a"], (std::vector<Verdict>{{Kind::Failed, "killed", {}}}));
  desk.conf.failure = "accept";
  EXPECT_TRUE(desk.ask(1, "b"));
  desk.held.end(1, "rubbish");
  EXPECT_EQ(desk.told["b"], std::vector<Verdict>{{}});
  EXPECT_TRUE(desk.ask(1, "c"));
  desk.held.end(2, "{\"refuse\":\"no\"}");
  EXPECT_EQ(desk.told["c"][0].kind, Kind::Refuse) << "a refusal is none";
  EXPECT_EQ(desk.desk.counts().verdicts.at("failed"), 2u);
}

// ---- every way in ---------------------------------------------------------------------------

/// A master of a site with a policy, which the test plays.
struct PolicyDeskRig : Desk {
  PolicyDeskRig() {
    past.config.cluster.submit_policy.command = "/usr/local/sbin/policy";
    QueueConf night;
    night.name = "night";
    past.config.queues.insert(past.config.queues.begin(), night);  // by name
    past.reconfigure();
    start();
    play();
  }
  void play() {
    core->clients().set_policy([this](PolicyQuestion question, auto done) {
      env->after(std::chrono::milliseconds(2), [this, question, done] { done(said(question)); });
    });
  }
  Result<std::string> said(const PolicyQuestion& question) {
    std::string all;
    for (std::string_view text = question.lines; !text.empty();) {
      auto line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() + 1);
      asked.push_back(json_or_null(line));
      all += answer(asked.back()) + "\n";
    }
    if (breaks) return *breaks;
    return all;
  }
  SubmitRequest round(const std::string& name, PolicyRound number, SpecBuilder builder = {}) {
    auto request = submission(name, std::move(builder));
    request.round = number;
    return request;
  }
  const JobSpec& spec(JobId id) const { return find_job(state(), id)->spec(); }
  std::function<std::string(const Json&)> answer = [](const Json&) { return R"({"accept":true})"; };
  std::optional<Error> breaks;
  std::vector<Json> asked;
};

std::string to_night(const Json& job) {
  return job["queue"] == "night" ? R"({"accept":true})" : R"({"options":{"q":"night"}})";
}
std::string never(const Json&) { return R"({"refuse":"not here"})"; }

TEST(policy, is_asked_about_a_job_before_there_is_one) {
  PolicyDeskRig desk;
  auto id = desk.submit("one", SpecBuilder().queue(""));
  EXPECT_EQ(desk.spec(id).owner, kUser);
  ASSERT_EQ(desk.asked.size(), 1u);
  EXPECT_EQ(desk.asked[0]["verb"], "submit");
  EXPECT_EQ(desk.asked[0]["uid"], 1001);
  EXPECT_EQ(desk.asked[0]["user"], "u1");
  EXPECT_EQ(desk.asked[0]["queue"], "normal");
}

TEST(policy, is_not_asked_about_what_the_master_refuses_itself) {
  PolicyDeskRig desk;
  EXPECT_EQ(desk.refused(SpecBuilder().queue("nigth")).code, number(Code::NotFound));
  desk.ask(Verb::Submit, desk.submission("one", {}, "1002"));
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  EXPECT_TRUE(desk.asked.empty());
}

TEST(policy, its_words_are_the_refusal_and_nothing_is_made) {
  PolicyDeskRig desk;
  desk.answer = never;
  EXPECT_EQ(desk.refused({}), (VerbError{number(Code::Denied), "submit_policy: not here"}));
  EXPECT_EQ(desk.jobs(), 0u);
  desk.answer = [](const Json&) { return R"({"accept":true})"; };
  EXPECT_TRUE(desk.submit("refused")) << "its key is free again";
}

TEST(policy, a_client_that_takes_no_options_is_refused_with_them) {
  PolicyDeskRig desk;
  desk.answer = to_night;
  EXPECT_EQ(desk.refused(SpecBuilder().queue("normal")).text,
            "submit_policy wants other options: -q night");
  EXPECT_EQ(desk.jobs(), 0u);
}

TEST(policy, other_options_are_signed_anew_and_asked_about_again) {
  PolicyDeskRig desk;
  desk.answer = to_night;
  auto spec = SpecBuilder().queue("normal");
  desk.ask(Verb::Submit, desk.round("one", 1, spec));
  auto reply = desk.first.last<SubmitReply>();
  EXPECT_EQ(reply.job, JobId{});
  EXPECT_EQ(reply.instead, (std::vector<OptionChange>{{"q", {"night"}}}));
  EXPECT_EQ(desk.jobs(), 0u);
  ASSERT_TRUE(cmd::take_options(reply.instead, {}, spec.spec));
  auto again = desk.round("two", 2, spec);
  desk.ask(Verb::Submit, again);
  auto id = desk.first.last<SubmitReply>().job;
  EXPECT_EQ(desk.spec(id).queue, "night");
  EXPECT_EQ(find_job(desk.state(), id)->sealed->bytes, again.spec) << "what the user signed";
  ASSERT_EQ(desk.asked.size(), 2u);
  EXPECT_EQ(desk.asked[1]["round"], 2);
}

TEST(policy, one_that_changes_its_mind_refuses) {
  PolicyDeskRig desk;
  desk.answer = [](const Json& job) {
    return job["queue"] == "night" ? R"({"options":{"q":"normal"}})"
                                   : R"({"options":{"q":"night"}})";
  };
  desk.ask(Verb::Submit, desk.round("one", 2, SpecBuilder().queue("night")));
  EXPECT_EQ(desk.first.refusal().text, "submit_policy wants other options again: -q normal");
  EXPECT_EQ(desk.jobs(), 0u);
}

TEST(policy, one_that_fails_refuses_unless_the_site_says_otherwise) {
  PolicyDeskRig desk;
  for (const auto& error :
       {fail(Code::Timeout, "killed after 5s"), fail(Code::Limit, "it wrote more than 8M"),
        fail(Code::System, "ended with status 139"), fail(Code::Unavailable, "no wpolicyd")}) {
    desk.breaks = error;
    auto refusal = desk.refused({});
    EXPECT_EQ(refusal.code, number(Code::Unavailable));
    EXPECT_EQ(refusal.text, "submit_policy did not answer: " + error.text +
                                "; nothing is submitted or changed, try again or tell your "
                                "administrator");
  }
  desk.breaks.reset();
  desk.answer = [](const Json&) { return "Traceback (most recent call last):"; };
  EXPECT_EQ(desk.refused({}).code, number(Code::Unavailable));
  EXPECT_EQ(desk.jobs(), 0u);
  EXPECT_EQ(desk.core->spent().policy_verdicts.at("failed"), 5u);
}

TEST(policy, one_that_fails_accepts_where_the_site_says_so) {
  PolicyDeskRig desk;
  desk.past.config.cluster.submit_policy.failure = "accept";
  desk.past.reconfigure();
  desk.disk.events = desk.past.history;
  desk.restart();
  EXPECT_TRUE(desk.submit("one"));
  EXPECT_EQ(desk.jobs(), 1u);
}

TEST(policy, a_repeat_while_it_is_asked_waits_for_the_one_answer) {
  PolicyDeskRig desk;
  auto request = codec::encode(desk.submission("one"));
  desk.send(desk.first, Verb::Submit, request);
  desk.send(desk.second, Verb::Submit, request);
  desk.settle();
  EXPECT_EQ(desk.first.last<SubmitReply>(), desk.second.last<SubmitReply>());
  EXPECT_EQ(desk.jobs(), 1u);
  EXPECT_EQ(desk.asked.size(), 1u);
  desk.send(desk.first, Verb::Submit, request);
  desk.settle();
  EXPECT_EQ(desk.jobs(), 1u);
  EXPECT_EQ(desk.asked.size(), 1u) << "a job that was made is not asked about again";
}

TEST(policy, a_request_that_a_crash_cut_off_is_asked_about_anew) {
  PolicyDeskRig desk;
  auto request = codec::encode(desk.submission("one"));
  desk.send(desk.first, Verb::Submit, request);
  desk.restart();
  EXPECT_EQ(desk.jobs(), 0u);
  desk.play();
  desk.send(desk.first, Verb::Submit, request);
  desk.settle();
  EXPECT_EQ(desk.jobs(), 1u);
}

TEST(policy, each_job_of_a_pack_has_its_own_answer_of_one_run) {
  PolicyDeskRig desk;
  desk.answer = [](const Json& job) -> std::string {
    if (job["options"]["n"] == "2") return never(job);
    return job["options"]["n"] == "3" ? to_night(job) : R"({"accept":true})";
  };
  PackRequest request{key("p"), "1001", "A=1", {}};
  for (std::uint32_t n : {1, 2, 3, 4}) {
    auto builder = SpecBuilder().queue(n == 4 ? "nigth" : "normal").tasks(n, n);
    builder.spec.program.env_hash = desk.env->hash("A=1");
    request.items.push_back({codec::encode(builder.spec), ""});
  }
  request.round = 1;
  desk.ask(Verb::Pack, request);
  auto reply = desk.first.last<PackReply>();
  ASSERT_EQ(reply.items.size(), 4u);
  EXPECT_EQ(reply.items[0].job.job, 1u);
  EXPECT_EQ(reply.items[1].text, "submit_policy: not here");
  EXPECT_EQ(reply.items[2].instead, (std::vector<OptionChange>{{"q", {"night"}}}));
  EXPECT_EQ(reply.items[2].job, JobId{});
  EXPECT_EQ(reply.items[3].text, "nigth: No such queue") << "the master's own word";
  EXPECT_EQ(desk.jobs(), 1u);
  EXPECT_EQ(desk.asked.size(), 3u);
}

TEST(policy, another_queue_is_met_by_it_too) {
  PolicyDeskRig desk;
  auto one = desk.submit("one"), two = desk.submit("two");
  desk.answer = [&](const Json& job) {
    return job["job"] == "1" ? never(job) : R"({"accept":true})";
  };
  SwitchRequest request{key("s"), {}, "night"};
  request.jobs.ids = {one, two, JobId{9, 0}};
  desk.ask(Verb::Switch, request);
  auto reply = desk.first.last<OutcomeReply>();
  ASSERT_EQ(reply.jobs.size(), 3u);
  EXPECT_EQ(reply.jobs[0].text, "Job <1>: submit_policy: not here");
  EXPECT_EQ(reply.jobs[1].code, 0);
  EXPECT_EQ(reply.jobs[2].code, number(Code::NotFound));
  EXPECT_EQ(desk.spec(one).queue, "normal");
  EXPECT_EQ(desk.spec(two).queue, "night");
  EXPECT_EQ(desk.asked.back()["verb"], "switch");
  EXPECT_EQ(desk.asked.back()["queue"], "night");
}

TEST(policy, another_run_limit_is_met_by_it_too) {
  PolicyDeskRig desk;
  auto id = desk.submit("one");
  desk.answer = [](const Json&) { return R"({"options":{"W":"5"}})"; };
  LimitRequest request{key("l"), {}, std::chrono::minutes(90)};
  request.jobs.ids = {id};
  desk.ask(Verb::Limit, request, kBoss);
  auto reply = desk.first.last<OutcomeReply>();
  ASSERT_EQ(reply.jobs.size(), 1u);
  EXPECT_EQ(reply.jobs[0].text, "Job <1>: submit_policy wants other options: -W 5");
  EXPECT_EQ(desk.spec(id).run_limit, Duration{});
  EXPECT_EQ(desk.asked.back()["by"], "boss");
  EXPECT_EQ(desk.asked.back()["user"], "u1");
  EXPECT_EQ(desk.asked.back()["options"]["W"], "90");
}

TEST(policy, what_is_signed_anew_is_met_by_it_too) {
  PolicyDeskRig desk;
  auto id = desk.submit("one", SpecBuilder().queue("normal"));
  desk.answer = to_night;
  auto changed = SpecBuilder().queue("normal").tasks(2, 2).spec;
  changed.program.env_hash = desk.env->hash("A=1");
  ModifyRequest request{key("m1"), id, 0, codec::encode(changed), "1001", 1};
  desk.ask(Verb::Modify, request);
  auto reply = desk.first.last<OutcomeReply>();
  EXPECT_TRUE(reply.jobs.empty());
  EXPECT_EQ(reply.instead, (std::vector<OptionChange>{{"q", {"night"}}}));
  EXPECT_EQ(desk.spec(id).min_tasks, 1u);
  ASSERT_TRUE(cmd::take_options(reply.instead, {}, changed));
  desk.ask(Verb::Modify, ModifyRequest{key("m2"), id, 0, codec::encode(changed), "1001", 2});
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs.at(0).code, 0);
  EXPECT_EQ(desk.spec(id).queue, "night");
  EXPECT_EQ(desk.spec(id).min_tasks, 2u);
  EXPECT_EQ(desk.asked.back()["verb"], "modify");
}

}  // namespace
}  // namespace wm::master

// Role: searches as WMLA's clients ask for them, in both spellings, and as they read them.
#include "libwm/search/search.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "libwm/rest/search_request.h"
#include "libwm/rest/search_task.h"
#include "test/support/moments.h"

namespace wm::rest {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

using test::wall::at;

// As the notebooks of both generations send it.
constexpr const char* kBody = R"({"hpoName": "fit", "modelSpec": {"sigName": "dli",
  "args": "--exec-start PyTorch --model-main main.py --cs-datastore-meta type=fs,data_path=mnist"},
  "algoDef": {"algorithm": "Tpe", "maxRunTime": 60, "maxJobNum": 20, "maxParalleJobNum": "3",
    "objectiveMetric": "loss", "objective": "minimize", "hyperbandEta": 4,
    "additionalMetrics": {"accuracy": "maximize", "time": "newest"},
    "algoParams": [{"name": "WarmUp", "value": "5"}]},
  "hyperParams": [{"name": "lr", "type": "Range", "dataType": "DOUBLE", "minDbVal": 0.001, "maxDbVal": 0.1,
    "userDefined": false}], "experiments": []})";

Json changed(const std::string& pointer, Json value) {
  auto body = Json::parse(kBody);
  body[Json::json_pointer(pointer)] = std::move(value);
  return body;
}
std::string refusal(const Json& body) {
  auto read = read_search_request(body.dump());
  return read ? "accepted" : read.error().text;
}

TEST(search_request, becomes_what_the_core_searches_by) {
  auto read = read_search_request(kBody);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->name, "fit");
  EXPECT_EQ(read->at_once, 3U);
  EXPECT_EQ(read->most, 20U);
  auto search = Json::parse(read->search);
  EXPECT_EQ(search["max_run_s"], 3600);
  EXPECT_EQ(search["max_trials"], 20);
  EXPECT_EQ(search["metric"], "loss");
  EXPECT_EQ(search["params"].size(), 2U) << "hyperbandEta is one more";
  EXPECT_EQ(search["additional_metrics"], (Json{{"accuracy", "maximize"}, {"time", "latest"}}));
  EXPECT_TRUE(search::check(read->search));
}

TEST(search_request, takes_the_other_spelling_of_the_number_at_once_and_no_limit) {
  auto body = Json::parse(kBody);
  body["algoDef"].erase("maxParalleJobNum");
  body["algoDef"]["maxParalleJob"] = 7;
  body["algoDef"]["maxJobNum"] = -1;
  body["algoDef"]["maxRunTime"] = -1;
  auto read = read_search_request(body.dump());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at_once, 7U);
  EXPECT_EQ(read->most, 0U);
  EXPECT_FALSE(Json::parse(read->search).contains("max_run_s"));
}

TEST(search_request, is_refused_by_the_field_that_is_wrong) {
  EXPECT_TRUE(refusal(changed("/algoDef", 3)).starts_with("algoDef: "));
  EXPECT_TRUE(refusal(changed("/algoDef/objectiveMetric", "")).starts_with("algoDef.objectiveM"));
  EXPECT_TRUE(refusal(changed("/algoDef/objective", "more")).starts_with("algoDef.objective: "));
  EXPECT_TRUE(refusal(changed("/algoDef/maxJobNum", 0)).starts_with("algoDef.maxJobNum: "));
  EXPECT_TRUE(refusal(changed("/algoDef/maxJobNum", "1e9")).starts_with("algoDef.maxJobNum: "));
  EXPECT_TRUE(refusal(changed("/modelSpec", nullptr)).starts_with("modelSpec.args: "));
  EXPECT_TRUE(refusal(changed("/hyperParams", Json::array())).starts_with("hyperParams: "));
  EXPECT_TRUE(refusal(changed("/hpoName", "a/b")).starts_with("hpoName: "));
  EXPECT_TRUE(refusal(changed("/hpoName", "algorithm")).starts_with("hpoName: "));
  EXPECT_FALSE(read_search_request("[]"));
  EXPECT_FALSE(read_search_request(std::string(100, '[')));
  auto reversed = changed("/hyperParams/0/minDbVal", 5);
  auto checked = search::check(read_search_request(reversed.dump())->search);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().text.find("'lr'"), std::string::npos) << checked.error().text;
}

TEST(search_request, without_a_seed_has_the_one_of_its_name) {
  auto one = Json::parse(with_seed(R"({"metric":"m"})", "a"));
  EXPECT_EQ(one, Json::parse(with_seed(R"({"metric":"m"})", "a")));
  EXPECT_NE(one, Json::parse(with_seed(R"({"metric":"m"})", "b")));
  EXPECT_EQ(with_seed(R"({"seed":3})", "a"), R"({"seed":3})");
}

TEST(search_request, knows_the_algorithms_in_any_case) {
  EXPECT_TRUE(is_built_in("Tpe"));
  EXPECT_TRUE(is_built_in(""));
  EXPECT_FALSE(is_built_in("mine"));
  EXPECT_EQ(Json::parse(*built_in_json("tpe"))["name"], "TPE");
  EXPECT_EQ(Json::parse(*built_in_json())[1]["type"], "BUILD_IN");
  EXPECT_FALSE(built_in_json("mine"));
}

struct Told {
  std::vector<JobView> views;
  GiveReply given;

  Job& job(std::uint32_t index, JobState state, const std::string& report = "") {
    auto sealed = std::make_shared<SealedSpec>();
    sealed->spec.name = "fit";
    sealed->spec.owner.user = "ann";
    sealed->spec.array = {{1, 4, 1}};
    sealed->spec.array_limit = 2;
    sealed->spec.open = true;
    sealed->spec.exec.search = R"({"metric":"loss","goal":"minimize","max_trials":4,
      "space":[{"name":"lr","dataType":"DOUBLE"}]})";
    auto job = std::make_shared<Job>();
    job->sealed = sealed;
    job->state = state;
    job->trial.report = report;
    job->times.submitted = at(100);
    if (index != 0 && state != JobState::Pending) job->times.started = at(110);
    if (is_over(state)) job->times.ended = at(170);
    if (!report.empty()) job->trial.reported = at(171);
    JobView view;
    view.id = job->id = {7, index};
    view.exec_id = "mini-7." + std::to_string(index);
    view.job = job;
    views.push_back(view);
    if (index != 0)
      given.data.push_back("{\"lr\":0." + std::to_string(index) + ",\"epochs\":\"9\"}");
    given.given = static_cast<std::uint32_t>(given.data.size());
    return *job;
  }
  SearchTask task() const { return search_task(views, given); }
  std::string state() const { return std::string(tuning_state(task())); }
};
constexpr const char* kReport =
    R"({"loss":{"course":[[1,0.9],[3,0.25]],"latest":0.5,"max":0.9,"min":0.25},"step":{"latest":3,"max":3,"min":1}})";

TEST(search_task, reads_as_wmlas_tuning_task) {
  Told told;
  told.job(1, JobState::Finished, R"({"loss":{"latest":1,"max":1,"min":1}})");
  told.job(2, JobState::Finished, kReport);
  told.job(3, JobState::Failed);
  told.job(0, JobState::Pending);
  auto json = Json::parse(tuning_json(told.task(), at(160)));
  EXPECT_EQ(json["hpoName"], "fit");
  EXPECT_EQ(json["state"], "RUNNING");
  EXPECT_EQ(json["progress"], "3/4");
  EXPECT_EQ(json["complete"], 2);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["createtime"], "1970-01-01 00:01:40");
  EXPECT_EQ(json["duration"], "00:01:00");
  const auto& best = json["best"];
  EXPECT_EQ(best["id"], 1);
  EXPECT_EQ(best["appId"], "mini-7.2");
  EXPECT_EQ(best["metricVal"], 0.25);
  EXPECT_EQ(best["state"], "FINISHED");
  EXPECT_EQ(
      best["hyperParams"][0],
      (Json{{"name", "lr"}, {"dataType", "double"}, {"fixedVal", "0.2"}, {"userDefined", false}}));
  EXPECT_EQ(best["hyperParams"][1]["dataType"], "str") << "the resource of Hyperband";
  EXPECT_EQ(best["metrics"], Json::parse(R"([{"name":"loss","min":0.25,"max":0.9,"latest":0.5}])"));
  EXPECT_EQ(json["experiments"][2]["metricVal"], nullptr);
}

TEST(search_task, has_the_state_of_its_trials) {
  Told told;
  told.job(0, JobState::Pending);
  EXPECT_EQ(told.state(), "SUBMITTED");
  told.views.clear();
  told.job(1, JobState::Running);
  told.job(0, JobState::Held);
  EXPECT_EQ(told.state(), "RUNNING") << "paused: this one runs on";
  told.views.clear();
  told.given = {};
  told.job(1, JobState::Killed).kill = KillWish{};
  told.job(0, JobState::Held);
  EXPECT_EQ(told.state(), "STOPPED");
  told.views.pop_back();
  EXPECT_EQ(told.state(), "STOPPED") << "bkill: the array takes no more, without being closed";
  told.given.closed = true;
  EXPECT_EQ(told.state(), "FAILED") << "no trial came to a value";
}

// The last report is there when the end is.
TEST(search_task, is_over_when_its_trials_are) {
  for (auto [state, report, told] : {std::tuple(JobState::Running, kReport, "RUNNING"),
                                     std::tuple(JobState::Finished, "", "FAILED"),
                                     std::tuple(JobState::Finished, kReport, "FINISHED")}) {
    Told search;
    search.given.closed = true;
    search.job(1, state, report);
    EXPECT_EQ(search.state(), told);
  }
}

TEST(search_task, what_was_given_after_its_views_were_taken_does_not_end_it) {
  Told told;
  told.job(0, JobState::Pending);
  told.given.closed = true;
  EXPECT_EQ(told.state(), "SUBMITTED");
}

TEST(search_task, whose_metric_is_no_number_has_no_best) {
  Told told;
  told.given.closed = true;
  told.job(1, JobState::Finished, R"({"loss":{"min":"nan"}})");
  told.job(2, JobState::Finished, R"({"other":{"min":1}})");
  EXPECT_FALSE(best_trial(told.task()));
  EXPECT_EQ(Json::parse(tuning_json(told.task(), at(300)))["best"], nullptr);
}

TEST(search_task, that_has_failed_says_why_by_the_metrics_that_there_were) {
  Told told;
  told.given.closed = true;
  told.job(1, JobState::Finished, R"({"Loss":{"min":1},"accuracy":{"min":2},"step":{"min":1}})");
  auto why = reason_of(told.task());
  EXPECT_EQ(why,
            "no trial reported the metric 'loss'; the metrics that were reported: Loss, accuracy");
  auto json = Json::parse(tuning_json(told.task(), at(300)));
  EXPECT_EQ(json["state"], "FAILED");
  EXPECT_EQ(json["reason"], why);
  EXPECT_EQ(Json::parse(search_json(told.task(), false))["reason"], why);
  Told silent;
  silent.given.closed = true;
  silent.job(1, JobState::Finished);
  EXPECT_EQ(reason_of(silent.task()), "no trial reported the metric 'loss', nor any other");
  Told fine;
  fine.given.closed = true;
  fine.job(1, JobState::Finished, kReport);
  EXPECT_EQ(reason_of(fine.task()), "");
}

TEST(search_task, whose_trials_all_failed_says_how_the_last_did) {
  Told told;
  told.given.closed = true;
  told.job(1, JobState::Failed);
  told.job(2, JobState::Failed).outcome = {1 << 8, Term::None, "its stderr ended: no module"};
  EXPECT_EQ(reason_of(told.task()),
            "none of its 2 trials finished; the last: its stderr ended: no module");
  Told none;
  none.given.closed = true;
  EXPECT_EQ(tuning_state(SearchTask{.closed = true}), "FAILED");
  EXPECT_EQ(reason_of(SearchTask{.closed = true}), "it was closed before it had a trial");
}

TEST(search_task, a_trial_that_waits_for_its_turn_is_not_run_yet) {
  Told told;
  told.job(1, JobState::Pending);
  told.views.back().reasons = {{PendCode::Slots, "no slot", 0, ""}};
  told.job(2, JobState::Pending);
  told.views.back().reasons = {{PendCode::ArrayLimit, "two run already", 0, ""}};
  told.job(0, JobState::Pending);
  auto json = Json::parse(tuning_json(told.task(), at(160)));
  EXPECT_EQ(json["experiments"][0]["state"], "SUBMITTED");
  EXPECT_EQ(json["experiments"][1]["state"], "NOTRUN");
}

TEST(search_task, shows_what_was_asked_for_in_the_clients_own_words) {
  Told told;
  told.job(0, JobState::Pending);
  auto json = Json::parse(tuning_json(told.task(), at(160)));
  EXPECT_EQ(json["algoDef"]["objectiveMetric"], "loss");
  EXPECT_EQ(json["algoDef"]["objective"], "minimize");
  EXPECT_EQ(json["algoDef"]["maxJobNum"], 4);
  EXPECT_EQ(json["algoDef"]["maxParalleJobNum"], 2);
  EXPECT_EQ(json["algoDef"]["maxRunTime"], -1);
  EXPECT_EQ(json["hyperParams"][0]["name"], "lr");
}

TEST(search_request, is_answered_as_its_generation_reads_it) {
  EXPECT_TRUE(read_search_request(kBody)->first_generation);
  auto second = Json::parse(kBody);
  second["modelSpec"].erase("sigName");
  EXPECT_FALSE(read_search_request(second.dump())->first_generation);
  EXPECT_EQ(creation_json("ann-hpo-1", true), R"("ann-hpo-1")");
  auto json = Json::parse(creation_json("my fit", false));
  EXPECT_EQ(json["uid"], "my fit");
  EXPECT_EQ(json["href"], "/platform/rest/deeplearning/v1/hypersearch/my%20fit");
}

TEST(search_task, tells_pages_what_was_asked_and_how_each_trial_went) {
  Told told;
  told.job(1, JobState::Finished, kReport);
  told.job(2, JobState::Killed).kill = KillWish{Term::Other, "wm", "others do better", at(5)};
  told.job(0, JobState::Pending);
  told.views.back().reasons = {{PendCode::New, "the suggester has died", 0, ""}};
  auto json = Json::parse(search_json(told.task(), true));
  EXPECT_EQ(json["state"], "running");
  EXPECT_EQ(json["reason"], "the suggester has died");
  EXPECT_EQ(json["best"]["index"], 1);
  EXPECT_EQ(json["trials"][1]["state"], "stopped");
  EXPECT_EQ(json["trials"][1]["why"], "others do better");
  EXPECT_EQ(json["trials"][0]["config"]["lr"], 0.1);
  EXPECT_EQ(json["trials"][0]["metrics"]["loss"]["max"], 0.9);
  EXPECT_FALSE(json["trials"][0]["metrics"]["loss"].contains("course"));
  EXPECT_EQ(json["search"]["metric"], "loss");
  EXPECT_FALSE(Json::parse(search_json(told.task(), false)).contains("trials"));
}

TEST(plugin_request, is_refused_by_its_field) {
  auto refusal = [](const char* data) {
    auto read = read_plugin_request(data);
    return read ? "accepted" : read.error().text;
  };
  EXPECT_EQ(refusal(R"({"name":"mine","path":"/p","condaHome":"/c","limitSeconds":5})"),
            "accepted");
  EXPECT_EQ(refusal("{}"), "name: what is the plugin called?");
  EXPECT_EQ(refusal(R"({"name":"tpe"})"), "name: there is an algorithm tpe");
  for (const char* name : {"../x", "install", ".hidden", "a/b"})
    EXPECT_TRUE(refusal((R"({"name":")" + std::string(name) + "\"}").c_str())
                    .ends_with("cannot be a plugin's name"));
}

TEST(plugin_request, becomes_a_description_and_what_the_optimizer_reads) {
  auto plugin = read_plugin_request(R"({"name":"mine","condaHome":"/c","condaEnv":"e"})");
  ASSERT_TRUE(plugin);
  auto description = plugin_json(*plugin, "ann", "2020-01-01 00:00:00");
  EXPECT_EQ(Json::parse(description)["type"], "USER_PLUGIN");
  EXPECT_EQ(Json::parse(description)["logLevel"], "INFO");
  auto settings = Json::parse(*optimizer_json(R"({"metric":"m"})", description, 3));
  EXPECT_EQ(settings["python"], "/c/envs/e/bin/python");
  EXPECT_EQ(settings["at_once"], 3);
  EXPECT_EQ(settings["search"]["metric"], "m");
  EXPECT_FALSE(optimizer_json("{}", "", 1));
}

TEST(plugin_search, is_judged_without_what_only_the_plugin_understands) {
  auto read = read_search_request(changed("/algoDef/algorithm", "mine").dump());
  ASSERT_TRUE(read);
  EXPECT_FALSE(search::check(read->search));
  EXPECT_TRUE(search::check(judged(*read)));
  EXPECT_EQ(Json::parse(of_plugin(read->search, "mine"))["plugin"], "mine");
}

TEST(plugin_search, has_failed_when_its_optimizer_has) {
  Told told;
  told.job(1, JobState::Finished, kReport);
  told.job(0, JobState::Pending);
  auto task = told.task();
  task.search = of_plugin(task.search, "mine");
  ASSERT_TRUE(has_plugin(task));
  auto job = std::make_shared<Job>();
  JobView optimizer;
  optimizer.id = {8, 0};
  optimizer.job = job;
  add_optimizer(task, &optimizer, "");
  EXPECT_EQ(task.waits, "its optimizer, job 8, waits for a slot");
  job->state = JobState::Running;
  add_optimizer(task, &optimizer, "");
  EXPECT_EQ(task.waits, "");
  EXPECT_EQ(tuning_state(task), "RUNNING");
  job->state = JobState::Failed;
  add_optimizer(task, &optimizer, "a line\nsearch() failed: odd\n");
  EXPECT_EQ(task.waits, "its optimizer, job 8, has failed: search() failed: odd");
  EXPECT_EQ(tuning_state(task), "FAILED");
  task.lost = false;
  add_optimizer(task, nullptr, "");
  EXPECT_EQ(tuning_state(task), "FAILED");
}

}  // namespace
}  // namespace wm::rest

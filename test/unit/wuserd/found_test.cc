// Role: jobs and executions as the master tells them, in wuserd's words: of which user, groups of
// one one job as one, parts of lists, what ends them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "daemons/wuserd/data/connections.h"
#include "daemons/wuserd/data/project_data.h"
#include "daemons/wuserd/execs/exec_start.h"
#include "daemons/wuserd/execs/routes.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/services/dlim.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/exec_json.h"
#include "test/support/folder.h"
#include "test/unit/wuserd/asked.h"
#include "test/unit/wuserd/played_master.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

#define DL "/platform/rest/deeplearning/v1"

class found_jobs : public WithMaster {
 protected:
  void SetUp() override {
    WithMaster::SetUp();
    if (IsSkipped()) return;
    site = std::make_unique<Site>(master->conf(), "ann", folder.path(), folder.path());
    site->conf_dir = folder.path();
    site->own_dir = folder.path() + "/own";
  }
  std::string exec(std::uint32_t job) const { return exec_id(site->conf.name, {job, 0}); }
  Result<http::Reply> get(const std::vector<Route>& rows, const std::string& target) {
    return ask(*site, rows, {"GET", target, {}});
  }
  /// An execution with a driver and workers, in these states.
  std::vector<JobView> groups_of(std::uint32_t job, JobState driver, JobState workers) const {
    auto spec = own_spec("PyTorch");
    TaskGroup first, second;
    first.name = "driver";
    second.name = "worker";
    second.min_tasks = second.max_tasks = 3;
    spec.group(first).group(second);
    return {job_view({job, 1}, driver, spec), job_view({job, 2}, workers, spec)};
  }

  test::OwnFolder folder;
  std::unique_ptr<Site> site;
};

TEST_F(found_jobs, ones_own_are_found_and_anothers_are_not_there) {
  auto others = test::SpecBuilder();
  others.user("bob", ::getuid() + 1);
  master->know({job_view({1, 0}, JobState::Running, own_spec()),
                job_view({2, 0}, JobState::Running, others)});
  EXPECT_EQ(find_own_job(*site, "1").value().id, (JobId{1, 0}));
  EXPECT_EQ(find_own_job(*site, "2").error().code, Code::NotFound);
  EXPECT_EQ(find_job(*site, "2").value().id, (JobId{2, 0}));
  EXPECT_EQ(find_job(*site, "3").error().code, Code::NotFound);
  EXPECT_EQ(find_job(*site, "../1").error().code, Code::NotFound);
  EXPECT_EQ(find_exec(*site, exec(1)).error().code, Code::NotFound) << "it came in as a job";
}

TEST_F(found_jobs, groups_of_a_job_are_one_execution) {
  master->know(groups_of(4, JobState::Running, JobState::Pending));
  auto view = find_exec(*site, exec(4));
  ASSERT_TRUE(view) << view.error().text;
  EXPECT_EQ(view->id, (JobId{4, 0}));
  EXPECT_EQ(view->job->state, JobState::Running);
  EXPECT_EQ(view->job->spec().min_tasks, 4u) << "the driver is the first of the workers";
  EXPECT_EQ(view->job->spec().max_tasks, 4u);
}

TEST_F(found_jobs, the_state_of_groups_is_that_of_their_job) {
  struct Row {
    JobState driver, workers, whole;
  };
  for (auto row : {Row{JobState::Finished, JobState::Failed, JobState::Failed},
                   Row{JobState::Finished, JobState::Killed, JobState::Killed},
                   Row{JobState::Finished, JobState::Finished, JobState::Finished},
                   Row{JobState::Finished, JobState::Running, JobState::Running},
                   Row{JobState::Held, JobState::Pending, JobState::Held},
                   Row{JobState::Pending, JobState::Finished, JobState::Pending}}) {
    master->know(groups_of(4, row.driver, row.workers));
    EXPECT_EQ(find_exec(*site, exec(4)).value().job->state, row.whole)
        << static_cast<int>(row.driver) << static_cast<int>(row.workers);
  }
}

TEST_F(found_jobs, lists_have_each_once_the_newest_first_and_as_many_as_were_asked_for) {
  auto all = groups_of(4, JobState::Running, JobState::Running);
  for (std::uint32_t job : {2u, 7u})
    all.push_back(job_view({job, 0}, JobState::Running, own_spec("PyTorch")));
  all.push_back(job_view({9, 0}, JobState::Running, own_spec()));
  master->know(all);
  auto ids = [&](const std::string& query) {
    std::string text;
    for (const auto& one : json_of(get(exec_routes(), DL "/execs" + query)))
      text += one["id"].get<std::string>() + " ";
    return text;
  };
  EXPECT_EQ(ids(""), exec(7) + " " + exec(4) + " " + exec(2) + " ");
  EXPECT_EQ(ids("?limit=2"), exec(7) + " " + exec(4) + " ");
  EXPECT_EQ(ids("?limit=0"), "");
  EXPECT_EQ(ids("?state=FINISHED"), "");
  for (const char* query : {"?limit=x", "?limit=2x", "?limit=-1"})
    EXPECT_EQ(get(exec_routes(), std::string(DL "/execs") + query).error().code, Code::BadArgument)
        << query;
}

TEST_F(found_jobs, applications_are_listed_to_the_last_and_not_beyond_it) {
  master->know({job_view({1, 0}, JobState::Running, own_spec()),
                job_view({2, 0}, JobState::Running, own_spec("PyTorch"))});
  auto rows = [&](const std::string& query) {
    return get(scheduler_routes(), DL "/scheduler/engine/applications" + query);
  };
  EXPECT_EQ(json_of(rows("")).size(), 2u);
  EXPECT_EQ(json_of(rows("?start=1")).size(), 1u);
  EXPECT_EQ(json_of(rows("?start=2")).size(), 0u);
  EXPECT_EQ(json_of(rows("?length=1")).size(), 1u);
  EXPECT_EQ(rows("?start=3").value().status, 416);
}

TEST_F(found_jobs, an_execution_shows_the_line_of_bsub_that_asks_for_the_same) {
  auto spec = own_spec("PyTorch");
  spec.spec.exec.args = "--exec-start PyTorch --numWorker 2 --model-main main.py";
  master->know({job_view({3, 0}, JobState::Running, spec),
                job_view({5, 0}, JobState::Running, own_spec("no such framework"))});
  auto json = json_of(get(job_routes(), "/api/v1/jobs/3"));
  EXPECT_EQ(json["own"], true);
  auto line = json["exec"].value("bsub", "");
  EXPECT_TRUE(line.starts_with("bsub ")) << json["exec"];
  EXPECT_NE(line.find("main.py"), std::string::npos) << line;
  EXPECT_EQ(json_of(get(job_routes(), "/api/v1/jobs/5"))["exec"]["bsub"], "");
}

TEST_F(found_jobs, a_service_is_removed_once_it_is_stopped) {
  auto spec = own_spec();
  spec.group({}).group({});
  auto know = [&](JobState state) {
    master->know({job_view({6, 1}, state, spec), job_view({6, 2}, state, spec)});
  };
  DlimService service{"digits", folder.path() + "/services/digits", {}, {}};
  service.record.job = {6, 0};
  fs::create_directories(service.folder);
  for (auto state : {JobState::Running, JobState::Pending}) {
    know(state);
    EXPECT_EQ(undeploy_service(*site, service).error().code, Code::Conflict);
    EXPECT_TRUE(master->killed().empty());
    EXPECT_TRUE(fs::exists(service.folder));
  }
  know(JobState::Held);
  EXPECT_TRUE(undeploy_service(*site, service));
  EXPECT_EQ(master->killed(), (std::vector<JobId>{{6, 0}}));
  EXPECT_FALSE(fs::exists(service.folder));
  for (auto job : {JobId{}, JobId{6, 0}}) {  // never started; over long ago
    know(JobState::Killed);
    service.record.job = job;
    fs::create_directories(service.folder);
    EXPECT_TRUE(undeploy_service(*site, service));
    EXPECT_TRUE(master->killed().empty());
    EXPECT_FALSE(fs::exists(service.folder));
  }
}

TEST_F(found_jobs, results_are_sent_as_a_zip_of_them) {
  auto run = job_view({7, 0}, JobState::Finished, own_spec("PyTorch"));
  run.result_dir = folder.path() + "/7";
  auto sent = [&]() -> Result<http::Reply> {
    test::SaidExchange exchange({"GET", "/x", {}});
    Call call{exchange, *site, rest::parse_target("/x").value(), {}};
    WM_TRY(send_results(call, run));
    return exchange.answer;
  };
  EXPECT_EQ(sent().error().code, Code::NotFound) << "there are none yet";
  fs::create_directories(run.result_dir + "/model");
  std::ofstream(run.result_dir + "/model/model.pt") << "weights";
  auto zip = sent();
  ASSERT_TRUE(zip) << zip.error().text;
  EXPECT_TRUE(zip->body.starts_with("PK")) << "a zip from its first byte";
  EXPECT_NE(zip->body.find("model/model.pt"), std::string::npos);
  for (const auto& [name, value] : zip->fields)
    if (name == "Content-Length") {
      EXPECT_EQ(value, std::to_string(zip->body.size()));
    }
}

// What is wrong with it is told before anything is laid out.
TEST_F(found_jobs, a_stored_request_whose_data_does_not_read_begins_nothing) {
  StoredCode code{
      "--exec-start PyTorch --model-main main.py", "rubbish", "/no/such/code", "code.zip", {}};
  EXPECT_EQ(start_stored(*site, code).error().code, Code::BadArgument);
  code.data = "";
  EXPECT_EQ(start_stored(*site, code).error().code, Code::System) << "its code is not there";
}

TEST_F(found_jobs, a_member_has_no_more_fetches_under_way_than_one_may) {
  std::vector<JobView> fetches;
  for (std::uint32_t n = 1; n <= 9; ++n) {
    fetches.push_back(job_view({n, 0}, JobState::Running, own_spec()));
    Json share{
        {"job", std::to_string(n)}, {"guest", n == 9 ? "eve" : "bob"}, {"project", "digits"}};
    fs::create_directories(folder.path() + "/data");
    ASSERT_TRUE(
        replace_file(folder.path() + "/data/" + std::to_string(n) + ".share", share.dump(), 0600));
  }
  master->know(fetches);
  ASSERT_TRUE(keep_connection(*site, R"({"name":"store","type":"s3","endpoint":"a"})",
                              {false, "", "", "PUT /x", "ann", WallTime{}}));
  rest::Project project{"digits", "", "/research"};
  project.connections = {"store"};
  const std::vector<std::string> wanted{
      R"({"type":"connection_asset","connection":{"name":"store"},"location":{"bucket":"b"}})"};
  auto code_for = [&](const std::string& guest) {
    auto made = fetch_for_member(*site, project, wanted, guest);
    return made ? Code::Ok : made.error().code;
  };
  EXPECT_EQ(code_for("bob"), Code::Limit);
  EXPECT_EQ(code_for("eve"), Code::Impossible) << "this site has no place for it, but for that";
  fetches[3] = job_view({4, 0}, JobState::Finished, own_spec());
  master->know(fetches);
  EXPECT_EQ(code_for("bob"), Code::Impossible) << "one has ended";
  project.connections.clear();
  EXPECT_EQ(code_for("bob"), Code::Denied) << "it is not for members";
}

#undef DL

}  // namespace
}  // namespace wm::user

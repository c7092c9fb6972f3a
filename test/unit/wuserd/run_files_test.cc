// What a run has left on disk: its files by size, of which kind they are, of which part.
#include "daemons/wuserd/jobs/run_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "test/support/builders.h"
#include "test/support/folder.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

void write(const std::string& path, std::size_t bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << std::string(bytes, 'x');
}

std::vector<std::string> paths_of(const RunFiles& found) {
  std::vector<std::string> paths;
  for (const auto& file : found.files) paths.push_back(file.path);
  return paths;
}

RunView run_of_parts(const std::vector<std::pair<JobId, std::string>>& parts,
                     std::size_t groups = 0) {
  RunView run;
  test::SpecBuilder spec;
  spec.spec.groups.resize(groups);
  for (const auto& [id, folder] : parts) {
    JobView view;
    auto job = std::make_shared<Job>();
    job->id = id;
    job->sealed = spec.sealed();
    view.id = id, view.job = job, view.result_dir = folder;
    run.parts.push_back(view);
  }
  return run;
}

// An execution is shown as its first group, under the id of the whole.
TEST(run_files, the_folders_of_an_execution_with_groups_are_those_of_all_groups) {
  auto view = run_of_parts({{{7, 0}, "/r/7"}}, 2).parts.front();
  auto job = std::make_shared<Job>(*view.job);
  auto sealed = std::make_shared<SealedSpec>(*job->sealed);
  sealed->alternatives.resize(2);
  job->sealed = sealed, job->alternative = 1;
  view.job = job;
  std::vector<std::string> paths;
  for (const auto& folder : result_folders(view)) paths.push_back(folder.path);
  EXPECT_THAT(paths, ElementsAre("/r/7", "/r/7.1", "/r/7.2"));
  view.result_dir.clear();
  EXPECT_TRUE(result_folders(view).empty());
}

TEST(run_files, the_largest_come_first_with_kind_and_size_and_links_are_not_followed) {
  test::OwnFolder root;
  auto dir = root.path() + "/7";
  write(dir + "/model/digits.pt", 300);
  write(dir + "/checkpoint/checkpoint.pt", 200);
  write(dir + "/log/1/stdout", 100);
  write(dir + "/_submitted_code/main.py", 50);
  write(dir + "/val_dict_list.json", 40);
  fs::create_symlink("/etc/passwd", dir + "/passwd");
  write(dir + "/table.csv", 30);
  auto found = files_in({{"", dir}}, 100);
  EXPECT_THAT(paths_of(found),
              ElementsAre("model/digits.pt", "checkpoint/checkpoint.pt", "log/1/stdout",
                          "_submitted_code/main.py", "val_dict_list.json", "table.csv"));
  std::vector<std::string> kinds;
  for (const auto& file : found.files) kinds.push_back(file.kind);
  EXPECT_THAT(kinds, ElementsAre("model", "checkpoint", "log", "code", "metrics", "result"));
  EXPECT_EQ(found.bytes, 720u);
  auto few = files_in({{"", dir}}, 2);
  EXPECT_THAT(paths_of(few), ElementsAre("model/digits.pt", "checkpoint/checkpoint.pt"));
  EXPECT_EQ(few.count, 6u) << "all are counted";
  auto json = json_or_null(run_files_json(few));
  EXPECT_EQ(json["bytes"], 720);
  EXPECT_EQ(json["files"][0]["size"], 300);
  EXPECT_EQ(json["complete"], true);
}

TEST(run_files, a_file_is_of_the_kind_that_its_place_says) {
  EXPECT_EQ(kind_of_file("model"), "result") << "no folder";
  EXPECT_EQ(kind_of_file("models/a"), "result");
  EXPECT_EQ(kind_of_file("log/1/events.out.tfevents.1"), "log");
  EXPECT_EQ(kind_of_file("runs/events.out.tfevents.1"), "metrics");
  EXPECT_EQ(kind_of_file("metrics.idx"), "metrics");
}

TEST(run_files, parts_have_folders_of_their_own_or_one_together) {
  auto prefixes = [](const RunView& run) {
    std::vector<std::string> all;
    for (const auto& folder : folders_of(run)) all.push_back(folder.prefix + " " + folder.path);
    return all;
  };
  EXPECT_THAT(prefixes(run_of_parts({{{7, 0}, "/r/7"}})), ElementsAre(" /r/7"));
  EXPECT_THAT(prefixes(run_of_parts({{{7, 1}, "/r/7.1"}, {{7, 2}, "/r/7.2"}})),
              ElementsAre("[1]/ /r/7.1", "[2]/ /r/7.2"))
      << "trials of a search";
  EXPECT_THAT(prefixes(run_of_parts({{{7, 1}, "/r/7"}, {{7, 2}, "/r/7"}})), ElementsAre(" /r/7"))
      << "a batch array";
  EXPECT_THAT(prefixes(run_of_parts({{{7, 0}, "/r/7"}}, 2)),
              ElementsAre(" /r/7", ".1/ /r/7.1", ".2/ /r/7.2"));
  EXPECT_THAT(prefixes(run_of_parts({{{7, 0}, ""}})), ElementsAre());
}

}  // namespace
}  // namespace wm::user

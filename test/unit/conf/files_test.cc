#include "libwm/conf/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"

namespace wm::conf {
namespace {

struct Folder {
  std::string path = wm::test::made_folder();
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path + "/" + name).parent_path());
    std::ofstream(path + "/" + name) << text;
  }
};

std::string problems_in(const Folder& folder) {
  auto config = load(folder.path, "h1");
  return config ? "" : config.error().text;
}

TEST(parts, of_the_folder_and_of_include_lines_are_as_if_they_stood_in_the_file) {
  Folder folder;
  folder.write("queues.conf", "include = site/*.conf\n[normal]\npriority = 40\n");
  folder.write("site/b.conf", "[b]\npriority = 2\n");
  folder.write("site/a.conf", "[a]\npriority = 1\n");
  folder.write("queues.conf.d/10-c.conf", "[c]\npriority = 3\n");
  folder.write("queues.conf.d/unread.txt", "nonsense\n");
  folder.write("wm.conf", "[cluster]\nadmins = ann\n");
  folder.write("wm.conf.d/times.conf", "[cluster]\ncluster_name = here\n");
  auto config = load(folder.path, "h1");
  ASSERT_TRUE(config) << config.error().text;
  std::string names;
  for (const auto& queue : config->queues)
    names += queue.name + std::to_string(queue.priority) + " ";
  EXPECT_EQ(names, "a1 b2 c3 normal40 ");
  EXPECT_EQ(config->cluster.name, "here");
  EXPECT_EQ(config->cluster.admins, std::vector<std::string>{"ann"});
  EXPECT_EQ(load_cluster(folder.path)->name, "here");
}

TEST(parts, problems_are_told_of_the_file_in_which_they_are) {
  Folder folder;
  folder.write("queues.conf", "[normal]\n");
  folder.write("queues.conf.d/x.conf", "[x]\n\npriority = much\n[normal]\nplan = /none\n");
  folder.write("queues.conf.d/y.conf", "[y]\nplan = /none\n");
  auto text = problems_in(folder);
  EXPECT_NE(text.find("queues.conf.d/x.conf:3: priority: "), std::string::npos) << text;
  EXPECT_NE(text.find("queues.conf.d/x.conf:4: section [normal] is given twice (first in "
                      "queues.conf on line 1)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("queues.conf.d/y.conf:2: plan: no plan '/none'"), std::string::npos) << text;
}

TEST(parts, what_is_included_by_name_must_be_there) {
  Folder folder;
  folder.write("hosts.conf", "include = more.conf\n");
  EXPECT_NE(problems_in(folder).find("more.conf: no such file, but hosts.conf includes it"),
            std::string::npos);
  folder.write("more.conf", "include = others.conf\n[h7]\n");
  EXPECT_NE(problems_in(folder).find("more.conf:1: key 'include' stands outside any section"),
            std::string::npos)
      << "an included file includes nothing";
}

TEST(files_read, names_what_a_change_of_matters) {
  Folder folder;
  folder.write("hosts.conf", "include = more.conf\n");
  folder.write("more.conf", "[h7]\n");
  folder.write("apps.conf.d/a.conf", "[a]\n");
  auto files = files_read(folder.path);
  for (const char* name : {"/hosts.conf", "/more.conf", "/apps.conf.d", "/apps.conf.d/a.conf"})
    EXPECT_NE(std::find(files.begin(), files.end(), folder.path + name), files.end()) << name;
}

}  // namespace
}  // namespace wm::conf

// Role: what is below a folder is reached without following a link, whenever that was put there.
#include "libwm/files/tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libwm/files/whole_file.h"
#include "test/support/folder.h"

namespace wm {
namespace {

namespace fs = std::filesystem;

class tree : public ::testing::Test {
 protected:
  void SetUp() override {
    top = test::made_folder();
    fs::create_directory(top + "/in");
    fs::create_directory(top + "/elsewhere");
    std::ofstream(top + "/elsewhere/secret") << "secret";
  }
  void TearDown() override { fs::remove_all(top); }
  Tree open() const { return std::move(Tree::open(top + "/in").value()); }
  void write(const std::string& path, const std::string& text) const {
    auto fd = open().make_file(path, 0600);
    ASSERT_TRUE(fd) << fd.error().text;
    ASSERT_TRUE(write_all(fd->get(), text, path));
  }
  std::string text(const std::string& path) const {
    auto found = read_file(top + "/in/" + path);
    return found ? *found : "none";
  }

  std::string top;
};

TEST_F(tree, a_file_is_made_with_the_folders_on_its_way) {
  write("./a//b/c", "1");
  EXPECT_EQ(text("a/b/c"), "1");
  EXPECT_EQ(open().read("a/b/c", Bytes{10}).value(), "1");
  struct stat facts {};
  ASSERT_EQ(::stat((top + "/in/a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
}

TEST_F(tree, what_was_there_is_replaced_and_no_link_written_through) {
  fs::create_symlink(top + "/elsewhere/secret", top + "/in/a");
  write("a", "mine");
  EXPECT_EQ(read_file(top + "/elsewhere/secret").value(), "secret");
  EXPECT_EQ(text("a"), "mine");
  write("a", "again");
  EXPECT_EQ(text("a"), "again");
}

TEST_F(tree, a_link_on_the_way_leads_nowhere_also_one_put_there_after_the_opening) {
  auto opened = open();
  fs::create_directory_symlink(top + "/elsewhere", top + "/in/l");
  EXPECT_EQ(opened.make_file("l/new", 0600).error().code, Code::Denied);
  EXPECT_EQ(opened.make_folder("l/new", 0700).error().code, Code::Denied);
  EXPECT_EQ(opened.make_link("l/new", "x").error().code, Code::Denied);
  EXPECT_EQ(opened.file("l/secret").error().code, Code::Denied);
  EXPECT_EQ(opened.read("l/secret", Bytes{10}).error().code, Code::Denied);
  fs::rename(top + "/in", top + "/moved");
  fs::create_directory_symlink(top + "/elsewhere", top + "/in");
  ASSERT_TRUE(opened.make_file("new", 0600));
  EXPECT_TRUE(fs::exists(top + "/moved/new"));
  EXPECT_FALSE(fs::exists(top + "/elsewhere/new"));
  EXPECT_EQ(Tree::open(top + "/in").error().code, Code::Denied);
}

TEST_F(tree, a_second_name_is_for_regular_files_alone) {
  write("d/a", "1");
  auto opened = open();
  ASSERT_TRUE(opened.make_link("d/e/l", "../../x"));
  ASSERT_TRUE(opened.make_name("b", "d/a"));
  EXPECT_EQ(text("b"), "1");
  EXPECT_TRUE(opened.make_name("d/a", "d/a"));
  EXPECT_EQ(text("d/a"), "1");
  EXPECT_EQ(opened.make_name("l", "d/e/l").error().code, Code::Denied);
  EXPECT_FALSE(fs::is_symlink(top + "/in/l"));
  EXPECT_EQ(opened.make_name("c", "none").error().code, Code::NotFound);
}

TEST_F(tree, paths_that_lead_out_are_refused) {
  for (auto path : {"../x", "/x", "a/../../x", "a/..", ""})
    EXPECT_EQ(open().make_file(path, 0600).error().code, Code::BadArgument) << path;
  EXPECT_FALSE(fs::exists(top + "/x"));
}

TEST_F(tree, what_is_no_regular_file_is_not_read) {
  ASSERT_EQ(::mkfifo((top + "/in/fifo").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", top + "/in/zero");
  for (auto name : {"fifo", "zero"}) {
    EXPECT_EQ(open().file(name).error().code, Code::Denied) << name;
    EXPECT_EQ(open().read(name, Bytes{10}).error().code, Code::Denied) << name;
  }
  write("long", "0123456789a");
  EXPECT_EQ(open().read("long", Bytes{10}).error().code, Code::Limit);
}

TEST_F(tree, a_walk_comes_to_regular_files_in_order_and_to_no_link) {
  for (auto name : {"b/2", "b/1", "a", "left/x", "b/out"}) write(name, name);
  fs::create_directory_symlink(top + "/elsewhere", top + "/in/l");
  fs::create_symlink(top + "/elsewhere/secret", top + "/in/b/s");
  ASSERT_EQ(::mkfifo((top + "/in/fifo").c_str(), 0600), 0);
  std::string seen;
  auto walked = open().walk({.paths = {"left", "b/out"}, .unreadable = false},
                            [&](const TreeFile& file) -> Result<void> {
                              seen += file.path + ":" + std::to_string(file.facts.st_size) + " ";
                              return {};
                            });
  ASSERT_TRUE(walked) << walked.error().text;
  EXPECT_EQ(seen, "a:1 b/1:3 b/2:3 ");
}

TEST_F(tree, a_walk_ends_with_the_error_of_its_visitor_and_at_its_depth) {
  for (auto name : {"a", "b"}) write(name, name);
  int visits = 0;
  auto walked = open().walk({}, [&](const TreeFile&) -> Result<void> {
    ++visits;
    return fail(Code::Limit, "enough");
  });
  EXPECT_EQ(walked.error().text, "enough");
  EXPECT_EQ(visits, 1);
  std::string deep;
  for (int i = 0; i <= Tree::kDeepest; ++i) deep += "d/";
  ASSERT_TRUE(open().make_folder(deep, 0700));
  EXPECT_EQ(open().walk({}, [](const TreeFile&) { return Result<void>(); }).error().code,
            Code::Limit);
}

}  // namespace
}  // namespace wm

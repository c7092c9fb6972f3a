// Role: files of the configuration as a page edits them: another text in the place of one, judged
// as ckconfig does.
#include "daemons/wuserd/cluster/config_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "test/support/folder.h"

namespace wm::user {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Files : ::testing::Test {
  test::OwnFolder dir;
  void write(const std::string& file, const std::string& text) {
    std::ofstream(dir.path() + "/" + file) << text;
  }
  void SetUp() override {
    write("queues.conf", "[normal]\n[night]\npriority = 20\n");
    write("plans.conf", "[/a]\nlimit = 4\n");
  }
  Judged with(const std::string& file, const std::string& text) {
    auto texts = config_texts(dir.path(), file, text);
    EXPECT_TRUE(texts) << texts.error().text;
    return judged(*texts, "h1");
  }
};

TEST_F(Files, another_text_stands_in_the_place_of_the_file) {
  auto found = with("queues.conf", "[normal]\n[night]\npriority = 30\n");
  ASSERT_TRUE(found.config);
  EXPECT_EQ(found.config->queue("night")->priority, 30u);
  EXPECT_TRUE(found.config->plan("/a")) << "the others are read";
  auto as_is = config_texts(dir.path(), "queues.conf", std::nullopt);
  ASSERT_TRUE(as_is);
  EXPECT_EQ((*as_is)["queues.conf"], "[normal]\n[night]\npriority = 20\n") << "nothing was written";
}

TEST_F(Files, what_is_wrong_is_told_by_line) {
  auto found = with("queues.conf", "[normal]\npriorty = 30\nplan = /none\n");
  EXPECT_FALSE(found.config);
  EXPECT_THAT(found.wrong, ElementsAre(HasSubstr("queues.conf:2: unknown key 'priorty'"),
                                       HasSubstr("queues.conf:3: ")));
}

TEST_F(Files, a_file_that_another_needs_cannot_go_empty) {
  write("queues.conf", "[normal]\nplan = /a\n");
  EXPECT_THAT(with("plans.conf", "").wrong, ElementsAre(HasSubstr("queues.conf:2")));
}

TEST_F(Files, parts_are_those_that_the_text_includes) {
  write("more.conf", "[day]\npriority = 40\n");
  auto texts = config_texts(dir.path(), "queues.conf", "include = more.conf\n[normal]\n");
  ASSERT_TRUE(texts);
  EXPECT_THAT(parts_of(*texts, "queues.conf"), ElementsAre("more.conf"));
  EXPECT_TRUE(judged(*texts, "h1").config->queue("day"));
  EXPECT_FALSE(config_texts(dir.path(), "queues.conf", "include = none.conf\n"));
}

TEST(config_files, those_of_a_page_are_reconfigured_ones) {
  EXPECT_TRUE(check_editable("queues.conf"));
  EXPECT_TRUE(check_editable("plans.conf"));
  EXPECT_FALSE(check_editable("wm.conf"));
  EXPECT_FALSE(check_editable("../shadow"));
  EXPECT_FALSE(check_editable(""));
}

TEST(config_files, a_directory_that_is_none_is_said) {
  EXPECT_FALSE(config_texts("/nonexistent", "queues.conf", std::nullopt));
}

}  // namespace
}  // namespace wm::user

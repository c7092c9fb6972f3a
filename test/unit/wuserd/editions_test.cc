// Role: what is kept in versions: nothing is written over, the second of two is told, and what
// was kept before there were versions is one.
#include "daemons/wuserd/files/editions.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "libwm/files/whole_file.h"
#include "test/support/folder.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

class editions : public ::testing::Test {
 protected:
  Keeping keeping(bool next, const std::string& match = "", const std::string& request = "") const {
    return {next, match, request, "PUT /x/one", "ann", WallTime(std::chrono::seconds(1000000))};
  }
  Result<std::string> add(const std::string& text, const Keeping& how) const {
    return kept.add(how, [&](const std::string& draft, const std::string&) {
      return replace_file(draft + "/code", text, 0600);
    });
  }
  std::string code(const std::string& version = "") const {
    auto at = kept.folder(version);
    auto text = at ? read_file(*at + "/code") : Result<std::string>(at.error());
    return text ? *text : text.error().text;
  }
  void write_old() const {
    fs::create_directories(kept.top());
    std::ofstream(kept.top() + "/manifest.json") << "{}";
    std::ofstream(kept.top() + "/code") << "old";
  }

  test::OwnFolder folder;
  Editions kept{"definition", "one", folder.path() + "/one"};
};

TEST_F(editions, the_second_of_a_name_is_told_the_way_out_and_the_first_stays) {
  auto first = add("a", keeping(false));
  ASSERT_TRUE(first) << first.error().text;
  auto second = add("b", keeping(false));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::Conflict);
  EXPECT_EQ(second.error().text, "definition one exists (version " + *first +
                                     "): PUT /x/one makes the next version of it");
  EXPECT_EQ(code(), "a");
  EXPECT_EQ(kept.versions()->earlier.size(), 0u);
}

TEST_F(editions, two_of_one_second_are_two_and_both_are_read) {
  auto first = add("a", keeping(false)), second = add("b", keeping(true));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*second, *first + "-2");
  EXPECT_EQ(code(), "b");
  EXPECT_EQ(code(*first), "a");
  EXPECT_EQ(code("none"), "definition one has no version none");
}

TEST_F(editions, of_two_who_edit_at_once_the_second_is_refused) {
  auto first = add("a", keeping(false));
  ASSERT_TRUE(add("b", keeping(true, tag_of(*first))));
  auto late = add("c", keeping(true, tag_of(*first)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::Stale);
  EXPECT_EQ(code(), "b");
  EXPECT_EQ(kept.go_back(tag_of(*first)).error().code, Code::Stale);
}

TEST_F(editions, a_request_that_is_repeated_keeps_one_version) {
  auto first = add("a", keeping(false, "", "key"));
  auto again = add("a", keeping(false, "", "key"));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(*again, *first);
  EXPECT_EQ(serve::all_of(*kept.versions()).size(), 1u);
  EXPECT_FALSE(add("a", keeping(false, "", "other")));
}

TEST_F(editions, what_cannot_be_filled_leaves_nothing) {
  auto broken = [](const std::string&, const std::string&) -> Result<void> {
    return fail(Code::System, "no space left on device");
  };
  EXPECT_EQ(kept.add(keeping(false), broken).error().text, "no space left on device");
  EXPECT_FALSE(fs::exists(kept.top()));
  ASSERT_TRUE(add("a", keeping(false)));
  EXPECT_FALSE(kept.add(keeping(true), broken));
  EXPECT_EQ(code(), "a");
  std::size_t there = 0;
  for ([[maybe_unused]] const auto& one : fs::directory_iterator(kept.top())) ++there;
  EXPECT_EQ(there, 2u) << "the version and versions.json";
}

TEST_F(editions, a_next_one_of_nothing_is_refused) {
  EXPECT_EQ(add("a", keeping(true)).error().code, Code::NotFound);
  EXPECT_EQ(kept.versions().error().text, "definition one does not exist");
}

TEST_F(editions, what_was_kept_before_there_were_versions_is_one) {
  write_old();
  auto old = kept.versions();
  ASSERT_TRUE(old);
  EXPECT_TRUE(old->present.starts_with("one-"));
  EXPECT_EQ(code(), "old");
  EXPECT_EQ(add("b", keeping(false)).error().code, Code::Conflict);
  ASSERT_TRUE(add("b", keeping(true)));
  EXPECT_EQ(code(), "b");
  EXPECT_EQ(code(old->present), "old") << "by the name that it had";
  EXPECT_FALSE(fs::exists(kept.top() + "/manifest.json"));
}

TEST_F(editions, a_crash_while_it_becomes_one_loses_nothing) {
  write_old();
  auto old = kept.versions()->present;
  fs::create_directories(kept.top() + "/" + old);  // begun, and not written down
  ASSERT_TRUE(add("b", keeping(true)));
  EXPECT_EQ(code(old), "old");
}

TEST_F(editions, each_way_back_and_each_that_goes) {
  auto first = add("a", keeping(false)), second = add("b", keeping(true));
  ASSERT_TRUE(kept.go_back(""));
  EXPECT_EQ(code(), "a");
  EXPECT_EQ(kept.go_back("").error().text, "definition one has no version before this one");
  EXPECT_EQ(kept.remove(*first).error().code, Code::Conflict);
  ASSERT_TRUE(kept.remove(*second));
  EXPECT_FALSE(fs::exists(kept.top() + "/" + *second));
  EXPECT_EQ(kept.remove("../one").error().code, Code::NotFound);
  ASSERT_TRUE(kept.remove_all());
  EXPECT_FALSE(kept.versions());
  EXPECT_EQ(kept.remove_all().error().code, Code::NotFound);
}

TEST_F(editions, a_file_of_versions_that_is_damaged_is_said) {
  ASSERT_TRUE(add("a", keeping(false)));
  std::ofstream(kept.top() + "/versions.json") << "[]";
  EXPECT_EQ(kept.versions().error().code, Code::Damaged);
  EXPECT_EQ(add("b", keeping(true)).error().code, Code::Damaged);
}

TEST(tags, one_of_several_holds_and_what_follows_a_colon_does_not_count) {
  EXPECT_TRUE(tag_matches("", "v"));
  EXPECT_TRUE(tag_matches("*", "v"));
  EXPECT_TRUE(tag_matches("\"u\", \"v:3\"", "v"));
  for (const char* bad : {"v", "\"u\"", "\"", "\"v", "\"v2\""}) EXPECT_FALSE(tag_matches(bad, "v"));
  EXPECT_EQ(tag_of("v", "3"), "\"v:3\"");
}

}  // namespace
}  // namespace wm::user

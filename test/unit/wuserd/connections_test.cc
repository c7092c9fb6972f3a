// Role: connections are kept in versions: no secret is shown, none is lost, and what was written to
// the file by hand is a version, too.
#include "daemons/wuserd/data/connections.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "libwm/files/whole_file.h"
#include "test/support/folder.h"

namespace wm::user {
namespace {

class kept_connections : public ::testing::Test {
 protected:
  static constexpr const char* kFirst =
      R"({"name":"store","type":"s3","endpoint":"a","secret_access_key":"one"})";
  static constexpr const char* kLater =
      R"({"name":"store","type":"s3","endpoint":"b","secret_access_key":"***"})";

  void SetUp() override { site.own_dir = folder.path() + "/own"; }
  Keeping how(bool next, const std::string& match = "", const std::string& request = "") const {
    return {next, match, request, "PUT /x", "ann", WallTime(std::chrono::seconds(1000000))};
  }
  std::string key(const std::string& name) const {
    auto all = own_connections(site);
    return all && all->size() == 1 ? all->front().keys[name] : "?";
  }

  test::OwnFolder folder;
  Site site{ClusterConf{}, "ann", folder.path(), folder.path()};
};

TEST_F(kept_connections, a_name_that_is_taken_is_refused_and_the_next_version_keeps_its_secret) {
  auto first = keep_connection(site, kFirst, how(false));
  ASSERT_TRUE(first) << first.error().text;
  EXPECT_EQ(keep_connection(site, kLater, how(false)).error().code, Code::Conflict);
  EXPECT_EQ(key("endpoint"), "a");
  auto later = keep_connection(site, kLater, how(true, tag_of(first->version)));
  ASSERT_TRUE(later) << later.error().text;
  EXPECT_EQ(key("endpoint"), "b");
  EXPECT_EQ(key("secret_access_key"), "one");
  EXPECT_EQ(keep_connection(site, kLater, how(true, tag_of(first->version))).error().code,
            Code::Stale);
}

TEST_F(kept_connections, no_secret_is_shown_of_any_version_and_none_else_may_read_them) {
  auto first = keep_connection(site, kFirst, how(false));
  ASSERT_TRUE(keep_connection(site, kLater, how(true)));
  auto all = connection_versions(site, "store");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->find("one"), std::string::npos) << *all;
  EXPECT_NE(all->find(R"("state":"earlier")"), std::string::npos) << *all;
  EXPECT_NE(shown_connection(site, "store", first->version)->json.find(R"("endpoint":"a")"),
            std::string::npos);
  struct stat facts {};
  auto file = site.own_dir + "/connections/store/" + first->version;
  ASSERT_EQ(::stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 077, 0u);
}

TEST_F(kept_connections, what_was_written_by_hand_is_a_version_before_another_follows) {
  ASSERT_TRUE(keep_connection(site, kFirst, how(false)));
  std::ofstream(connections_file(site)) << "[store]\ntype = s3\nendpoint = hand\n";
  EXPECT_EQ(shown_connection(site, "store")->version, "edited");
  ASSERT_TRUE(keep_connection(site, kFirst, how(true, tag_of("edited"))));
  EXPECT_EQ(key("endpoint"), "a");
  auto back = take_connection_back(site, "store", "");
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(key("endpoint"), "hand");
}

TEST_F(kept_connections, a_repeated_request_keeps_one_version) {
  auto first = keep_connection(site, kFirst, how(false, "", "key"));
  auto again = keep_connection(site, kFirst, how(false, "", "key"));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->version, first->version);
}

TEST_F(kept_connections, the_present_version_stays_and_all_go_with_the_connection) {
  auto first = keep_connection(site, kFirst, how(false));
  EXPECT_EQ(remove_connection_version(site, "store", first->version).error().code, Code::Conflict);
  ASSERT_TRUE(remove_connection(site, "store"));
  EXPECT_EQ(shown_connection(site, "store", first->version).error().code, Code::NotFound);
  EXPECT_EQ(remove_connection(site, "store").error().code, Code::NotFound);
  EXPECT_TRUE(keep_connection(site, kFirst, how(false)));
}

TEST_F(kept_connections, hostile_names_lead_nowhere) {
  for (const char* name : {"", "..", "../own", "a/b"}) {
    EXPECT_FALSE(shown_connection(site, name)) << name;
    EXPECT_FALSE(remove_connection(site, name)) << name;
  }
}

}  // namespace
}  // namespace wm::user

// Role: what members of a shared project may ask of its owner's wuserd, by role, and what a
// stranger finds: nothing.
#include <gtest/gtest.h>

#include <filesystem>

#include "daemons/wuserd/assets/assets.h"
#include "daemons/wuserd/data/connections.h"
#include "daemons/wuserd/data/data_assets.h"
#include "daemons/wuserd/spaces/projects.h"
#include "daemons/wuserd/spaces/spaces.h"
#include "libwm/files/whole_file.h"
#include "test/support/folder.h"
#include "test/support/said_exchange.h"

namespace wm::user {
namespace {

class project_guests : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(projects_of(site).keep(rest::Project{"digits", "", "/research"}, first()));
    rest::Experiment experiment;
    experiment.name = "exp";
    ASSERT_TRUE(projects_of(site).keep("digits", experiment, first()));
  }
  Keeping first() const { return {false, "", "", "PUT /x", "ann", WallTime(at)}; }
  void share(const std::string& role) {
    ASSERT_TRUE(projects_of(site).share_project("digits", [&](rest::Project& it) {
      it.members = {{"bob", role}};
    }));
  }
  bool share_connection() {
    return bool(projects_of(site).share_project("digits",
                                                [](rest::Project& it) { it.connections = {"s"}; }));
  }
  /// What bob is answered: its body, or the code of the refusal.
  std::string asks(const std::string& method, const std::string& below,
                   const std::string& body = "", const std::string& who = "bob") {
    auto target = "/api/v1/projects" + below;
    test::SaidExchange exchange({method, target, {}}, body);
    Call call{exchange, site, rest::parse_target(target).value(), {}};
    auto made = project_to_guest(call, {who, {}});
    if (!made) return std::to_string(static_cast<int>(made.error().code));
    return *made ? (*made)->body : exchange.answer.body;
  }
  static std::string code(Code code) { return std::to_string(static_cast<int>(code)); }

  std::chrono::seconds at{1000000};
  test::OwnFolder folder;
  Site site{ClusterConf{}, "ann", folder.path(), folder.path()};
};

TEST_F(project_guests, a_stranger_finds_nothing_whatever_is_asked) {
  share("admin");
  for (const char* method : {"GET", "POST", "PUT", "DELETE"})
    for (const char* below : {"/digits", "/digits/experiments", "/digits/experiments/exp",
                              "/digits/members", "/none", "/digits/experiments/exp/run"})
      EXPECT_EQ(asks(method, below, "{}", "eve"), code(Code::NotFound)) << method << below;
  EXPECT_EQ(asks("GET", "", "", "eve"), "[]");
}

TEST_F(project_guests, each_role_may_what_those_before_it_may) {
  const std::string next = R"({"definitions":[]})", nobody = R"({"members":[]})";
  for (auto [role, wanted] : {std::pair{"viewer", "+--"}, {"editor", "++-"}, {"admin", "+++"}}) {
    share(role);
    std::string found;
    for (auto [method, below, body] : {std::tuple{"GET", "/digits/experiments", std::string()},
                                       {"PUT", "/digits/experiments/exp", next},
                                       {"PUT", "/digits/members", nobody}})
      found += asks(method, below, body) == code(Code::Denied) ? '-' : '+';
    EXPECT_EQ(found, wanted) << role;
  }
}

TEST_F(project_guests, what_is_the_owners_is_nobody_elses) {
  share("admin");
  EXPECT_EQ(asks("PUT", "/digits", R"({"plan":"/other"})"), code(Code::Denied));
  EXPECT_EQ(asks("POST", "/digits/experiments/exp/run"), code(Code::Denied));
  EXPECT_EQ(asks("POST", "/digits/models", R"({"name":"m","run":"c-1"})"), code(Code::BadArgument))
      << "no package";
  EXPECT_EQ(asks("PUT", "/digits/connections", R"({"connections":[]})"), code(Code::Denied));
  EXPECT_EQ(asks("POST", "", R"({"name":"q"})"), code(Code::NotFound));
  EXPECT_EQ(projects_of(site).project("digits")->plan, "/research");
}

TEST_F(project_guests, a_version_says_which_member_made_it) {
  share("editor");
  auto made = asks("PUT", "/digits/experiments/exp", R"({"definitions":[],"data":"mnist"})");
  EXPECT_NE(made.find(R"("made_by":"bob")"), std::string::npos) << made;
  auto all = asks("GET", "/digits/experiments/exp/versions");
  EXPECT_NE(all.find(R"("made_by":"ann")"), std::string::npos) << all;
}

TEST_F(project_guests, runs_of_members_are_kept_with_the_experiment) {
  share("viewer");
  EXPECT_EQ(asks("POST", "/digits/experiments/exp/runs", R"({"run":"c-7"})"), code(Code::Denied));
  share("editor");
  EXPECT_EQ(asks("POST", "/digits/experiments/exp/runs", R"({"run":"c-7"})"), "");
  EXPECT_EQ(projects_of(site).experiment("digits", "exp")->runs, std::vector<std::string>{"c-7"});
  for (const char* bad : {"{}", R"({"run":"../x"})", R"({"run":7})", "[]"})
    EXPECT_EQ(asks("POST", "/digits/experiments/exp/runs", bad), code(Code::BadArgument)) << bad;
}

TEST_F(project_guests, a_list_has_what_is_shared_alone_and_the_role) {
  ASSERT_TRUE(projects_of(site).keep(rest::Project{"own", "", ""}, first()));
  share("viewer");
  auto list = asks("GET", "");
  EXPECT_NE(list.find(R"("role":"viewer")"), std::string::npos) << list;
  EXPECT_EQ(list.find("\"own\""), std::string::npos) << list;
}

TEST_F(project_guests, members_stay_when_the_project_is_changed_and_are_noted_for_wlogind) {
  share("viewer");
  auto how = first();
  how.next = true;
  ASSERT_TRUE(projects_of(site).keep(rest::Project{"digits", "new", "/research"}, how));
  EXPECT_EQ(projects_of(site).project("digits")->members.size(), 1u);
  ASSERT_TRUE(note_shares(site));
  EXPECT_EQ(*read_file(folder.path() + "/shares"), "bob\n");
}

TEST_F(project_guests, a_connection_is_used_by_who_may_and_where_its_owner_says_so) {
  site.own_dir = folder.path() + "/own";
  ASSERT_TRUE(keep_connection(site, R"({"name":"s","type":"http","url":"http://x","bucket":"b"})",
                              first()));
  share("editor");
  const std::string wanted =
      R"({"dataSource":[{"connection":{"name":"s"},"location":{"path":"x"}}]})";
  EXPECT_EQ(asks("POST", "/digits/fetches", wanted), code(Code::Denied));
  EXPECT_EQ(asks("GET", "/digits/connections"), R"({"connections":[]})");
  ASSERT_TRUE(share_connection());
  EXPECT_EQ(asks("GET", "/digits/connections"), R"({"connections":[{"name":"s","type":"http"}]})");
  EXPECT_EQ(asks("POST", "/digits/fetches", wanted), code(Code::Impossible)) << "no results_dir";
  for (const char* bad :
       {"{}", R"({"dataSource":[]})", R"({"dataSource":7})",
        R"({"dataSource":[{"type":"data_asset","asset":{"name":"x"},"folder":"/etc"}]})"})
    EXPECT_NE(asks("POST", "/digits/fetches", bad), code(Code::Impossible)) << bad;
  share("viewer");
  EXPECT_EQ(asks("POST", "/digits/fetches", wanted), code(Code::Denied));
  EXPECT_EQ(asks("POST", "/digits/fetches", wanted, "eve"), code(Code::NotFound));
}

TEST_F(project_guests, what_was_fetched_for_one_member_does_not_exist_for_another) {
  share("editor");
  std::filesystem::create_directories(folder.path() + "/data");
  ASSERT_TRUE(replace_file(folder.path() + "/data/f1.share",
                           R"({"job":"7","guest":"carl","project":"digits"})", 0600));
  for (const char* method : {"GET", "DELETE"})
    for (const char* id : {"f1", "f2", ".f1", "f1.share"})
      EXPECT_EQ(asks(method, std::string("/digits/fetches/") + id), code(Code::NotFound)) << id;
}

TEST_F(project_guests, members_keep_data_of_connections_that_are_shared_alone) {
  site.own_dir = folder.path() + "/own";
  ASSERT_TRUE(keep_connection(site, R"({"name":"s","type":"http","url":"http://x"})", first()));
  rest::DataAsset asset;
  asset.name = "d", asset.connection = "s", asset.path = "x";
  NewData data{asset, {}, false, true};
  EXPECT_EQ(make_data_asset(site, "digits", data).error().code, Code::Denied);
  ASSERT_TRUE(share_connection());
  EXPECT_TRUE(make_data_asset(site, "digits", data));
  EXPECT_EQ(project_with_connection(site, "s"), "digits");
  auto how = first();
  how.next = true;
  ASSERT_TRUE(projects_of(site).keep(rest::Project{"digits", "new", ""}, how));
  EXPECT_EQ(project_with_connection(site, "s"), "digits") << "it has a row of its own";
}

TEST(projects_of_others, are_named_with_their_owner) {
  Site site{ClusterConf{}, "ann", "/x", "/x"};
  auto of_others = [&](const char* target) {
    return is_of_others(site, rest::parse_target(target).value());
  };
  EXPECT_TRUE(of_others("/api/v1/projects/bob~p/definitions"));
  for (const char* own : {"/api/v1/projects/p", "/api/v1/projects", "/api/v1/spaces/bob~p"})
    EXPECT_FALSE(of_others(own)) << own;
}

}  // namespace
}  // namespace wm::user

// Role: data assets on disk: versions follow each other, none is changed, and nothing half is seen.
#include "daemons/wuserd/data/data_assets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "daemons/wuserd/data/connections.h"
#include "daemons/wuserd/data/staging.h"
#include "daemons/wuserd/files/editions.h"
#include "libwm/rest/data_sources.h"
#include "test/support/folder.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

class data_store : public ::testing::Test {
 protected:
  void SetUp() override { site.own_dir = folder.path() + "/own"; }
  /// An upload of files with these names, each with its name as text.
  Upload upload_of(const std::vector<std::string>& names) const {
    Upload upload;
    for (const auto& name : names) {
      auto path = folder.path() + "/incoming-" + std::to_string(upload.files.size());
      std::ofstream(path) << name;
      upload.files.push_back({path, name});
    }
    return upload;
  }
  NewData said(const std::string& json, const std::vector<std::string>& files = {}) const {
    NewData data;
    data.asset = rest::parse_data_asset(json).value();
    data.upload = upload_of(files);
    return data;
  }
  std::string names(const rest::DataAsset& asset) const {
    std::string text;
    for (const auto& file : files_of(site, "default", asset, 10))
      text += file.path + ":" + std::to_string(file.size) + " ";
    return text;
  }
  /// What lies in the project's data but the assets themselves.
  std::size_t left_over() const {
    std::size_t count = 0;
    std::error_code ec;
    for (fs::recursive_directory_iterator at(folder.path() + "/projects/default/data", ec), end;
         !ec && at != end; at.increment(ec))
      count += at->path().filename().string().starts_with('.') ? 1 : 0;
    return count;
  }

  test::OwnFolder folder;
  Site site{ClusterConf{}, "ann", folder.path(), folder.path()};
};

TEST_F(data_store, an_upload_is_kept_and_its_versions_follow) {
  auto first = make_data_asset(site, "default", said(R"({"name":"d"})", {"a.csv", "b"}));
  ASSERT_TRUE(first) << first.error().text;
  EXPECT_EQ(first->files, 2);
  EXPECT_EQ(first->size, 6);
  EXPECT_EQ(names(*first), "a.csv:5 b:1 ");
  auto second = change_data_asset(site, "default", said(R"({"name":"d"})", {"c"}));
  ASSERT_TRUE(second) << second.error().text;
  EXPECT_EQ(second->version, 2);
  EXPECT_EQ(names(*second), "c:1 ");
  EXPECT_EQ(names(data_asset(site, "default", "d", 1).value()), "a.csv:5 b:1 ");
  EXPECT_EQ(data_asset(site, "default", "d").value(), *second);
  // Other words for the same files.
  auto third = change_data_asset(site, "default", said(R"({"name":"d","description":"x"})"));
  EXPECT_EQ(third->version, 3);
  EXPECT_EQ(names(*third), "c:1 ");
  auto all = data_assets(site, "default").value();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].description, "x");
  EXPECT_EQ(left_over(), 0u);
}

TEST_F(data_store, a_name_is_given_once_and_what_is_refused_leaves_nothing) {
  EXPECT_EQ(make_data_asset(site, "default", said(R"({"name":"d"})")).error().code,
            Code::BadArgument);
  EXPECT_EQ(change_data_asset(site, "default", said(R"({"name":"d"})", {"a"})).error().code,
            Code::NotFound);
  ASSERT_TRUE(make_data_asset(site, "default", said(R"({"name":"d"})", {"a"})));
  auto again = make_data_asset(site, "default", said(R"({"name":"d"})", {"b"}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::Conflict);
  EXPECT_EQ(names(data_asset(site, "default", "d").value()), "a:1 ");
  auto twice = make_data_asset(site, "default", said(R"({"name":"e"})", {"a", "a"}));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().text, "two files are called a");
  EXPECT_EQ(data_asset(site, "default", "e").error().code, Code::NotFound);
  EXPECT_EQ(data_asset(site, "default", "d", 2).error().text, "data asset d has no version 2");
  EXPECT_EQ(data_asset(site, "default", "../d").error().code, Code::NotFound);
  EXPECT_EQ(data_assets(site, "nowhere").error().text, "project nowhere does not exist");
  EXPECT_EQ(data_assets(site, "..").error().code, Code::NotFound);
  EXPECT_EQ(left_over(), 0u);
}

// A version that was begun when the daemon died has no number, and is in nobody's way.
TEST_F(data_store, what_was_left_half_counts_for_nothing) {
  ASSERT_TRUE(make_data_asset(site, "default", said(R"({"name":"d"})", {"a"})));
  auto own = folder.path() + "/projects/default/data/d";
  fs::create_directories(own + "/v2-0123");
  std::ofstream(own + "/.v2-77") << "{";
  std::ofstream(own + "/vx.json") << "{}";
  fs::create_directories(folder.path() + "/projects/default/data/.draft-x");
  EXPECT_EQ(data_asset(site, "default", "d").value().version, 1);
  EXPECT_EQ(data_assets(site, "default").value().size(), 1u);
  EXPECT_EQ(change_data_asset(site, "default", said(R"({"name":"d"})", {"b"})).value().version, 2);
}

TEST_F(data_store, versions_are_gone_back_from_repeated_and_guarded_as_others_are) {
  auto first = said(R"({"name":"d"})", {"a"});
  first.keeping.request = "once";
  ASSERT_TRUE(make_data_asset(site, "default", first));
  auto again = said(R"({"name":"d"})", {"b"});
  again.keeping.request = "once";
  EXPECT_EQ(make_data_asset(site, "default", again).value().version, 1) << "the same request";
  ASSERT_TRUE(change_data_asset(site, "default", said(R"({"name":"d"})", {"c"})));
  auto stale = said(R"({"name":"d"})", {"d"});
  stale.keeping.match = "\"v1\"";
  EXPECT_EQ(change_data_asset(site, "default", stale).error().code, Code::Stale);
  EXPECT_EQ(take_data_back(site, "default", "d", "\"v1\"").error().code, Code::Stale);
  auto back = take_data_back(site, "default", "d", "\"v2\"");
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->version, 1);
  EXPECT_EQ(names(data_asset(site, "default", "d").value()), "a:1 ");
  EXPECT_EQ(
      change_data_asset(site, "default", said(R"({"name":"d","description":"x"})")).value().version,
      3)
      << "a number is given once";
  EXPECT_EQ(names(data_asset(site, "default", "d").value()), "a:1 ") << "of what was present";
  std::string all;
  for (const auto& one : data_versions(site, "default", "d").value())
    all += std::to_string(one.version);
  EXPECT_EQ(all, "312");
  EXPECT_EQ(take_data_back(site, "default", "none", "").error().code, Code::NotFound);
  EXPECT_EQ(left_over(), 0u);
}

TEST_F(data_store, what_was_kept_in_the_form_of_before_stays_with_its_numbers) {
  auto own = folder.path() + "/projects/default/data/d";
  fs::create_directories(own + "/v1-00ff");
  std::ofstream(own + "/v1-00ff/a.csv") << "12345";
  std::ofstream(own + "/v1.json") << R"({"name":"d","stored":"v1-00ff","files":1,"size":5})";
  std::ofstream(own + "/v2.json")
      << R"({"name":"d","stored":"v1-00ff","files":1,"size":5,"description":"new"})";
  fs::create_directories(own + "/v1");  // it was being taken over when it was killed
  EXPECT_EQ(names(data_asset(site, "default", "d", 1).value()), "a.csv:5 ");
  auto present = data_asset(site, "default", "d").value();
  EXPECT_EQ(present.version, 2);
  EXPECT_EQ(present.description, "new");
  EXPECT_EQ(names(present), "a.csv:5 ");
  EXPECT_FALSE(fs::exists(own + "/v1.json"));
  EXPECT_EQ(change_data_asset(site, "default", said(R"({"name":"d"})", {"b"})).value().version, 3);
  EXPECT_EQ(data_assets(site, "default").value().size(), 1u);
}

TEST_F(data_store, a_connection_is_there_and_takes_what_is_asked_of_it) {
  auto refusal = [&](const std::string& json) {
    auto made = make_data_asset(site, "default", said(json));
    return made ? "" : made.error().text;
  };
  EXPECT_EQ(refusal(R"({"name":"d","connection":"c","path":"x"})"), "connection c does not exist");
  ASSERT_TRUE(keep_connection(site, R"({"name":"c","type":"webdav","url":"http://h"})", {}));
  ASSERT_TRUE(keep_connection(site, R"({"name":"p","type":"postgresql","host":"h"})", {}));
  EXPECT_EQ(refusal(R"({"name":"d","connection":"c","query":"x"})"),
            "connection c is of type webdav: a path is wanted");
  EXPECT_EQ(refusal(R"({"name":"d","connection":"p","path":"x"})"),
            "connection p is of type postgresql: a query is wanted");
  EXPECT_EQ(user_of_connection(site, "c"), "");
  EXPECT_EQ(refusal(R"({"name":"d","connection":"c","path":"x"})"), "");
  EXPECT_EQ(user_of_connection(site, "c"), "default/d");
  auto both = said(R"({"name":"e","connection":"c","path":"x"})", {"a"});
  EXPECT_EQ(make_data_asset(site, "default", std::move(both)).error().text,
            "data asset e: a connection and files; one of them is wanted");
}

TEST_F(data_store, an_experiment_keeps_what_any_of_its_versions_takes) {
  ASSERT_TRUE(make_data_asset(site, "default", said(R"({"name":"d"})", {"a"})));
  Editions experiment("experiment", "e", folder.path() + "/projects/default/experiments/e");
  auto keep = [&](bool next, const std::string& manifest) {
    Keeping how{next, "", "", "PUT /x", "ann", WallTime(std::chrono::seconds(1000000))};
    return experiment.add(how, [&](const std::string& draft, const std::string&) -> Result<void> {
      std::ofstream(draft + "/manifest.json") << manifest;
      return {};
    });
  };
  ASSERT_TRUE(keep(false, R"({"name":"e","definitions":["x"],"sources":[
      {"type":"data_asset","asset":{"name":"d"}}]})"));
  EXPECT_EQ(remove_data_asset(site, "default", "d").error().code, Code::Conflict);
  ASSERT_TRUE(keep(true, R"({"name":"e","definitions":["x"]})"));
  auto refused = remove_data_asset(site, "default", "d");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Conflict) << refused.error().text;
  EXPECT_NE(refused.error().text.find("experiment e"), std::string::npos) << refused.error().text;
}

TEST_F(data_store, an_execution_has_what_the_name_means_now) {
  ASSERT_TRUE(make_data_asset(site, "default", said(R"({"name":"d"})", {"a"})));
  ASSERT_TRUE(change_data_asset(site, "default", said(R"({"name":"d"})", {"b"})));
  rest::ExecRequest request;
  request.sources = {R"({"type":"fs","location":{"paths":"x"}})",
                     R"({"type":"data_asset","asset":{"name":"d"}})",
                     R"({"type":"data_asset","asset":{"name":"d","version":1}})"};
  ASSERT_TRUE(resolve_assets(site, request));
  EXPECT_EQ(request.sources[0], R"({"type":"fs","location":{"paths":"x"}})");
  EXPECT_EQ(rest::asset_named(request.sources[1]).value()->version, 2);
  auto newest = rest::folder_of(rest::data_wish({request.sources[1]}).value());
  auto first = rest::folder_of(rest::data_wish({request.sources[2]}).value());
  EXPECT_TRUE(fs::exists(newest + "/b")) << newest;
  EXPECT_TRUE(fs::exists(first + "/a")) << first;
  request.sources = {R"({"type":"data_asset","asset":{"name":"none"}})"};
  EXPECT_EQ(resolve_assets(site, request).error().text,
            "dataSource: data asset none does not exist");
}

}  // namespace
}  // namespace wm::user

// Role: data assets: what they say, how executions and experiments name them, what is fetched then.
#include <gtest/gtest.h>

#include "libwm/rest/assets.h"
#include "libwm/rest/data_sources.h"
#include "libwm/rest/exec_request.h"

namespace wm::rest {
namespace {

std::string said_of_asset(const std::string& json) {
  auto read = parse_data_asset(json);
  return read ? "" : read.error().text;
}

TEST(data_assets, what_is_kept_is_read_again) {
  DataAsset asset;
  asset.name = "digits";
  asset.description = "of \"hands\"";
  asset.connection = "store";
  asset.query = "select *\nfrom t";
  asset.file = "rows";
  asset.version = 3;
  asset.saved = 12;
  EXPECT_EQ(parse_data_asset(to_text(asset)).value(), asset);
  DataAsset upload;
  upload.name = "u";
  upload.stored = "v1-ab";
  upload.size = 7;
  upload.files = 2;
  EXPECT_EQ(parse_data_asset(to_text(upload)).value(), upload);
}

TEST(data_assets, what_leads_nowhere_is_refused_by_its_field) {
  EXPECT_EQ(said_of_asset(R"({"name":"a","connection":"c","path":"b/x"})"), "");
  EXPECT_EQ(said_of_asset(R"({"name":"a"})"), "") << "an upload";
  EXPECT_EQ(said_of_asset(R"({"name":"a","path":"x"})"), "connection: a path or query needs one");
  EXPECT_EQ(said_of_asset(R"({"name":"a","connection":"c"})"),
            "connection c: a path or a query is wanted");
  EXPECT_EQ(said_of_asset(R"({"name":"a","connection":"c","path":"x","query":"y"})"),
            "connection c: a path or a query is wanted");
  EXPECT_EQ(said_of_asset(R"({"name":"a","connection":"../c","path":"x"})"),
            "connection: the name of one is wanted");
  EXPECT_EQ(said_of_asset(R"({"name":"a","connection":"c","query":"q","file":"../f"})"),
            "file: the name of a query's file is wanted");
  EXPECT_NE(said_of_asset(R"({"name":"../a","connection":"c","path":"x"})"), "");
  EXPECT_EQ(said_of_asset(R"({"name":"a","connection":"c","path":["x"]})"),
            "path: a text of at most 4096 bytes is wanted");
}

TEST(data_assets, an_item_names_a_project_and_a_version_or_the_newest_of_the_default_one) {
  auto named = asset_named(R"({"type":"data_asset","asset":{"name":"d"}})").value();
  ASSERT_TRUE(named);
  EXPECT_EQ(*named, (AssetNamed{"default", "d", 0}));
  named = asset_named(R"({"type":"data_asset","asset":{"project":"p","name":"d","version":2}})")
              .value();
  EXPECT_EQ(*named, (AssetNamed{"p", "d", 2}));
  EXPECT_FALSE(asset_named(R"({"type":"fs","location":{"paths":"x"}})").value());
  for (auto bad : {R"({"type":"data_asset"})", R"({"type":"data_asset","asset":"d"})",
                   R"({"type":"data_asset","asset":{"name":"../d"}})",
                   R"({"type":"data_asset","asset":{"name":"d","version":-1}})",
                   R"({"type":"data_asset","asset":{"name":"d","version":"x"}})"})
    EXPECT_FALSE(asset_named(bad)) << bad;
}

std::string resolved_connection(const std::string& more) {
  DataAsset asset;
  asset.name = "d";
  asset.connection = "store";
  asset.path = "bucket/x";
  asset.version = 4;
  return resolved_item(R"({"type":"data_asset","asset":{"name":"d"})" + more + "}", {"p", "d", 0},
                       asset, "");
}

TEST(data_assets, in_its_place_stands_what_it_is_with_its_version) {
  auto item = resolved_connection(R"(,"staging":"volume","volume":"v")");
  EXPECT_EQ(item, R"({"type":"data_asset","asset":{"project":"p","name":"d","version":4},)"
                  R"("connection":{"name":"store"},"location":{"path":"bucket/x"},)"
                  R"("staging":"volume","volume":"v"})");
  auto wish = data_wish({item}).value();
  EXPECT_EQ(wish.sources, std::vector<std::string>{R"({"connection":"store","path":"bucket/x"})"});
  EXPECT_EQ(wish.staging, Staging::Volume);
  EXPECT_EQ(asset_named(item).value()->version, 4) << "a run says what it had";
}

std::string resolved_upload(const std::string& more) {
  DataAsset asset;
  asset.name = "d";
  return resolved_item(R"({"type":"data_asset","folder":"/etc","asset":{"name":"d"})" + more + "}",
                       {"p", "d", 0}, asset, "/r/files");
}

TEST(data_assets, uploaded_files_stay_where_they_are_unless_a_place_is_named) {
  auto alone = data_wish({resolved_upload("")}).value();
  EXPECT_EQ(folder_of(alone), "/r/files") << "a folder that a client names is none";
  auto local = data_wish({resolved_upload(R"(,"staging":"local")")}).value();
  EXPECT_EQ(folder_of(local), "");
  EXPECT_EQ(local.sources, std::vector<std::string>{R"({"folder":"/r/files"})"});
  EXPECT_EQ(folder_of(data_wish({resolved_upload(""), resolved_connection("")}).value()), "");
  EXPECT_EQ(folder_of(data_wish({resolved_connection("")}).value()), "");
  auto open = data_wish({R"({"type":"data_asset","asset":{"name":"d"}})"});
  EXPECT_FALSE(open) << "nobody has looked where it is";
}

TEST(data_assets, stores_have_paths_and_servers_queries) {
  for (auto type : {"s3", "sftp", "gcs"}) EXPECT_FALSE(asks_by_query(type)) << type;
  for (auto type : {"postgresql", "odbc", "mongodb", "cognos"})
    EXPECT_TRUE(asks_by_query(type)) << type;
}

TEST(data_assets, args_name_one_as_a_form_does_which_wins) {
  auto request = parse_exec(
                     "--exec-start PyTorch --cs-datastore-meta "
                     "type=data_asset,name=digits,project=p,staging=local --model-main m.py")
                     .value();
  ASSERT_EQ(request.sources.size(), 1u);
  EXPECT_EQ(*asset_named(request.sources[0]).value(), (AssetNamed{"p", "digits", 0}));
  EXPECT_NE(request.sources[0].find(R"("staging":"local")"), std::string::npos);
  EXPECT_EQ(request.data_path, "");
  ASSERT_TRUE(add_exec_data(R"({"dataSource":[{"type":"fs","location":{"paths":"x"}}]})", request));
  EXPECT_EQ(request.sources.size(), 1u);
  EXPECT_EQ(request.data_path, "x");
}

TEST(data_assets, those_of_an_experiment_are_its_projects) {
  Project project{"p", "", ""};
  auto experiment = parse_experiment(
      R"({"name":"e","sources":[{"type":"data_asset","asset":{"name":"d"}},
          {"type":"data_asset","asset":{"name":"d","project":"q"}},
          {"type":"connection_asset","connection":{"name":"c"},"location":{"path":"x"}}]})");
  ASSERT_TRUE(experiment) << experiment.error().text;
  EXPECT_EQ(parse_experiment(to_text(*experiment)).value(), *experiment);
  ExecRequest request;
  ASSERT_TRUE(add_exec_data(data_of(project, *experiment, {}), request));
  ASSERT_EQ(request.sources.size(), 3u);
  EXPECT_EQ(asset_named(request.sources[0]).value()->project, "p");
  EXPECT_EQ(asset_named(request.sources[1]).value()->project, "q");
  EXPECT_NE(request.sources[2].find("connection_asset"), std::string::npos);
}

TEST(data_assets, an_experiment_has_one_place_of_data) {
  for (auto bad :
       {R"({"name":"e","data":"x","sources":[{}]})", R"({"name":"e","volume":"v","sources":[{}]})",
        R"({"name":"e","sources":["x"]})", R"({"name":"e","sources":{}})"})
    EXPECT_FALSE(parse_experiment(bad)) << bad;
}

}  // namespace
}  // namespace wm::rest

// Role: what can be chosen from: names stand for what their files say, and what cannot be had is
// told with its reason before anything begins.
#include "daemons/wuserd/catalog/catalog.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "daemons/wuserd/account/routes.h"
#include "daemons/wuserd/catalog/modules.h"
#include "daemons/wuserd/catalog/routes.h"
#include "libwm/files/whole_file.h"
#include "libwm/login/api_keys.h"
#include "test/support/folder.h"
#include "test/unit/wuserd/asked.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

class choices : public ::testing::Test {
 protected:
  void SetUp() override {
    site.conf_dir = folder.path();
    site.own_dir = folder.path() + "/own";
    fs::create_directories(folder.path() + "/digits");
    write("hwspecs.conf", "[small]\ncpus = 2\n[large]\ngpus = 4\nmemory = 8G\n");
    write("volumes.conf", "[digits]\npath = " + folder.path() + "/digits\n[file]\npath = " +
                              folder.path() + "/hwspecs.conf\n[gone]\npath = /no/such/folder\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.path() + "/" + name) << text;
  }
  test::OwnFolder folder;
  Site site{ClusterConf{}, "ann", folder.path(), folder.path()};
};

TEST_F(choices, a_hardware_specification_is_what_its_name_says) {
  rest::ExecRequest request;
  request.hardware = "large";
  ASSERT_TRUE(resolve_names(site, request));
  EXPECT_EQ(request.device, rest::Device::Gpu);
  EXPECT_EQ(request.devices, 4u);
  EXPECT_EQ(request.memory, "8G");
  request.hardware = "small";
  ASSERT_TRUE(resolve_names(site, request));
  EXPECT_EQ(request.device, rest::Device::Cpu);
  EXPECT_EQ(request.devices, 2u);
  request.hardware = "huge";
  EXPECT_EQ(resolve_names(site, request).error().code, Code::NotFound);
}

TEST_F(choices, a_volume_is_its_folder_where_that_is_there) {
  rest::ExecRequest request;
  request.volume = "digits";
  ASSERT_TRUE(resolve_names(site, request));
  EXPECT_EQ(request.data_root, folder.path() + "/digits");
  for (const char* none : {"file", "gone"}) {
    request.volume = none;
    EXPECT_EQ(resolve_names(site, request).error().code, Code::Impossible) << none;
  }
  request.volume = "unknown";
  EXPECT_EQ(resolve_names(site, request).error().code, Code::NotFound);
}

TEST_F(choices, a_list_of_volumes_says_why_one_cannot_be_used) {
  auto json = json_of(ask(site, catalog_routes(), {"GET", "/api/v1/volumes", {}}));
  ASSERT_EQ(json["volumes"].size(), 3u) << json;
  EXPECT_EQ(json["volumes"][0].dump().find("is not there"), std::string::npos) << json;
  EXPECT_NE(json["volumes"][1].dump().find("is not there"), std::string::npos) << "it is a file";
  EXPECT_NE(json["volumes"][2].dump().find("is not there"), std::string::npos);
}

TEST_F(choices, data_is_looked_for_where_it_is_to_be) {
  write("digits/train", "x");
  EXPECT_TRUE(check_data_place(site, "digits", "train"));
  EXPECT_EQ(check_data_place(site, "digits", "none").error().code, Code::NotFound);
  EXPECT_EQ(check_data_place(site, "gone", "").error().code, Code::Impossible);
  site.conf.dirs.data = folder.path() + "/digits";
  EXPECT_TRUE(check_data_place(site, "", "train"));
  EXPECT_EQ(check_data_place(site, "", "none").error().code, Code::NotFound);
  site.conf.dirs.data = "";
  EXPECT_TRUE(check_data_place(site, "", "none")) << "nothing is known of it here";
}

TEST_F(choices, ones_own_framework_is_kept_and_no_other_is_written_over) {
  auto made = install_framework(site, R"({"name":"mine","like":"PyTorch"})");
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_TRUE(install_framework(site, R"({"name":"mine","like":"PyTorch","module":"json"})"));
  EXPECT_EQ(install_framework(site, R"({"name":"PyTorch"})").error().code, Code::Conflict);
  EXPECT_TRUE(remove_framework(site, "mine"));
  EXPECT_EQ(remove_framework(site, "mine").error().code, Code::NotFound);
  EXPECT_EQ(remove_framework(site, "PyTorch").error().code, Code::NotFound);
}

rest::Framework framework_of(const std::string& module) {
  rest::Framework framework;
  framework.name = "one";
  framework.module = module;
  return framework;
}

TEST(need_module, a_framework_without_its_module_is_refused_before_it_is_started) {
  EXPECT_TRUE(need_module(framework_of("json")));
  EXPECT_TRUE(need_module(framework_of("")));
  auto none = need_module(framework_of("no_such_module_anywhere"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::Impossible);
  EXPECT_NE(none.error().text.find("no_such_module_anywhere"), std::string::npos);
  EXPECT_FALSE(need_module(framework_of("json'); import os; ('"))) << "it becomes a program's text";
}

TEST(need_module, what_only_its_environment_knows_is_left_to_the_task) {
  auto brought = framework_of("no_such_module_anywhere");
  brought.env_modules = {"pytorch/2"};
  EXPECT_TRUE(need_module(brought));
  auto gone = framework_of("json");
  gone.venv = "/no/such/venv";
  EXPECT_EQ(need_module(gone).error().code, Code::Impossible);
}

TEST_F(choices, keys_are_listed_without_what_opens_anything) {
  auto list = [&] { return json_of(ask(site, account_routes(), {"GET", "/api/v1/keys", {}})); };
  EXPECT_EQ(list()["keys"].size(), 0u) << "there is no folder";
  fs::create_directory(site.own_dir);
  fs::permissions(site.own_dir, fs::perms::owner_all);
  EXPECT_EQ(list()["keys"].size(), 0u) << "there is no file";
  rest::ApiKey key{"ci", rest::key_hash("secret"), "read,submit", 1000, 2000};
  ASSERT_TRUE(replace_file(site.own_dir + "/keys", rest::to_text({key}), 0600));
  auto json = list();
  ASSERT_EQ(json["keys"].size(), 1u) << json;
  EXPECT_EQ(json["keys"][0]["name"], "ci");
  EXPECT_EQ(json["keys"][0]["scopes"], "read,submit");
  EXPECT_EQ(json["keys"][0]["expires"], 2000);
  EXPECT_EQ(json.dump().find(key.hash), std::string::npos);
  fs::remove(site.own_dir + "/keys");
  fs::create_symlink("/etc/passwd", site.own_dir + "/keys");
  EXPECT_FALSE(ask(site, account_routes(), {"GET", "/api/v1/keys", {}})) << "no file of the user's";
}

}  // namespace
}  // namespace wm::user

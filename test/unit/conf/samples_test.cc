// Role: the samples in etc/ name every key with its default, so that an administrator sees all
// there is; and they are a configuration that is taken as it is.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "libwm/conf/folders.h"
#include "libwm/conf/keys.h"
#include "libwm/conf/load.h"

namespace wm::conf {
namespace {

std::string text_of(std::string_view file) {
  std::ifstream in("etc/" + std::string(file));
  return {std::istreambuf_iterator<char>(in), {}};
}

// The lines of a sample that show defaults: up to the first section that is an example.
std::set<std::string> shown_defaults(const std::string& text) {
  static const std::regex line("(?:^|\\n)#([a-z_]+ =[^#\\n]*)");
  std::set<std::string> found;
  auto part = text.substr(0, text.find("\n#["));
  for (std::sregex_iterator at(part.begin(), part.end(), line), end; at != end; ++at) {
    auto shown = (*at)[1].str();
    shown.erase(shown.find_last_not_of(' ') + 1);
    found.insert(shown);
  }
  return found;
}

template <class T>
void expect_all(std::string_view file, std::span<const Key<T>> keys) {
  auto shown = shown_defaults(text_of(file));
  for (const auto& key : keys) {
    T initial;
    auto value = show_field(key.field(initial));
    auto line = std::string(key.name) + " =" + (value.empty() ? "" : " " + value);
    EXPECT_TRUE(shown.count(line)) << "etc/" << file << " lacks the line #" << line;
  }
}

TEST(samples, name_every_key_with_its_default) {
  expect_all("wm.conf", cluster_keys());
  expect_all("queues.conf", queue_keys());
  expect_all("hosts.conf", host_keys());
  expect_all("plans.conf", plan_keys());
  expect_all("apps.conf", app_keys());
  expect_all("users.conf", user_keys());
  expect_all("budgets.conf", budget_keys());
}

TEST(samples, are_a_configuration_with_and_without_what_is_commented_out) {
  static const std::regex off("(^|\\n)#(?=[a-z_]+ =)");
  Texts as_they_are, all_on;
  for (auto file : file_names()) {
    as_they_are[std::string(file)] = text_of(file);
    auto text = text_of(file);
    all_on[std::string(file)] = std::regex_replace(text.substr(0, text.find("\n#[")), off, "$1");
  }
  auto read = parse(as_they_are);
  EXPECT_TRUE(read) << read.error().text;
  auto read_all = parse(all_on);
  EXPECT_TRUE(read_all) << read_all.error().text;
}

TEST(samples, name_no_host_so_that_one_machine_is_a_cluster_as_installed) {
  Texts texts;
  for (auto file : file_names()) texts[std::string(file)] = text_of(file);
  auto config = parse(texts, "thishost");
  ASSERT_TRUE(config) << config.error().text;
  ASSERT_EQ(config->hosts.size(), 1u);
  EXPECT_EQ(config->hosts[0].name, "thishost");
}

TEST(folders, of_master_and_host_are_apart_and_none_without_a_log) {
  DirConf dirs{.state = "/s", .run = "/r", .log = "/l"};
  EXPECT_EQ(master_folders(dirs).state, "/s/master");
  EXPECT_EQ(master_folders(dirs).log, "/l/master");
  auto node = node_folders(dirs, "h1");
  EXPECT_EQ(node.state + node.run + node.log, "/s/node/h1/r/node/h1/l/node");
  dirs.log = "";
  EXPECT_EQ(master_folders(dirs).log + node_folders(dirs, "h1").log, "");
}

}  // namespace
}  // namespace wm::conf

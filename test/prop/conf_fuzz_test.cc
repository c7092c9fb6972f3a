// Role: configuration files that somebody got wrong: the reader gives a configuration or says
// where it is wrong, file and line, whatever the bytes are. Prints the text.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "libwm/conf/load.h"
#include "test/support/mutate.h"

namespace wm::conf {
namespace {

using test::Mutator;
using test::trouble_with_refusal;

const std::vector<std::string> kPieces{"[",
                                       "]",
                                       "=",
                                       "#",
                                       "\n",
                                       " = ",
                                       "[default]\n",
                                       "parent = ",
                                       "owns = 99999999999999999999\n",
                                       "priority = -1\n",
                                       "run_limit = 1e99h\n",
                                       "hosts = node[1-99999999]\n",
                                       "share = nan\n",
                                       ",",
                                       "plan = /a/b/c\n",
                                       "[/a]\n",
                                       "[/a/b]\n",
                                       "gpus = 4\n",
                                       "\"",
                                       "\r\n",
                                       "mem = 8E\n"};

// The files that are installed, and trees that use what those leave out.
std::vector<std::pair<std::string, std::string>> good_files() {
  std::vector<std::pair<std::string, std::string>> files;
  for (auto name : file_names()) {
    std::ifstream file("etc/" + std::string(name));
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_FALSE(text.str().empty()) << "etc/" << name << ": run from the project's root";
    files.emplace_back(name, text.str());
  }
  files.emplace_back("plans.conf",
                     "[/a]\nshares = 3\nowned = 2\n[/a/b]\nshares = 1\npolicy = priority\n");
  files.emplace_back("hosts.conf", "[gpu[01-16]]\ncpus = 8\ngpus = 4\nmem = 64G\nswitch = s1\n");
  files.emplace_back("users.conf", "[ann]\nshares = 4\nplan = /a\n[group:phys]\nmembers = ann\n");
  return files;
}

TEST(conf_fuzz, wrong_files_are_refused_by_file_and_line) {
  auto good = good_files();
  Mutator mutator(7, kPieces);
  const auto tries = test::fuzz_count(3000);
  unsigned refused = 0;
  for (unsigned i = 0; i < tries && !HasFailure(); ++i) {
    const auto& [name, text] = good[i % good.size()];
    auto spoiled = mutator.spoiled(text);
    SCOPED_TRACE(name + ": " + testing::PrintToString(spoiled));
    auto config = parse({{name, spoiled}});
    if (config) continue;
    ++refused;
    EXPECT_EQ(config.error().code, Code::BadArgument);
    EXPECT_EQ(trouble_with_refusal(config.error().text), "") << config.error().text.substr(0, 200);
    EXPECT_NE(config.error().text.find(".conf"), std::string::npos) << config.error().text;
  }
  EXPECT_GT(refused, tries / 10);
}

TEST(conf_fuzz, two_thousand_levels_and_a_megabyte_are_refused_or_read) {
  std::string path, text;
  for (int i = 0; i < 2'000; ++i) text += "[" + (path += "/p") + "]\nshares = 1\n";
  auto deep = parse({{"plans.conf", text}});
  EXPECT_TRUE(deep || deep.error().code == Code::BadArgument);
  auto wide = parse({{"hosts.conf", std::string(1 << 20, '[')}});
  ASSERT_FALSE(wide);
  EXPECT_EQ(trouble_with_refusal(wide.error().text), "");
}

}  // namespace
}  // namespace wm::conf

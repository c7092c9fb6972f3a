// Role: options of daemons: what is read, and how a slip is told.
#include "libwm/base/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace wm {
namespace {

struct Read {
  std::string conf = "/etc/wm", name;
  bool foreground = false;
  Result<void> result = {};
};

Read read(std::vector<std::string> words) {
  Read r;
  words.insert(words.begin(), "daemon");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  const OptionRow rows[] = {
      {"--conf", &r.conf}, {"--name", &r.name}, {"--foreground", &r.foreground}};
  r.result = read_options(static_cast<int>(argv.size()), argv.data(), rows);
  return r;
}

TEST(options, are_read_in_both_forms_and_the_last_counts) {
  auto r = read({"--conf", "/a", "--foreground", "--name=x=y", "--conf=/b"});
  EXPECT_TRUE(r.result);
  EXPECT_EQ(r.conf, "/b");
  EXPECT_EQ(r.name, "x=y");
  EXPECT_TRUE(r.foreground);
  EXPECT_EQ(read({"--conf", ""}).conf, "");
  EXPECT_EQ(read({}).conf, "/etc/wm");
}

TEST(options, a_slip_is_told_with_the_nearest) {
  auto r = read({"--cofn", "/a"});
  EXPECT_EQ(r.result.error().code, Code::BadArgument);
  EXPECT_EQ(r.result.error().text, "unknown option '--cofn'; did you mean '--conf'?");
  EXPECT_EQ(read({"word"}).result.error().text, "unknown option 'word'");
}

TEST(options, values_are_where_they_are_wanted_and_nowhere_else) {
  EXPECT_EQ(read({"--name"}).result.error().text, "--name needs a value");
  EXPECT_EQ(read({"--foreground=yes"}).result.error().text, "--foreground takes no value");
}

}  // namespace
}  // namespace wm

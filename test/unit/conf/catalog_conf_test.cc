// frameworks.conf, volumes.conf, hwspecs.conf: what begins from what, what is wrong by line, and
// that pages and samples name every key.
#include "libwm/conf/catalog_conf.h"

#include <gtest/gtest.h>

#include <fstream>

namespace wm::conf {
namespace {

std::vector<Framework> one_known() {
  Framework torch;
  torch.name = "PyTorch";
  torch.module = "torch";
  torch.aliases = {"PyTorch041"};
  return {torch};
}

TEST(catalog_conf, a_framework_begins_from_another_and_stands_beside_it) {
  auto known = one_known();
  ASSERT_TRUE(add_frameworks(
      "[nightly]\nlike = PyTorch\nvenv = /opt/nightly\nexports = A=1 B=2\ndevice = gpu\n", "site",
      known));
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[1].module, "torch");
  EXPECT_EQ(known[1].venv, "/opt/nightly");
  EXPECT_EQ(known[1].app_name, "nightly");
  EXPECT_EQ(known[1].origin, "site");
  EXPECT_TRUE(known[1].aliases.empty());
  EXPECT_EQ(known[1].exports.at("B"), "2");
}

TEST(catalog_conf, a_section_of_the_same_name_changes_it) {
  auto known = one_known();
  ASSERT_TRUE(add_frameworks("[PyTorch]\nrefusal = use nightly\n", "site", known));
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].refusal, "use nightly");
  EXPECT_EQ(known[0].aliases, std::vector<std::string>{"PyTorch041"});
}

TEST(catalog_conf, each_problem_has_its_line) {
  auto known = one_known();
  auto done = add_frameworks("[x]\nlike = none\nmodul = torch\ndevice = tpu\nmax_workers = 0\n",
                             "user", known);
  ASSERT_FALSE(done);
  for (const char* line : {"frameworks.conf:2", "frameworks.conf:3", "nearest: module",
                           "frameworks.conf:4", "frameworks.conf:5"})
    EXPECT_NE(done.error().text.find(line), std::string::npos) << line << done.error().text;
  EXPECT_FALSE(parse_volumes("[v]\npath = relative\n"));
  EXPECT_FALSE(parse_volumes("path = /x\n"));
  EXPECT_FALSE(parse_hardware("[h]\ngpu_kind = slice\n"));
  EXPECT_FALSE(parse_hardware("[h]\nmig = 1g.5gb\n"));
}

TEST(catalog_conf, volumes_and_hardware_are_read) {
  auto volumes = parse_volumes("[v]\npath = /data/v\ngroups = a b\nread_only = yes\n").value();
  EXPECT_EQ(volumes[0].groups, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(volumes[0].read_only);
  auto specs = parse_hardware("[s]\ngpus = 1\ngpu_kind = slice\nmig = 1g.10gb\n").value();
  EXPECT_EQ(specs[0].mig, "1g.10gb");
  EXPECT_EQ(specs[0].cpus, 1u);
}

TEST(catalog_conf, a_section_that_is_written_reads_as_the_same) {
  auto known = one_known();
  ASSERT_TRUE(add_frameworks("[own]\nlike = PyTorch\nenv_modules = cuda/12\nexports = A=1\n",
                             "user", known));
  auto text = to_section(known[1]).value();
  std::vector<Framework> again;
  ASSERT_TRUE(add_frameworks(text, "user", again)) << text;
  EXPECT_EQ(again[0], known[1]) << text;
  auto hostile = known[1];
  hostile.summary = "x\n[other]";
  EXPECT_FALSE(to_section(hostile));
}

template <class T>
void expect_named(const std::string& file, std::span<const Key<T>> keys) {
  for (const auto& path : {"libwm/conf/" + file + ".5.md", "etc/" + file}) {
    std::ifstream in(path);
    std::string text(std::istreambuf_iterator<char>(in), {});
    for (const auto& key : keys)
      EXPECT_NE(text.find(key.name), std::string::npos) << path << ": " << key.name;
  }
}

TEST(catalog_conf, pages_and_samples_name_every_key) {
  expect_named("frameworks.conf", framework_keys());
  expect_named("volumes.conf", volume_keys());
  expect_named("hwspecs.conf", hardware_keys());
}

}  // namespace
}  // namespace wm::conf

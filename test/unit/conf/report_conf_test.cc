// report.conf: keys, sections, and what is wrong with them by line.
#include "libwm/conf/report_conf.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace wm::conf {
namespace {

TEST(report_conf, keys_and_sections_are_read) {
  auto conf = parse_report_conf(
      "report_timezone = Europe/Berlin\nreport_admins = jo ann\nmail_domain = example.org\n"
      "[/a]\nowners = carol\n[bob]\nmail = none\n[ann]\nmail = a@x.org\n");
  ASSERT_TRUE(conf) << conf.error().text;
  EXPECT_EQ(conf->timezone, "Europe/Berlin");
  EXPECT_EQ(conf->to.at("/a").owners, std::vector<std::string>{"carol"});
  EXPECT_EQ(address_of(*conf, "jo"), "jo@example.org");
  EXPECT_EQ(address_of(*conf, "ann"), "a@x.org");
  EXPECT_EQ(address_of(*conf, "bob"), "");
  EXPECT_EQ(address_of(*conf, "x@y.org"), "x@y.org");
}

TEST(report_conf, each_problem_has_its_line) {
  auto conf = parse_report_conf("report_admin = x\nkeep_pages = 0\n[/a]\nmail = x\n");
  ASSERT_FALSE(conf);
  EXPECT_NE(conf.error().text.find("report.conf:1"), std::string::npos) << conf.error().text;
  EXPECT_NE(conf.error().text.find("report_admins"), std::string::npos);
  EXPECT_NE(conf.error().text.find("report.conf:2"), std::string::npos);
  EXPECT_NE(conf.error().text.find("report.conf:4"), std::string::npos);
}

TEST(report_conf, the_page_and_the_sample_name_every_key) {
  for (const char* path : {"libwm/conf/report.conf.5.md", "etc/report.conf"}) {
    std::ifstream file(path);
    std::string text(std::istreambuf_iterator<char>(file), {});
    for (const auto& key : report_keys())
      EXPECT_NE(text.find(key.name), std::string::npos) << path << ": " << key.name;
  }
}

}  // namespace
}  // namespace wm::conf

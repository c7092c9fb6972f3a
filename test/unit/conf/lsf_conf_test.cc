#include "libwm/conf/lsf_conf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace wm::conf {
namespace {

std::string value_of(const std::vector<LsfSetting>& settings, const std::string& name) {
  auto at = std::find_if(settings.begin(), settings.end(),
                         [&](const LsfSetting& setting) { return setting.name == name; });
  return at == settings.end() ? "none" : at->value;
}

TEST(lsf_conf, the_unit_of_limits_is_named_only_where_the_site_has_one) {
  ClusterConf cluster;
  EXPECT_EQ(value_of(lsf_settings(cluster, {}), "LSF_UNIT_FOR_LIMITS"), "none");
  EXPECT_EQ(cluster.lsf.limit_unit(), Bytes{1 << 10});
  EXPECT_EQ(cluster.lsf.mem_unit(), Bytes{1 << 20});
  cluster.lsf.unit = "GB";
  EXPECT_EQ(value_of(lsf_settings(cluster, {}), "LSF_UNIT_FOR_LIMITS"), "GB");
  EXPECT_EQ(cluster.lsf.limit_unit(), Bytes{1 << 30});
  EXPECT_EQ(cluster.lsf.mem_unit(), Bytes{1 << 30});
}

TEST(lsf_conf, both_files_tell_how_memory_counts) {
  ClusterConf cluster;
  EXPECT_EQ(value_of(lsf_settings(cluster, {}), "RESOURCE_RESERVE_PER_TASK"), "N");
  cluster.lsf.reserve_per_task = true;
  EXPECT_EQ(value_of(lsf_settings(cluster, {}), "RESOURCE_RESERVE_PER_TASK"), "Y");
  EXPECT_EQ(value_of(lsb_params(cluster), "RESOURCE_RESERVE_PER_TASK"), "Y");
}

TEST(lsf_conf, every_line_is_a_comment_or_one_setting_from_the_first_column) {
  ClusterConf cluster;
  cluster.lsf.share_dir = "/srv/lsf";
  auto text = lsf_conf_text(cluster, {"/etc/wm", "/usr/bin"});
  static const std::regex line("(#.*|[A-Z_0-9]+=[^=]+)");
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    auto end = text.find('\n', at);
    ASSERT_NE(end, text.npos);
    EXPECT_TRUE(std::regex_match(text.substr(at, end - at), line)) << text.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_GT(lines, 5u);
  EXPECT_NE(text.find("\nLSB_SHAREDIR=/srv/lsf\n"), text.npos);
  EXPECT_NE(text.find("\nLSF_ENVDIR=/etc/wm\n"), text.npos);
}

TEST(lsf_conf, lsb_params_has_its_section_where_clients_look) {
  ClusterConf cluster;
  cluster.name = "c1";
  cluster.default_queue = "night";
  EXPECT_EQ(lsb_params_path(cluster), "lsbatch/c1/configdir/lsb.params");
  auto text = lsb_params_text(cluster);
  EXPECT_TRUE(text.starts_with("# Made by `badmin lsfconf`"));
  EXPECT_NE(text.find("\nBegin Parameters\nDEFAULT_QUEUE = night\n"), text.npos);
  EXPECT_TRUE(text.ends_with("\nEnd Parameters\n"));
}

TEST(lsf_conf, clients_find_a_release_of_lsf_in_the_banner) {
  ClusterConf cluster;
  std::smatch found;
  auto banner = lsid_banner(cluster, "1.2.3");
  ASSERT_TRUE(std::regex_search(banner, found, std::regex("IBM Spectrum LSF Standard (.*),")));
  EXPECT_EQ(found[1], "10.1.0.13");
  EXPECT_TRUE(banner.starts_with("WM 1.2.3, "));
  cluster.lsf.banner = "Ours 4";
  EXPECT_EQ(lsid_banner(cluster, "1.2.3"), "Ours 4");
}

}  // namespace
}  // namespace wm::conf

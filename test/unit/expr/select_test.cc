#include "libwm/expr/select.h"

#include <gtest/gtest.h>

#include <map>

namespace wm::expr {
namespace {

std::optional<Value> on_host(std::string_view name) {
  static const std::map<std::string, Value, std::less<>> values = {
      {"mem", 4096.0}, {"ncpus", 8.0}, {"hname", "gpu-01"},
      {"type", "X86"}, {"ssd", 1.0},   {"slow", 0.0}};
  auto at = values.find(name);
  return at == values.end() ? std::nullopt : std::optional(at->second);
}

bool fits(std::string_view text) {
  auto select = Select::parse(text);
  EXPECT_TRUE(select) << text << ": " << select.error().text;
  return select && select->matches(on_host);
}

std::string select_refusal(std::string_view text) {
  auto select = Select::parse(text);
  return select ? "accepted" : select.error().text;
}

TEST(select, nothing_fits_everything) { EXPECT_TRUE(fits("  ")); }

TEST(select, operators_bind_as_in_c) {
  EXPECT_TRUE(fits("1 + 2 * 3 == 7"));
  EXPECT_TRUE(fits("(1 + 2) * 3 == 9"));
  EXPECT_TRUE(fits("0 && 0 || 1"));
  EXPECT_FALSE(fits("0 && (0 || 1)"));
  EXPECT_TRUE(fits("!slow && ssd"));
  EXPECT_TRUE(fits("!!ssd"));
  EXPECT_TRUE(fits("-ncpus + 9 == 1"));
  EXPECT_TRUE(fits("ncpus/2-1==3"));
  EXPECT_FALSE(fits("1/0"));
}

TEST(select, sizes_compare_in_megabytes) {
  EXPECT_TRUE(fits("mem>=4096"));
  EXPECT_TRUE(fits("mem>=4G"));
  EXPECT_TRUE(fits("mem >= 2048MB && mem<5gb"));
  EXPECT_FALSE(fits("mem>4G"));
}

TEST(select, texts_are_quoted_or_bare) {
  EXPECT_TRUE(fits("type==X86"));
  EXPECT_TRUE(fits("type=='X86' && hname!=\"n1\""));
  EXPECT_TRUE(fits("hname==gpu-01"));
  EXPECT_FALSE(fits("hname != gpu-01"));
  EXPECT_TRUE(fits("type==any"));
  EXPECT_TRUE(fits("type == local"));
  EXPECT_FALSE(fits("type==SPARC"));
}

TEST(select, words_of_machines_are_taken_in_the_old_spelling_too) {
  Host host;
  host.type = "x86_64";
  host.model = "Intel(R) Xeon(R) Processor @ 2.80GHz";
  host.capacity.gpus = {{"GPU-a", "NVIDIA H100 80GB HBM3", Bytes{1}}};
  auto holds = [&](std::string_view text) {
    auto select = Select::parse(text);
    return select && select->matches([&](auto name) { return host_value(host, nullptr, name); });
  };
  EXPECT_TRUE(holds("type==X86_64"));
  EXPECT_TRUE(holds("type==x86_64"));
  EXPECT_TRUE(holds("type==any && gpu"));
  EXPECT_TRUE(holds("model == IntelXeonProcessor_2_80GHz"));
  EXPECT_TRUE(holds("'Intel(R) Xeon(R) Processor @ 2.80GHz' == model"));
  EXPECT_TRUE(holds("gpu_model == NVIDIAH10080GBHBM3"));
  EXPECT_TRUE(holds("gpu_model == 'NVIDIA H100 80GB HBM3'"));
  EXPECT_FALSE(holds("model != IntelXeonProcessor_2_80GHz"));
  EXPECT_FALSE(holds("hname == 'a b'"));
  host.capacity.gpus.clear();
  EXPECT_FALSE(holds("gpu"));
}

TEST(select, what_a_host_lacks_excludes_it) {
  EXPECT_FALSE(fits("nosuch"));
  EXPECT_FALSE(fits("nosuch > 0"));
  EXPECT_FALSE(fits("nosuch < 5"));
  EXPECT_FALSE(fits("type > 3"));
  EXPECT_TRUE(fits("defined(ssd) && !defined(nosuch)"));
}

TEST(select, errors_show_where) {
  EXPECT_EQ(select_refusal("mem >"),
            "Error in select section near \"\": Expected number, string, name or \"(\": "
            "Bad resource requirement syntax");
  EXPECT_EQ(select_refusal("mem>5 ncpus>1"),
            "Error in select section near \"ncpus>1\": expected an operator: "
            "Bad resource requirement syntax");
  for (auto text : {"(", "a &&", "a = b", "'x", "defined(", "defined(3)", "a ? b", "(a"})
    EXPECT_NE(select_refusal(text), "accepted") << text;
}

TEST(select, depth_is_bounded) {
  EXPECT_NE(select_refusal(std::string(100000, '(')), "accepted");
  EXPECT_NE(select_refusal(std::string(100000, '-')), "accepted");
  EXPECT_TRUE(fits(std::string(100000, '!') + "ssd"));
}

TEST(select, a_host_offers_what_is_free) {
  Host host{.name = "h1",
            .capacity = {.slots = 8, .milli_cpus = 8000, .mem = Bytes{8LL << 30}},
            .used_slots = 3,
            .used_mem = Bytes{2LL << 30}};
  HostConf conf{.groups = {"fast"},
                .resources = {{"ssd", ""}, {"scratch", "500"}, {"site", "east"}}};
  auto fits_host = [&](std::string_view text) {
    return Select::parse(text)->matches([&](auto name) { return host_value(host, &conf, name); });
  };
  EXPECT_TRUE(fits_host("mem==6G && maxmem==8G && ncpus==8 && slots==5"));
  EXPECT_TRUE(fits_host("fast && ssd && scratch>=500 && site==east"));
  EXPECT_TRUE(fits_host("r1m < 0.5 && tmp > 100G"));
  EXPECT_FALSE(fits_host("slow"));
}

}  // namespace
}  // namespace wm::expr

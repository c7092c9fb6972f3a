// Role: what lshosts and lsload show.
#include "libwm/view/load_fields.h"

#include <gtest/gtest.h>

namespace wm::view {
namespace {

HostView host() {
  HostView view;
  view.host.name = "h1";
  view.host.type = "x86_64";
  view.host.model = "AMD EPYC";
  view.host.registered = WallTime{Duration{1}};
  view.host.capacity = {4, 4000, Bytes{252LL << 30}, {{"GPU-a", "H200", Bytes{80LL << 30}}}};
  view.connected = true;
  view.load = 1.26;
  view.gpus = {{"GPU-a", false, false, "", {}, Bytes{20LL << 30}, 70, 55}};
  return view;
}

std::string of(std::span<const Field<HostView>> fields, std::string_view name) {
  auto view = host();
  for (const auto& field : fields)
    if (field.field.name == name) return field.show(view);
  return "no such field";
}

TEST(load_fields, lshosts_tells_size_and_kind) {
  EXPECT_EQ(host_facts_table(std::vector{host()}, true),
            "HOST_NAME      type    model  cpuf ncpus maxmem maxswp server RESOURCES\n"
            "h1             x86_64  AMD     1.0     4 252.0G      -    Yes (gpu)\n");
  EXPECT_EQ(of(host_facts(), "ncpus"), "4");
  EXPECT_EQ(of(host_facts(), "model"), "AMD EPYC");
}

TEST(load_fields, lsload_tells_status_and_load) {
  auto text = load_table(std::vector{host()}, false);
  EXPECT_TRUE(text.starts_with("h1              ok         -   1.3     -  31%")) << text;
  auto view = host();
  view.host.closed = true;
  EXPECT_EQ(load_status(view), "-ok");
  view.connected = false;
  EXPECT_EQ(load_status(view), "unavail");
  EXPECT_EQ(load_table(std::vector{view}, false).find("unavail    -     -     -    -"), 16u);
  EXPECT_EQ(of(load_fields(), "r15s"), "");
}

TEST(load_fields, lsload_tells_what_the_host_measures) {
  auto view = host();
  view.more = {.r15s = 0.26,
               .r15m = 2,
               .idle = std::chrono::minutes(7),
               .tmp = Bytes{90LL << 30},
               .swp = Bytes{0},
               .mem = Bytes{9LL << 30},
               .max_swp = Bytes{4LL << 30}};
  auto text = load_table(std::vector{view}, true);
  EXPECT_EQ(text,
            "HOST_NAME       status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem\n"
            "h1              ok       0.3   1.3   2.0  31%     -   -     7 90.0G    0M 9216M\n");
  EXPECT_EQ(long_load_table(std::vector{view}, true),
            "HOST_NAME               status  r15s   r1m  r15m   ut    pg    io  ls    it     tmp"
            "     swp     mem  ngpus\n"
            "h1                      ok       0.3   1.3   2.0  31%     -     -   -     7   90.0G"
            "      0M   9216M      1\n");
  auto facts = host_facts_table(std::vector{view}, false);
  EXPECT_NE(facts.find(" 252.0G  4096M"), facts.npos) << facts;
}

TEST(load_fields, gpus_are_told_on_average) {
  auto text = gpu_load_table(std::vector{host()}, false);
  EXPECT_EQ(text, "h1              ok          1         70%          25%\n");
}

}  // namespace
}  // namespace wm::view

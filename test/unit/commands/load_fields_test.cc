// Role: what lshosts and lsload show.
#include "commands/common/load_fields.h"

#include <gtest/gtest.h>

namespace wm::cmd {
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

std::string of(std::span<const Shown<HostView>> fields, std::string_view name) {
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
  EXPECT_EQ(of(load_fields(), "r15s"), "");
}

TEST(load_fields, gpus_are_told_on_average) {
  auto text = gpu_load_table(std::vector{host()}, false);
  EXPECT_EQ(text, "h1              ok          1         70%          25%\n");
}

}  // namespace
}  // namespace wm::cmd

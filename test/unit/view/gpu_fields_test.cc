// Role: how GPUs are shown: who holds them, how much, and why one is set aside.
#include "libwm/view/gpu_fields.h"

#include <gtest/gtest.h>

namespace wm::view {
namespace {

HostView gpu_host() {
  HostView view;
  view.host.name = "g";
  auto& gpus = view.host.capacity.gpus;
  gpus = {{"GPU-0", "H200", Bytes{80LL << 30}}, {"GPU-1", "H200", Bytes{80LL << 30}}, {"g-gpu2"}};
  gpus[0].vendor = "nvidia";
  gpus[0].pci = "00000000:17:00.0";
  gpus[0].driver = "580.65";
  gpus[0].capability = "9.0";
  gpus[0].numa = 1;
  gpus[0].links = {0, 18};
  gpus[1].mig = "1g.10gb";
  view.host.gpu_owners = {{JobId{7, 0}, TaskNumber{1}}, {}, {}};
  view.host.gpu_shares = {{1, {JobId{8, 3}, TaskNumber{1}}, 250, Bytes{20LL << 30}, {}},
                          {1, {JobId{9, 0}, TaskNumber{1}}, 100, Bytes{8LL << 30}, {}}};
  view.gpus = {{"GPU-0", false, false, "", {}, Bytes{3LL << 30}, 70, 55}};
  return view;
}

TEST(gpu_fields, the_table_says_who_holds_how_much) {
  auto view = gpu_host();
  EXPECT_EQ(
      gpu_table(std::vector{view}, true),
      "HOST_NAME          ID                MODEL    MUSED     MRSV  NJOBS    RUN   SUSP    "
      "RSV STATUS          JOBIDS\n"
      "g                   0                 H200       3G      80G      1      1      0      "
      "0 ok              7\n"
      "g                   1         H200:1g.10gb        -      28G      2      2      0      "
      "0 ok              8[3],9\n"
      "g                   2                    -        -        0      0      0      0      "
      "0 ok              -\n");
  EXPECT_EQ(gpus_held(view.host), 2u);
}

TEST(gpu_fields, one_set_aside_says_why) {
  auto view = gpu_host();
  auto& mark = view.host.gpu_marks["GPU-1"];
  mark.sick = true;
  mark.sick_why = "XID 79";
  auto row = gpu_rows(std::span(&view, 1))[1];
  EXPECT_EQ(gpu_status(row), "sick");
  EXPECT_EQ(gpu_reason(row), "XID 79");
  mark.closed = true;
  mark.closed_by = "root";
  mark.closed_why = "fan";
  EXPECT_EQ(gpu_status(row), "closed_Adm,sick");
  EXPECT_EQ(gpu_reason(row), "root: fan; XID 79");
  EXPECT_NE(gpu_long_text(view).find("    set aside: root: fan; XID 79\n"), std::string::npos);
  EXPECT_EQ(gpu_status(gpu_rows(std::span(&view, 1))[0]), "ok");
}

TEST(gpu_fields, who_uses_more_than_its_gmem_is_named_beside_the_gpu) {
  auto view = gpu_host();
  view.gpus[0].over = "task 1 of job 7 uses 5G, its gmem is 4G";
  EXPECT_NE(gpu_table(std::vector{view}, false).find(" ok,over_gmem    7\n"), std::string::npos);
  EXPECT_EQ(gpu_status(gpu_rows(std::span(&view, 1))[0]), "ok") << "it is given to the next";
  EXPECT_NE(gpu_long_text(view).find("    over gmem: task 1 of job 7 uses 5G, its gmem is 4G\n"),
            std::string::npos);
}

TEST(gpu_fields, the_inventory_says_what_they_are) {
  auto view = gpu_host();
  auto text = gpu_inventory(std::vector{view}, true);
  EXPECT_NE(text.find("g                  0      H200                      580.65       9.0        "
                      "1       nvidia   00000000:17:00.0\n"),
            std::string::npos)
      << text;
}

TEST(gpu_fields, every_field_has_a_text) {
  auto view = gpu_host();
  auto row = gpu_rows(std::span(&view, 1))[0];
  auto shown = [&](std::string_view name) -> std::string {
    for (const auto& field : gpu_fields())
      if (field.field.name == name) return field.show(row);
    return "no such field";
  };
  EXPECT_EQ(shown("nvlink"), "1x18");
  EXPECT_EQ(shown("ut"), "70");
  EXPECT_EQ(shown("temp"), "55");
  EXPECT_EQ(shown("gpu_mode"), "exclusive");
  EXPECT_EQ(shown("mtotal"), "80G");
}

}  // namespace
}  // namespace wm::view

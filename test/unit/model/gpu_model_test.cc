// Which names of -gpu gmodel= mean a device.
#include <gtest/gtest.h>

#include "libwm/model/gpu_use.h"

namespace wm {
namespace {

Gpu card(const std::string& model, std::int64_t mebibytes) {
  Gpu gpu;
  gpu.model = model;
  gpu.mem = Bytes{mebibytes << 20};
  return gpu;
}

const Gpu kH200 = card("NVIDIA H200", 143771);
const Gpu kH100 = card("NVIDIA H100 80GB HBM3", 81559);

TEST(gpu_model, a_short_name_or_the_whole_one_in_any_writing) {
  for (const char* name : {"NVIDIA H200", "H200", "h200", "NVIDIAH200", "nvidia_h200"})
    EXPECT_TRUE(is_model(kH200, name)) << name;
  for (const char* name : {"H100", "H100-80GB", "NVIDIAH100_80GB_HBM3", "NVIDIA H100"})
    EXPECT_TRUE(is_model(kH100, name)) << name;
  EXPECT_TRUE(is_model(card("Tesla V100-SXM2-16GB", 16160), "TeslaV100_SXM2_16GB"));
}

TEST(gpu_model, a_part_of_a_word_is_another_model) {
  for (const char* name : {"H20", "200", "VIDIA H200", "H100", "", "-", "H200 NVL"})
    EXPECT_FALSE(is_model(kH200, name)) << name;
}

TEST(gpu_model, with_its_memory_as_its_maker_rounds_it) {
  EXPECT_TRUE(is_model(kH200, "h200-141G"));
  EXPECT_TRUE(is_model(kH200, "NVIDIAH200-141GB"));
  EXPECT_TRUE(is_model(kH100, "H100-80G"));
  EXPECT_TRUE(is_model(card("NVIDIA A10", 23028), "A10-24G"));
  EXPECT_FALSE(is_model(kH200, "H200-80G"));
  EXPECT_FALSE(is_model(kH100, "H100-94G"));
  EXPECT_FALSE(is_model(kH200, "H200-0G"));
  EXPECT_FALSE(is_model(kH200, "H200-141M"));
}

TEST(gpu_model, what_a_site_declares_is_itself) {
  EXPECT_TRUE(is_model(card("A100-40G", 0), "A100-40G"));
  EXPECT_FALSE(is_model(card("A100-40G", 0), "A100-80G"));
}

}  // namespace
}  // namespace wm

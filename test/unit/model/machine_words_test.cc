#include "libwm/model/machine_words.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

TEST(machine_words, models_of_gpus_are_written_as_lsf_does) {
  EXPECT_EQ(gpu_model_word("NVIDIA H100 80GB HBM3"), "NVIDIAH10080GBHBM3");
  EXPECT_EQ(gpu_model_word("NVIDIA A100-SXM4/40GB"), "NVIDIAA100_SXM4_40GB");
  EXPECT_EQ(gpu_model_word(""), "");
}

TEST(machine_words, models_of_hosts_hold_what_a_name_may) {
  EXPECT_EQ(host_model_word("Intel(R) Xeon(R) Processor @ 2.80GHz"), "IntelXeonProcessor_2_80GHz");
  EXPECT_EQ(host_model_word("AMD EPYC 7763 64-Core Processor"), "AMDEPYC776364_CoreProcessor");
}

TEST(machine_words, types_are_lsfs) {
  EXPECT_EQ(host_type_word("x86_64"), "X86_64");
  EXPECT_EQ(host_type_word("aarch64"), "LINUX_ARM64");
  EXPECT_EQ(host_type_word("riscv64"), "riscv64");
}

TEST(machine_words, a_word_stays_as_it_is) {
  for (std::string text : {"Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "x86_64", "Tesla V100-PCIE",
                           "(R)(TM)", "  ", "_a-/b", "Neoverse-N1"})
    for (auto word : {gpu_model_word, host_model_word, host_type_word}) {
      auto once = word(text);
      EXPECT_EQ(word(once), once) << text;
      EXPECT_EQ(once.find(' '), word == host_type_word ? text.find(' ') : once.npos) << text;
    }
}

}  // namespace
}  // namespace wm

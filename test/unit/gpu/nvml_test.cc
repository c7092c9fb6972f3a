// Role: what is read from a driver, here the stub's: inventory, links, slices, faults.
#include "libwm/gpu/nvml.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"

namespace wm::gpu {
namespace {

namespace fs = std::filesystem;

class nvml : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = wm::test::made_folder();
    ::setenv("WM_STUB_NVML", (folder_ / "gpus").c_str(), 1);
    stub_ = fs::read_symlink("/proc/self/exe").parent_path().parent_path() /
            "stub/libnvidia-ml-stub.so";
  }
  void TearDown() override {
    ::unsetenv("WM_STUB_NVML");
    fs::remove_all(folder_);
  }
  void machine(const std::string& text) { std::ofstream(folder_ / "gpus") << text; }
  std::unique_ptr<Nvml> open() {
    auto opened = Nvml::open(stub_);
    EXPECT_TRUE(opened) << opened.error().text;
    return opened ? std::move(*opened) : nullptr;
  }

  fs::path folder_;
  std::string stub_;
};

TEST_F(nvml, without_a_library_there_is_an_error_that_names_it) {
  auto none = Nvml::open("libnot-there.so.1");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::NotFound);
  EXPECT_NE(none.error().text.find("libnot-there.so.1"), std::string::npos);
}

TEST_F(nvml, a_driver_that_does_not_start_is_an_error) {
  ::unsetenv("WM_STUB_NVML");
  auto none = Nvml::open(stub_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::System);
}

TEST_F(nvml, inventory_tells_what_a_gpu_is) {
  machine(
      "driver 580.65\n"
      "gpu GPU-a name=NVIDIA_H200 mem=80G pci=00000000:17:00.0 numa=1 cc=9.0\n");
  auto gpus = open()->inventory();
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].uuid, "GPU-a");
  EXPECT_EQ(gpus[0].model, "NVIDIA H200");
  EXPECT_EQ(gpus[0].mem, Bytes{80LL << 30});
  EXPECT_EQ(gpus[0].pci, "00000000:17:00.0");
  EXPECT_EQ(gpus[0].numa, 1);
  EXPECT_EQ(gpus[0].capability, "9.0");
  EXPECT_EQ(gpus[0].driver, "580.65");
  EXPECT_EQ(gpus[0].vendor, "nvidia");
  EXPECT_TRUE(gpus[0].links.empty());
}

TEST_F(nvml, memory_in_use_is_without_what_the_driver_reserves) {
  machine(
      "gpu GPU-a mem=80G used=4M reserved=600M\ngpu GPU-b mem=80G used=4M reserved=600M old=1\n");
  auto driver = open();
  driver->inventory();
  auto readings = driver->read();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].used, Bytes{4LL << 20});
  EXPECT_EQ(readings[1].used, Bytes{604LL << 20});  // an older driver does not tell them apart
  EXPECT_EQ(readings[0].total, Bytes{80LL << 30});
}

TEST_F(nvml, power_energy_and_both_kinds_of_ecc_errors) {
  machine("gpu GPU-a mem=80G power=71500 energy=123000 corrected=2 ecc=1\n");
  auto driver = open();
  driver->inventory();
  auto reading = driver->read().at(0);
  EXPECT_EQ(reading.power_mw, 71500u);
  EXPECT_EQ(reading.energy_mj, 123000u);
  EXPECT_EQ(reading.ecc_corrected, 2u);
  EXPECT_EQ(reading.ecc_uncorrected, 1u);
}

TEST_F(nvml, device_files_have_the_drivers_numbers_and_slices_their_gpus) {
  machine(
      "gpu GPU-a minor=3\n"
      "gpu GPU-b minor=1 mig=1\n"
      "slice 1 MIG-b0 profile=1g.10gb\n");
  auto driver = open();
  driver->inventory();
  EXPECT_EQ(driver->device_files(), (std::map<std::string, std::string>{
                                        {"GPU-a", "/dev/nvidia3"}, {"MIG-b0", "/dev/nvidia1"}}));
}

TEST_F(nvml, links_are_direct_or_through_a_switch) {
  machine(
      "gpu GPU-a pci=00000000:01:00.0\ngpu GPU-b pci=00000000:02:00.0\n"
      "gpu GPU-c pci=00000000:03:00.0\ngpu GPU-d pci=00000000:04:00.0\n"
      "link 0 1 4\nlink 1 0 4\nlink 2 switch 18\nlink 3 switch 12\n");
  auto gpus = open()->inventory();
  ASSERT_EQ(gpus.size(), 4u);
  EXPECT_EQ(gpus[0].links, (std::vector<std::uint32_t>{0, 4, 0, 0}));
  EXPECT_EQ(gpus[1].links, (std::vector<std::uint32_t>{4, 0, 0, 0}));
  EXPECT_EQ(gpus[2].links, (std::vector<std::uint32_t>{0, 0, 0, 12}));
  EXPECT_EQ(gpus[3].links, (std::vector<std::uint32_t>{0, 0, 12, 0}));
}

TEST_F(nvml, a_gpu_in_mig_mode_is_its_slices) {
  machine(
      "gpu GPU-a name=A100 mem=40G pci=00000000:01:00.0 numa=0 cc=8.0 mig=1\n"
      "slice 0 MIG-x profile=1g.5gb mem=5G used=1G\n"
      "slice 0 MIG-y profile=3g.20gb mem=20G\n"
      "gpu GPU-b name=A100 mem=40G pci=00000000:02:00.0\n");
  auto driver = open();
  auto gpus = driver->inventory();
  ASSERT_EQ(gpus.size(), 3u);
  EXPECT_EQ(gpus[0].uuid, "MIG-x");
  EXPECT_EQ(gpus[0].mig, "1g.5gb");
  EXPECT_EQ(gpus[0].model, "A100");
  EXPECT_EQ(gpus[0].parent, "GPU-a");
  EXPECT_EQ(gpus[0].mem, Bytes{5LL << 30});
  EXPECT_EQ(gpus[1].mig, "3g.20gb");
  EXPECT_TRUE(gpus[2].mig.empty());
  auto readings = driver->read();
  ASSERT_EQ(readings.size(), 3u);
  EXPECT_EQ(readings[0].used, Bytes{1LL << 30});
}

TEST_F(nvml, a_reading_tells_use_and_faults) {
  machine("gpu GPU-a mem=80G used=3G pci=00000000:01:00.0\n");
  auto driver = open();
  driver->inventory();
  machine(
      "gpu GPU-a mem=80G used=3G pci=00000000:01:00.0 busy=70 temp=55 ecc=2 pending=1 failed=1 "
      "slow=0x48\nproc 0 4711 512M\nproc 0 4712 1G\nxid 0 79 1\nxid 0 13 2\n");
  auto r = driver->read().at(0);
  EXPECT_EQ(r.used, Bytes{3LL << 30});
  EXPECT_EQ(r.busy, 70u);
  EXPECT_EQ(r.celsius, 55u);
  EXPECT_EQ(r.ecc_uncorrected, 2u);
  EXPECT_TRUE(r.remap_pending);
  EXPECT_TRUE(r.remap_failed);
  EXPECT_EQ(r.slow_reasons, 0x48u);
  EXPECT_EQ(r.processes,
            (std::vector<GpuProcess>{{4711, Bytes{512 << 20}}, {4712, Bytes{1 << 30}}}));
  EXPECT_EQ(r.xids, (std::vector<std::uint32_t>{79, 13}));
  EXPECT_TRUE(driver->read().at(0).xids.empty()) << "told once";
}

TEST_F(nvml, more_processes_than_expected_are_all_told) {
  std::string text = "gpu GPU-a mem=80G pci=00000000:01:00.0\n";
  for (int pid = 1; pid <= 100; ++pid) text += "proc 0 " + std::to_string(pid) + " 1M\n";
  machine(text);
  auto driver = open();
  driver->inventory();
  EXPECT_EQ(driver->read().at(0).processes.size(), 100u);
}

TEST_F(nvml, a_gpu_that_fell_off_the_bus_is_in_trouble) {
  machine("gpu GPU-a mem=80G pci=00000000:01:00.0\ngpu GPU-b mem=80G pci=00000000:02:00.0\n");
  auto driver = open();
  EXPECT_EQ(driver->inventory().size(), 2u);
  machine(
      "gpu GPU-a mem=80G pci=00000000:01:00.0 status=15\n"
      "gpu GPU-b mem=80G pci=00000000:02:00.0\n");
  auto readings = driver->read();
  EXPECT_EQ(readings.at(0).trouble, 15);
  EXPECT_EQ(readings.at(1).trouble, 0);
  EXPECT_EQ(open()->inventory().size(), 1u) << "a new start does not find it";
}

}  // namespace
}  // namespace wm::gpu

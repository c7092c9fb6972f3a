// Role: GPUs in the state: shares, marks, and places that stay when a host comes back.
#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::fsm {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

Gpu device(const std::string& uuid) {
  Gpu gpu{uuid, "H200", Bytes{80LL << 30}};
  gpu.pci = "00000000:0" + uuid.substr(4) + ":00.0";
  return gpu;
}

class gpu_fsm : public ::testing::Test {
 protected:
  HostRegistered words(const std::vector<std::string>& uuids, const std::string& boot = "b1") {
    HostRegistered e{HostId{1}, "h1", "10.0.0.1", boot, "x", "y", {4, 4000, Bytes{1LL << 40}, {}}};
    for (const auto& uuid : uuids) e.capacity.gpus.push_back(device(uuid));
    return e;
  }
  JobId submit(bool shared, std::int64_t gib) {
    SpecBuilder spec;
    spec.app("training").gpus(1);
    spec.spec.task.gpu_shared = shared;
    spec.spec.task.gpu_mem = Bytes{gib << 30};
    return c_.submit(spec);
  }
  EventBody dispatched(JobId id, std::vector<std::uint16_t> gpus) {
    Task task{TaskNumber{1}, HostId{1}, std::move(gpus)};
    return JobDispatched{id, Attempt{1}, {task}, std::string(32, 'k')};
  }
  const Host& host() { return c_.host_of(HostId{1}); }

  ClusterBuilder c_;
};

TEST_F(gpu_fsm, sharers_hold_parts_and_give_them_back) {
  c_.step(words({"GPU-0"}));
  auto a = submit(true, 40), b = submit(true, 40), d = submit(true, 1);
  c_.step(dispatched(a, {0}));
  c_.step(dispatched(b, {0}));
  EXPECT_EQ(host().gpu_shares.size(), 2u);
  EXPECT_EQ(host().gpu_shares[0].milli, 500u);
  EXPECT_FALSE(c_.check(dispatched(d, {0}))) << "full";
  c_.step(TaskEnded{a, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""});
  ASSERT_EQ(host().gpu_shares.size(), 1u);
  EXPECT_EQ(host().gpu_shares[0].owner.job, b);
  EXPECT_TRUE(c_.check(dispatched(d, {0})));
}

TEST_F(gpu_fsm, a_shared_gpu_cannot_be_owned) {
  c_.step(words({"GPU-0"}));
  auto a = submit(true, 1), b = submit(false, 0);
  c_.step(dispatched(a, {0}));
  EXPECT_FALSE(c_.check(dispatched(b, {0})));
}

TEST_F(gpu_fsm, a_gpu_set_aside_is_not_given_until_it_is_back) {
  c_.step(words({"GPU-0", "GPU-1"}));
  GpuMark sick;
  sick.sick = true;
  sick.sick_why = "XID 79";
  EXPECT_TRUE(c_.check(GpuMarked{HostId{1}, "GPU-0", sick}));
  c_.step(GpuMarked{HostId{1}, "GPU-0", sick});
  EXPECT_FALSE(c_.check(GpuMarked{HostId{1}, "GPU-0", sick})) << "said already";
  auto a = submit(false, 0);
  EXPECT_FALSE(c_.check(dispatched(a, {0})));
  EXPECT_TRUE(c_.check(dispatched(a, {1})));
  c_.step(GpuMarked{HostId{1}, "GPU-0", GpuMark{}});
  EXPECT_TRUE(host().gpu_marks.empty());
  EXPECT_TRUE(c_.check(dispatched(a, {0})));
}

TEST_F(gpu_fsm, a_lost_device_keeps_its_place_set_aside) {
  c_.step(words({"GPU-0", "GPU-1", "GPU-2"}));
  auto a = submit(false, 0);
  c_.step(dispatched(a, {2}));
  c_.step(words({"GPU-0", "GPU-2"}));
  ASSERT_EQ(host().capacity.gpus.size(), 3u);
  EXPECT_EQ(host().capacity.gpus[2].uuid, "GPU-2");
  EXPECT_EQ(host().gpu_owners[2].job, a);
  ASSERT_TRUE(gpu_mark(host(), 1));
  EXPECT_TRUE(gpu_mark(host(), 1)->sick);
  c_.step(TaskEnded{a, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""});
  c_.step(words({"GPU-0", "GPU-2"}, "b2"));
  EXPECT_EQ(host().capacity.gpus.size(), 2u) << "a reboot starts anew";
}

TEST_F(gpu_fsm, links_follow_the_places) {
  auto first = words({"GPU-0", "GPU-1", "GPU-2"});
  first.capacity.gpus[0].links = {0, 0, 4};
  c_.step(first);
  auto again = words({"GPU-0", "GPU-2"});
  again.capacity.gpus[0].links = {0, 4};
  c_.step(again);
  EXPECT_EQ(host().capacity.gpus[0].links, (std::vector<std::uint32_t>{0, 0, 4}));
}

}  // namespace
}  // namespace wm::fsm

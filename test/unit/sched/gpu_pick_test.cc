// Role: which GPUs a task gets, alone, sharing, joined, by slice, and what is set aside.
#include "libwm/sched/capacity/gpu_pick.h"

#include <gtest/gtest.h>

#include "libwm/model/gpu_use.h"
#include "test/support/builders.h"

namespace wm::sched {
namespace {

constexpr Bytes kGiB{1LL << 30};
using Gpus = std::vector<std::vector<std::uint16_t>>;

Host gpu_host(std::uint32_t gpus) {
  Host made;
  made.capacity = {16, 16000, Bytes{1000}, {}};
  for (std::uint32_t g = 0; g < gpus; ++g)
    made.capacity.gpus.push_back({"GPU-" + std::to_string(g), "H200", Bytes{80 * kGiB.value}});
  made.gpu_owners.resize(gpus);
  return made;
}

TaskRequest whole(std::uint32_t gpus) {
  TaskRequest made;
  made.milli_gpus = gpus * 1000;
  return made;
}

TaskRequest sharing(std::int64_t gib) {
  TaskRequest made = whole(1);
  made.gpu_shared = true;
  made.gpu_mem = Bytes{gib * kGiB.value};
  return made;
}

TEST(gpu_pick, a_gpu_is_shared_by_as_many_as_its_memory_holds) {
  Host h = gpu_host(1);
  HostCapacity room = room_of(h);
  EXPECT_EQ(fit(room, sharing(20), When::Now, 99), 4);
  EXPECT_EQ(take(room, sharing(20), 3), (Gpus{{0}, {0}, {0}}));
  EXPECT_EQ(fit(room, sharing(20), When::Now, 99), 1);
  EXPECT_EQ(fit(room, sharing(21), When::Now, 99), 0);
}

TEST(gpu_pick, a_shared_gpu_is_no_whole_one_and_a_whole_one_is_not_shared) {
  Host h = gpu_host(2);
  HostCapacity room = room_of(h);
  take(room, sharing(8), 1);
  EXPECT_EQ(fit(room, whole(1), When::Now, 9), 1);
  take(room, whole(1), 1);
  EXPECT_EQ(fit(room, whole(1), When::Future, 9), 0);
  EXPECT_EQ(room.gpus[1], GpuUse::Taken);
  EXPECT_EQ(fit(room, sharing(40), When::Now, 9), 1) << "only the shared one";
}

TEST(gpu_pick, thousandths_bound_where_no_memory_is_asked) {
  TaskRequest part = sharing(0);
  part.milli_gpus = 400;
  Host h = gpu_host(1);
  EXPECT_EQ(fit(room_of(h), part, When::Now, 99), 2);
}

TEST(gpu_pick, sharing_without_saying_how_much_takes_the_whole) {
  Host h = gpu_host(1);
  EXPECT_EQ(fit(room_of(h), sharing(0), When::Now, 99), 1);
}

TEST(gpu_pick, sharers_spread_unless_they_ask_to_be_packed) {
  Host h = gpu_host(2);
  HostCapacity room = room_of(h), packed = room_of(h);
  EXPECT_EQ(take(room, sharing(10), 2), (Gpus{{0}, {1}}));
  TaskRequest pack = sharing(10);
  pack.gpu_pack = true;
  EXPECT_EQ(take(packed, pack, 2), (Gpus{{0}, {0}}));
}

TEST(gpu_pick, parts_of_a_leaving_sharer_are_coming) {
  Host h = gpu_host(1);
  h.gpu_shares = {{0, {JobId{7, 0}, TaskNumber{1}}, 750, {}, {}}};
  HostCapacity room = room_of(h);
  release(room, JobId{7, 0}, sharing(60), Task{TaskNumber{1}, HostId{1}, {0}});
  EXPECT_EQ(fit(room, sharing(20), When::Now, 9), 1);
  EXPECT_EQ(fit(room, sharing(20), When::Future, 9), 4);
  EXPECT_EQ(fit(room, whole(1), When::Now, 9), 0);
}

TEST(gpu_pick, users_of_different_mps_daemons_do_not_meet) {
  Host h = gpu_host(1);
  TaskRequest ann = sharing(10), bob = sharing(10);
  ann.mps_uid = 1001;
  bob.mps_uid = 1002;
  HostCapacity room = room_of(h);
  take(room, ann, 1);
  EXPECT_EQ(fit(room, bob, When::Now, 9), 0);
  EXPECT_EQ(fit(room, sharing(10), When::Now, 9), 0) << "nor one without MPS";
  EXPECT_EQ(fit(room, ann, When::Now, 99), 7);
}

TEST(gpu_pick, a_gpu_set_aside_is_not_given_and_not_coming) {
  Host h = gpu_host(2);
  h.gpu_marks["GPU-0"].sick = true;
  HostCapacity room = room_of(h);
  EXPECT_EQ(take(room, whole(1), 1), (Gpus{{1}}));
  EXPECT_EQ(fit(room, whole(1), When::Future, 9), 0);
  release(room, JobId{7, 0}, whole(1), Task{TaskNumber{1}, HostId{1}, {0}});
  EXPECT_EQ(fit(room, whole(1), When::Future, 9), 0);
}

TEST(gpu_pick, linked_gpus_are_joined_each_with_each) {
  Host h = gpu_host(4);
  // 0-2 and 1-3 are joined, 0-1 is not
  for (auto [a, b] : {std::pair{0, 2}, {1, 3}}) {
    for (auto g : {a, b}) h.capacity.gpus[static_cast<std::size_t>(g)].links.resize(4);
    h.capacity.gpus[static_cast<std::size_t>(a)].links[static_cast<std::size_t>(b)] = 4;
    h.capacity.gpus[static_cast<std::size_t>(b)].links[static_cast<std::size_t>(a)] = 4;
  }
  TaskRequest two = whole(2);
  two.gpu_linked = true;
  HostCapacity room = room_of(h);
  EXPECT_EQ(fit(room, two, When::Now, 9), 2);
  EXPECT_EQ(take(room, two, 2), (Gpus{{0, 2}, {1, 3}}));
  TaskRequest three = whole(3);
  three.gpu_linked = true;
  EXPECT_EQ(fit(room_of(h), three, When::Now, 9), 0);
}

TEST(gpu_pick, a_tile_takes_so_many_from_each_numa_node) {
  Host h = gpu_host(4);
  for (std::size_t g = 0; g < 4; ++g) h.capacity.gpus[g].numa = g < 3 ? 0 : 1;
  TaskRequest two = whole(2);
  two.gpu_tile = 1;
  EXPECT_EQ(take(*std::make_unique<HostCapacity>(room_of(h)), two, 1), (Gpus{{0, 3}}));
  two.gpu_tile = 2;
  EXPECT_EQ(take(*std::make_unique<HostCapacity>(room_of(h)), two, 1), (Gpus{{0, 1}}));
}

TEST(gpu_pick, slices_are_given_only_to_those_who_ask_for_them) {
  Host h = gpu_host(3);
  h.capacity.gpus[1].mig = "1g.10gb";
  h.capacity.gpus[2].mig = "3g.40gb";
  TaskRequest slice = whole(1);
  slice.gpu_mig = "1g.10gb";
  HostCapacity room = room_of(h);
  EXPECT_EQ(fit(room, whole(1), When::Now, 9), 1);
  EXPECT_EQ(fit(room, slice, When::Now, 9), 1);
  EXPECT_EQ(take(room, slice, 1), (Gpus{{1}}));
  slice.gpu_mig = "3";
  EXPECT_EQ(take(room, slice, 1), (Gpus{{2}}));
}

TEST(gpu_pick, slices_are_named_by_profile_or_counted) {
  EXPECT_TRUE(is_slice("1g.10gb", "1g.10gb"));
  EXPECT_FALSE(is_slice("1g.10gb", "1g.20gb"));
  EXPECT_TRUE(is_slice("3g.40gb", "3"));
  EXPECT_TRUE(is_slice("3g.40gb", "3/3"));
  EXPECT_FALSE(is_slice("3g.40gb", "3/1"));
  EXPECT_TRUE(is_slice("1c.3g.40gb", "3/1"));
  EXPECT_FALSE(is_slice("1c.3g.40gb", "3"));
  EXPECT_FALSE(is_slice("", "1"));
}

TEST(gpu_pick, memory_and_vendor_decide_which_gpu_suits) {
  TaskRequest large = whole(1);
  large.gpu_mem = Bytes{100 * kGiB.value};
  Host h = gpu_host(2);
  EXPECT_EQ(fit(room_of(h), large, When::Now, 9), 0);
  h.capacity.gpus[1].mem = Bytes{141 * kGiB.value};
  EXPECT_EQ(fit(room_of(h), large, When::Now, 9), 1);
  h.capacity.gpus[0].vendor = h.capacity.gpus[1].vendor = "nvidia";
  large.gpu_vendor = "amd";
  EXPECT_EQ(fit(room_of(h), large, When::Now, 9), 0);
}

TEST(gpu_pick, named_gpus_are_taken_all_or_not_at_all) {
  Host h = gpu_host(2);
  HostCapacity room = room_of(h);
  EXPECT_FALSE(take_these(room, whole(2), {0, 7}));
  EXPECT_EQ(room.gpus[0], GpuUse::Free);
  EXPECT_TRUE(take_these(room, whole(2), {0, 1}));
  EXPECT_FALSE(take_these(room, sharing(1), {0}));
}

}  // namespace
}  // namespace wm::sched

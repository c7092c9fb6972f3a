// Role: what fits in a host, what a task takes, and what is only coming.
#include "libwm/sched/capacity/host_capacity.h"

#include <gtest/gtest.h>

namespace wm::sched {
namespace {

Host host(std::uint32_t slots, std::uint32_t gpus = 0) {
  Host made;
  made.id = HostId{1};
  made.name = "h1";
  made.capacity = {slots, slots * 1000, Bytes{1000}, {}};
  for (std::uint32_t g = 0; g < gpus; ++g)
    made.capacity.gpus.push_back({"", g % 2 ? "B" : "A", {}});
  made.gpu_owners.resize(gpus);
  return made;
}

TaskRequest request(std::uint32_t gpus = 0, std::int64_t mem = 0) {
  TaskRequest made;
  made.milli_gpus = gpus * 1000;
  made.mem = Bytes{mem};
  return made;
}

using Gpus = std::vector<std::vector<std::uint16_t>>;

TEST(room, slots_bound) {
  Host h = host(4);
  EXPECT_EQ(fit(room_of(h), request(), When::Now, 99), 4);
  h.used_slots = 3;
  h.used_milli_cpus = 3000;
  EXPECT_EQ(fit(room_of(h), request(), When::Now, 99), 1);
}

TEST(room, one_task_fits_an_empty_host_whatever_runs_on_it_now) {
  Host busy = host(4, 3);
  busy.used_slots = 4;
  busy.used_mem = Bytes{1000};
  for (std::uint16_t gpu = 0; gpu < 3; ++gpu) busy.gpu_owners[gpu] = {{7, 0}, {1}};
  std::vector<TaskRequest> requests = {request(), request(0, 1000), request(0, 1001), request(3),
                                       request(4)};
  for (const char* model : {"A", "B", "C"}) {
    for (std::uint32_t gpus : {1u, 2u}) {
      requests.push_back(request(gpus));
      requests.back().gpu_model = model;
      requests.push_back(requests.back());
      requests.back().gpus_per_host = true;
      requests.push_back(requests.back());
      requests.back().gpu_linked = true;
    }
  }
  requests.push_back(request());
  requests.back().milli_cpus = 4001;
  for (std::size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(fits_bare(busy, requests[i]), fit(bare_room(busy), requests[i], When::Now, 1) > 0)
        << i;
  EXPECT_FALSE(fits_bare(busy, requests[2]));
  EXPECT_TRUE(fits_bare(busy, requests[1]));
}

TEST(room, no_more_than_asked) { EXPECT_EQ(fit(room_of(host(4)), request(), When::Now, 2), 2); }

TEST(room, cpus_bound_where_a_task_asks_for_more_than_one) {
  TaskRequest two = request();
  two.milli_cpus = 2000;
  EXPECT_EQ(fit(room_of(host(5)), two, When::Now, 99), 2);
}

TEST(room, a_host_given_more_slots_than_cpus_is_bound_by_slots) {
  Host h = host(4);
  h.capacity.milli_cpus = 1000;
  EXPECT_EQ(fit(room_of(h), request(), When::Now, 99), 4);
}

TEST(room, memory_bounds) {
  Host h = host(4);
  h.used_mem = Bytes{300};
  EXPECT_EQ(fit(room_of(h), request(0, 350), When::Now, 99), 2);
}

TEST(room, gpus_bound_and_the_lowest_free_ones_are_taken) {
  Host h = host(8, 4);
  h.gpu_owners[0] = {JobId{7, 0}, TaskNumber{1}};
  HostCapacity room = room_of(h);
  EXPECT_EQ(fit(room, request(1), When::Now, 99), 3);
  EXPECT_EQ(fit(room, request(2), When::Now, 99), 1);
  EXPECT_EQ(take(room, request(1), 2), (Gpus{{1}, {2}}));
  EXPECT_EQ(fit(room, request(1), When::Now, 99), 1);
}

TEST(room, part_of_a_gpu_takes_a_whole_one) {
  TaskRequest half = request();
  half.milli_gpus = 500;
  EXPECT_EQ(gpus_of(half), 1);
  EXPECT_EQ(fit(room_of(host(8, 2)), half, When::Now, 99), 2);
}

TEST(room, gpus_of_another_model_do_not_count) {
  TaskRequest model_b = request(1);
  model_b.gpu_model = "B";
  Host h = host(8, 4);
  HostCapacity room = room_of(h);
  EXPECT_EQ(fit(room, model_b, When::Now, 99), 2);
  EXPECT_EQ(take(room, model_b, 2), (Gpus{{1}, {3}}));
}

TEST(room, gpus_per_host_are_paid_once) {
  TaskRequest per_host = request(2);
  per_host.gpus_per_host = true;
  Host h = host(8, 2);
  HostCapacity room = room_of(h);
  EXPECT_EQ(fit(room, per_host, When::Now, 5), 5);
  EXPECT_EQ(take(room, per_host, 2), (Gpus{{0, 1}, {}}));
  EXPECT_EQ(fit(room, per_host, When::Now, 5), 0);
  EXPECT_EQ(fit(room, per_host, When::Now, 5, true), 5);
  EXPECT_EQ(take(room, per_host, 1, true), (Gpus{{}}));
}

TEST(room, memory_per_host_is_paid_once) {
  TaskRequest per_host = request(0);
  per_host.mem = Bytes{600};
  per_host.mem_per_host = true;
  Host h = host(8, 0);
  h.capacity.mem = Bytes{1000};
  HostCapacity room = room_of(h);
  EXPECT_EQ(fit(room, per_host, When::Now, 5), 5);
  take(room, per_host, 2);
  EXPECT_EQ(room.now.mem, 400);
  EXPECT_EQ(fit(room, per_host, When::Now, 5), 0);
  EXPECT_EQ(fit(room, per_host, When::Now, 5, true), 5);
  take(room, per_host, 1, true);
  EXPECT_EQ(room.now.mem, 400);
  release(room, {1, 0}, per_host, Task{.mem_elsewhere = true});
  EXPECT_EQ(room.coming.mem, 0);
  release(room, {1, 0}, per_host, Task{});
  EXPECT_EQ(room.coming.mem, 600);
}

TEST(room, gpus_of_one_task_are_paid_again_by_the_next) {
  Host h = host(8, 1);
  HostCapacity room = room_of(h);
  take(room, request(1), 1);
  EXPECT_EQ(fit(room, request(1), When::Now, 5, true), 0);
}

TEST(room, what_is_leaving_is_coming_and_not_there_yet) {
  Host h = host(2, 1);
  h.used_slots = 2;
  h.used_milli_cpus = 2000;
  h.used_mem = Bytes{1000};
  h.gpu_owners[0] = {JobId{7, 0}, TaskNumber{1}};
  HostCapacity room = room_of(h);
  Task task{TaskNumber{1}, HostId{1}, {0}};
  release(room, JobId{7, 0}, request(1, 400), task);
  EXPECT_EQ(fit(room, request(1, 400), When::Now, 9), 0);
  EXPECT_EQ(fit(room, request(1, 400), When::Future, 9), 1);
  EXPECT_EQ(fit(room, request(1, 401), When::Future, 9), 0);
  EXPECT_EQ(room.leaving, (std::vector<JobId>{{7, 0}}));
}

TEST(room, what_is_promised_uses_what_is_free_first) {
  Host h = host(3);
  h.used_slots = 2;
  h.used_milli_cpus = 2000;
  HostCapacity room = room_of(h);
  release(room, JobId{7, 0}, request(), Task{TaskNumber{1}, HostId{1}});
  take(room, request(), 2);
  EXPECT_EQ(room.now.slots, 0);
  EXPECT_EQ(room.coming.slots, 0);
  EXPECT_EQ(fit(room, request(), When::Future, 9), 0);
}

TEST(room, a_host_held_by_an_exclusive_job_fits_nothing) {
  Host h = host(4);
  HostCapacity room = room_of(h);
  room.exclusive = true;
  EXPECT_EQ(fit(room, request(), When::Future, 9), 0);
}

}  // namespace
}  // namespace wm::sched

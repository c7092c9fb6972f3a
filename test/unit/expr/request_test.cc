#include "libwm/expr/request.h"

#include <gtest/gtest.h>

#include "libwm/model/gpu_use.h"

namespace wm::expr {
namespace {

const AppConf kBatch{.name = "batch"};
const AppConf kTraining{.name = "training", .type = AppType::Training};

JobSpec filled(JobSpec spec, const AppConf& app = kBatch, const QueueConf& queue = {}) {
  auto done = fill_request(spec, queue, app);
  EXPECT_TRUE(done) << (done ? "" : done.error().text);
  return spec;
}

TEST(request, all_gpus_of_the_host_are_seen_by_tasks_that_have_a_whole_one_each) {
  auto asked = [](const std::string& gpu, JobSpec spec = {}) {
    spec.asked.gpu = gpu;
    return spec;
  };
  EXPECT_TRUE(filled(asked("num=1:see=all"), kTraining).task.gpu_see_all);
  EXPECT_FALSE(filled(asked("num=1:see=own"), kTraining).task.gpu_see_all);
  EXPECT_TRUE(filled(asked("num=1/task:see=all")).task.gpu_see_all);
  JobSpec elastic;
  elastic.elastic = true;
  struct Case {
    JobSpec spec;
    std::string said;
  };
  for (auto [spec, said] : {Case{asked("num=2:see=all"), "one whole GPU"},
                            Case{asked("num=1:see=all", elastic), "an elastic job (-ar)"},
                            Case{asked("num=1:mig=1g.10gb:see=all"), "MIG slices"},
                            Case{asked("num=1:mps=yes:see=all"), "MPS"},
                            Case{asked("num=0.5:mode=shared:gmem=1G:see=all"), "shared GPUs"},
                            Case{asked("num=1:see=some"), "own or all"}}) {
    auto done = fill_request(spec, {}, kTraining);
    ASSERT_FALSE(done) << spec.asked.gpu;
    EXPECT_NE(done.error().text.find(said), std::string::npos) << done.error().text;
  }
}

TEST(request, nothing_asked_is_one_cpu) {
  auto spec = filled({});
  EXPECT_EQ(spec.task, TaskRequest{});
  EXPECT_EQ(spec.span, Span{});
  EXPECT_EQ(spec.asked.resreq, "");
}

// Of a job of four tasks: MB, and whether they count per host.
std::pair<std::int64_t, bool> mem_of(JobSpec spec, const AppConf& app = kBatch,
                                     const MemRules& rules = {}) {
  spec.min_tasks = spec.max_tasks = 4;
  EXPECT_TRUE(fill_request(spec, {}, app, rules));
  return {spec.task.mem.value >> 20, spec.task.mem_per_host};
}

using Mem = std::pair<std::int64_t, bool>;

TEST(request, memory_of_a_parallel_job_is_per_host_unless_it_says_otherwise) {
  EXPECT_EQ(mem_of({.asked = {.resreq = "rusage[mem=512.0]"}}), (Mem{512, true}));
  EXPECT_EQ(mem_of({.asked = {.resreq = "rusage[mem=512] span[hosts=1]"}}), (Mem{512, true}));
  EXPECT_EQ(mem_of({.asked = {.resreq = "rusage[mem=2000/host] span[ptile=2]"}}),
            (Mem{2000, true}));
  EXPECT_EQ(mem_of({.asked = {.resreq = "rusage[mem=2G/task]"}}), (Mem{2048, false}));
  EXPECT_EQ(mem_of({.asked = {.resreq = "rusage[mem=2000/job]"}}), (Mem{500, false}));
  EXPECT_FALSE(filled({.asked = {.resreq = "rusage[mem=512]"}}).task.mem_per_host) << "one task";
}

TEST(request, memory_counts_per_task_where_the_site_or_the_kind_of_job_says_so) {
  MemRules per_task{.per_task = true};
  EXPECT_EQ(mem_of({.asked = {.resreq = "rusage[mem=9]"}}, kBatch, per_task), (Mem{9, false}));
  EXPECT_EQ(mem_of({.asked = {.resreq = "rusage[mem=9/host]"}}, kBatch, per_task), (Mem{9, true}));
  EXPECT_EQ(mem_of({.asked = {.resreq = "rusage[mem=9]"}}, kTraining), (Mem{9, false}));
  EXPECT_EQ(mem_of({.elastic = true, .asked = {.resreq = "rusage[mem=9]"}}), (Mem{9, false}));
}

TEST(request, a_memory_limit_is_per_host_as_what_it_reserves) {
  JobSpec spec{.max_tasks = 2, .asked = {.resreq = "rusage[mem=9/task]"}};
  EXPECT_TRUE(filled(spec).limits.mem_per_host);
  EXPECT_FALSE(filled(spec, kTraining).limits.mem_per_host);
  EXPECT_FALSE(filled({}).limits.mem_per_host);
  ASSERT_TRUE(fill_request(spec, {}, kBatch, {.per_task = true}));
  EXPECT_FALSE(spec.limits.mem_per_host);
}

TEST(request, what_queues_ask_for_without_a_unit_is_in_the_sites) {
  QueueConf queue{.res_req = "rusage[mem=3,ngpus_physical=2]"};
  JobSpec spec;
  ASSERT_TRUE(fill_request(spec, queue, kBatch, {.unit = Bytes{1 << 30}}));
  EXPECT_EQ(spec.task.mem, Bytes{3LL << 30});
  EXPECT_EQ(spec.task.milli_gpus, 2000u);
  queue.res_req = "rusage[mem=3M]";
  spec = {};
  ASSERT_TRUE(fill_request(spec, queue, kBatch, {.unit = Bytes{1 << 30}}));
  EXPECT_EQ(spec.task.mem, Bytes{3 << 20});
}

TEST(request, a_job_goes_over_its_profile_over_its_queue) {
  AppConf app{.res_req = "rusage[mem=200] span[hosts=1]"};
  QueueConf queue{.res_req = "select[ssd] rusage[mem=100]"};
  auto spec = filled({.asked = {.resreq = "select[mem>5] span[ptile=2]"}}, app, queue);
  EXPECT_EQ(spec.task.mem.value >> 20, 200);
  EXPECT_EQ(spec.asked.select, "(ssd) && (mem>5)");
  EXPECT_EQ(spec.span, (Span{.ptile = 2}));
}

TEST(request, gpus_count_per_task_for_training_and_elastic_jobs) {
  EXPECT_TRUE(filled({.asked = {.gpu = "num=2"}}).task.gpus_per_host);
  EXPECT_FALSE(filled({.asked = {.gpu = "num=2"}}, kTraining).task.gpus_per_host);
  EXPECT_FALSE(filled({.elastic = true, .asked = {.gpu = "num=2"}}).task.gpus_per_host);
  EXPECT_FALSE(filled({.asked = {.gpu = "num=2/task"}}).task.gpus_per_host);
  EXPECT_TRUE(filled({.asked = {.gpu = "num=2/host"}}, kTraining).task.gpus_per_host);
}

TEST(request, gpus_come_from_job_profile_or_old_style) {
  EXPECT_EQ(filled({.asked = {.gpu = "-"}}).task.milli_gpus, 1000u);
  EXPECT_EQ(filled({.asked = {.gpu = "gmodel=V100"}}).task.milli_gpus, 1000u);
  EXPECT_EQ(filled({.asked = {.gpu = "gmodel=V100"}}).task.gpu_model, "V100");
  EXPECT_EQ(filled({}, AppConf{.gpu = "num=3"}).task.milli_gpus, 3000u);
  EXPECT_EQ(filled({.asked = {.resreq = "rusage[ngpus_physical=2]"}}).task.milli_gpus, 2000u);
  EXPECT_EQ(filled({}).task.milli_gpus, 0u);
}

TEST(request, a_gpu_is_shared_only_when_it_is_said_how_much) {
  auto task = [](const char* gpu, const AppConf& app = kBatch) {
    return filled({.asked = {.gpu = gpu}}, app).task;
  };
  EXPECT_FALSE(task("-").gpu_shared);
  EXPECT_FALSE(task("num=1:mode=shared").gpu_shared);
  EXPECT_TRUE(task("num=1:mode=shared:gmem=8G").gpu_shared);
  EXPECT_EQ(task("num=1:mode=shared:gmem=8G").gpu_mem, Bytes{8LL << 30});
  EXPECT_TRUE(task("num=0.5:mode=shared").gpu_shared);
  EXPECT_FALSE(task("num=1:mode=shared:gmem=8G:j_exclusive=yes").gpu_shared);
  AppConf shared{.gpu_mode = GpuMode::Shared};
  EXPECT_TRUE(task("num=0.5", shared).gpu_shared);
  EXPECT_FALSE(task("mode=exclusive_process", shared).gpu_shared);
}

TEST(request, wishes_for_gpus_reach_the_task) {
  JobSpec spec{.owner = {.uid = 1001}};
  spec.asked.gpu = "num=4:nvlink=yes:gpack=yes:gtile=2:gvendor=nvidia:mps=yes,nocvd:mig=1g.10gb";
  auto task = filled(spec).task;
  EXPECT_TRUE(task.gpu_linked);
  EXPECT_TRUE(task.gpu_pack);
  EXPECT_EQ(task.gpu_tile, 2u);
  EXPECT_EQ(task.gpu_vendor, "nvidia");
  EXPECT_EQ(task.mps_uid, 1001u);
  EXPECT_EQ(task.gpu_mig, "1g.10gb");
  spec.asked.gpu = "num=4:gtile=!:mps=no";
  EXPECT_EQ(filled(spec).task.gpu_tile, kEvenTile);
  EXPECT_FALSE(filled(spec).task.mps_uid);
}

TEST(request, wishes_that_make_no_sense_are_refused) {
  for (const char* gpu : {"gtile=0", "gtile=x", "mig=", "mig=big", "mig=1/", "nvlink=2"}) {
    JobSpec spec{.asked = {.gpu = gpu}};
    EXPECT_FALSE(fill_request(spec, {}, kBatch)) << gpu;
  }
}

TEST(request, affinity_asks_for_cores) {
  EXPECT_EQ(filled({.asked = {.resreq = "affinity[core(3):membind=localonly]"}}).task.milli_cpus,
            3000u);
}

TEST(request, what_cannot_be_reserved_is_refused_by_name) {
  JobSpec spec{.asked = {.resreq = "rusage[mem=5,lic=1]"}};
  EXPECT_EQ(fill_request(spec, {}, kBatch).error().text,
            "lic: Bad resource name, \"lic\" cannot be used in the resource requirement section "
            "rusage");
  spec.asked.resreq = "{rusage[mem=5]} || {rusage[tape=2]}";
  EXPECT_TRUE(fill_request(spec, {}, kBatch).error().text.starts_with("tape: Bad resource name"));
  EXPECT_EQ(filled({.asked = {.resreq = "rusage[tmp=100,swp=5]"}}).asked.resreq,
            "rusage[tmp=100,swp=5]");
}

TEST(request, mistakes_are_refused) {
  JobSpec spec{.asked = {.resreq = "rusage[mem=]"}};
  EXPECT_EQ(fill_request(spec, {}, kBatch).error().code, Code::BadArgument);
  spec = {.asked = {.gpu = "nun=1"}};
  EXPECT_EQ(fill_request(spec, {}, kBatch).error().code, Code::BadArgument);
}

}  // namespace
}  // namespace wm::expr

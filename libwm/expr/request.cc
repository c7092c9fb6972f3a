// Merge by level, then one reader per kind of resource.
#include "libwm/expr/request.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "libwm/expr/alternatives.h"
#include "libwm/expr/gpu.h"
#include "libwm/expr/resreq.h"
#include "libwm/model/gpu_use.h"

namespace wm::expr {
namespace {

constexpr double kBytesPerMb = 1 << 20;
constexpr std::uint32_t kOneGpu = 1000;

// "core(2):…" asks for two cores a task.
std::uint32_t cores_of(const std::string& affinity) {
  auto open = affinity.find('(');
  std::uint32_t cores = 1;
  if (open != std::string::npos)
    std::from_chars(affinity.data() + open + 1, affinity.data() + affinity.size(), cores);
  return std::clamp<std::uint32_t>(cores, 1, 4096);
}

Result<GpuReq> gpu_of(const JobSpec& spec, const QueueConf& queue, const AppConf& app,
                      const ResReq& req) {
  GpuReq gpu;
  for (const std::string* asked : {&queue.gpu, &app.gpu, &spec.asked.gpu}) {
    if (asked->empty()) continue;
    WM_TRY(auto own, parse_gpu(*asked));
    gpu = merge(gpu, own);
  }
  const auto* old_style = req.usage_of("ngpus_physical");
  bool asked = !queue.gpu.empty() || !app.gpu.empty() || !spec.asked.gpu.empty();
  if (asked && !gpu.milli_num) gpu.milli_num = kOneGpu;
  if (!gpu.milli_num && old_style)
    gpu.milli_num = static_cast<std::uint32_t>(std::lround(old_style->amount * kOneGpu));
  return gpu;
}

bool counts_per_task(const JobSpec& spec, const AppConf& app, Per per) {
  if (per != Per::Unsaid) return per == Per::Task;
  return spec.elastic || app.type == AppType::Training || app.type == AppType::Inference;
}

// Of a job with one task it is the same.
bool is_per_host(Per per, const JobSpec& spec, const AppConf& app, const MemRules& rules) {
  if (spec.max_tasks <= 1) return false;
  if (per == Per::Unsaid) return !rules.per_task && !counts_per_task(spec, app, per);
  return per == Per::Host;
}

void set_mem(JobSpec& spec, const RusageTerm& mem, bool per_host) {
  double sharers = mem.per == Per::Job ? std::max<std::uint32_t>(spec.min_tasks, 1) : 1;
  spec.task.mem.value = std::llround(mem.amount * kBytesPerMb / sharers);
  spec.task.mem_per_host = per_host;
  spec.mem_for = mem.duration;
}

// A GPU is shared only when somebody said so and it is known how much each may have: the job
// with mode=shared and gmem= (or a part of a GPU), or its application profile.
bool shares(const GpuReq& gpu, const AppConf& app) {
  if (gpu.j_exclusive.value_or(false) || gpu.mode == GpuMode::Exclusive) return false;
  if (app.gpu_mode == GpuMode::Shared) return true;
  bool part = gpu.milli_num.value_or(kOneGpu) < kOneGpu;
  return gpu.mode == GpuMode::Shared && (gpu.mem > Bytes{0} || part);
}

std::uint32_t tile_of(const std::string& tile) {
  if (tile == "!") return kEvenTile;
  std::uint32_t n = 0;
  std::from_chars(tile.data(), tile.data() + tile.size(), n);
  return n;
}

void set_gpus(JobSpec& spec, const AppConf& app, const GpuReq& gpu) {
  auto& task = spec.task;
  task.milli_gpus = *gpu.milli_num;
  task.gpus_per_host = !counts_per_task(spec, app, gpu.per);
  task.gpu_model = gpu.model;
  task.gpu_shared = shares(gpu, app);
  task.gpu_mem = gpu.mem;
  task.gpu_vendor = gpu.vendor;
  task.gpu_mig = gpu.mig;
  task.gpu_linked = gpu.glink.value_or(false);
  task.gpu_pack = gpu.gpack.value_or(false);
  task.gpu_see_all = gpu.see_all.value_or(false);
  task.gpu_tile = tile_of(gpu.tile);
  if (gpu.mps.value_or(false)) task.mps_uid = spec.owner.uid;
}

// Tasks that see each other's GPUs end together, each has its own at LOCAL_RANK: what comes and
// goes one by one, or has no whole GPU, cannot be such a task.
Result<void> check_view(const JobSpec& spec, const AppConf& app, const GpuReq& gpu) {
  if (!gpu.see_all.value_or(false)) return {};
  const char* other = spec.elastic                         ? "an elastic job (-ar)"
                      : !gpu.mig.empty()                   ? "MIG slices (mig=)"
                      : gpu.mps.value_or(false)            ? "MPS (mps=yes)"
                      : shares(gpu, app)                   ? "shared GPUs (mode=shared)"
                      : spec.group || !spec.groups.empty() ? "groups of tasks"
                      : app.type == AppType::Inference     ? "an inference service"
                                                           : nullptr;
  if (other)
    return fail(Code::BadArgument, std::string("-gpu see=all does not go with ") + other +
                                       ": leave it out, and each task sees its own GPUs");
  if (gpu.milli_num != kOneGpu || !counts_per_task(spec, app, gpu.per))
    return fail(Code::BadArgument,
                "-gpu see=all: each task needs one whole GPU of its own (num=1, of a batch job "
                "num=1/task)");
  return {};
}

// One requirement, merged already.
Result<void> fill(JobSpec& spec, const QueueConf& queue, const AppConf& app, const ResReq& req,
                  const MemRules& rules) {
  WM_TRY(check_usage(req));
  WM_TRY(auto gpu, gpu_of(spec, queue, app, req));
  spec.asked.resreq = to_string(req);
  spec.asked.select = req.select;
  spec.span = {.one_host = req.span.hosts == 1, .ptile = req.span.ptile, .block = req.span.block};
  if (const auto* mem = req.usage_of("mem"))
    set_mem(spec, *mem, is_per_host(mem->per, spec, app, rules));
  spec.limits.mem_per_host = is_per_host(Per::Unsaid, spec, app, rules);
  if (!req.affinity.empty()) spec.task.milli_cpus = 1000 * cores_of(req.affinity);
  WM_TRY(check_view(spec, app, gpu));
  if (gpu.milli_num) set_gpus(spec, app, gpu);
  return {};
}

}  // namespace

Result<std::vector<JobSpec>> fill_request(JobSpec& spec, const QueueConf& queue, const AppConf& app,
                                          const MemRules& rules) {
  WM_TRY(auto of_queue, parse_resreq(queue.res_req, rules.unit));
  WM_TRY(auto of_app, parse_resreq(app.res_req, rules.unit));
  WM_TRY(auto own, parse_alternatives(spec.asked.resreq));
  const ResReq base = merge(of_queue, of_app);
  std::vector<JobSpec> filled;
  for (const auto& one : own) {
    filled.push_back(spec);
    WM_TRY(fill(filled.back(), queue, app, merge(base, one), rules));
  }
  spec = filled.front();
  filled.erase(filled.begin());
  return filled;
}

}  // namespace wm::expr

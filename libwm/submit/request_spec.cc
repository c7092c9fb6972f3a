// A program's request, by the same readers as bsub's options.
#include "libwm/expr/alternatives.h"
#include "libwm/expr/depend.h"
#include "libwm/expr/gpu.h"
#include "libwm/submit/job_names.h"
#include "libwm/submit/submission.h"

namespace wm::cmd {
namespace {

Result<void> set_name(const std::string& text, JobSpec& spec) {
  if (text.empty()) return {};
  WM_TRY(auto name, parse_job_name(text));
  spec.name = name.name;
  spec.array = name.array;
  spec.array_limit = name.limit;
  return {};
}

Result<void> set_paths(const JobRequest& request, const Surroundings& here, JobSpec& spec) {
  WM_TRY(check_length("cwd", request.cwd));
  WM_TRY(check_length("o", request.out_file));
  if (!request.cwd.empty()) spec.program.cwd = absolute(request.cwd, here.cwd);
  spec.files.out = request.out_file;
  return {};
}

// -R after -M, which it reserves.
Result<void> set_amounts(const JobRequest& request, const Surroundings& here, JobSpec& spec) {
  spec.min_tasks = request.min_tasks;
  spec.max_tasks = request.max_tasks;
  if (!request.gpu.empty()) WM_TRY(expr::parse_gpu(request.gpu));
  spec.asked.gpu = request.gpu;
  if (!request.memory.empty()) {
    WM_TRY(spec.limits.mem, memory_limit(request.memory, here.limit_unit));
  }
  WM_TRY(auto reqs, expr::parse_requirements(request.resreqs, here.mem_unit));
  set_requirements(std::move(reqs), spec);
  return {};
}

}  // namespace

Result<JobSpec> make_spec(const JobRequest& request, const Surroundings& surroundings) {
  JobSpec spec = spec_from(surroundings);
  spec.program.command = request.command;
  spec.app = request.app;
  spec.plan = request.plan;
  spec.queue = asked_queues(request.queue, surroundings).front();
  spec.elastic = request.elastic;
  spec.rerunnable = request.rerunnable;
  spec.when.hold = request.hold;
  spec.user_priority = request.priority;
  spec.run_limit = request.run_limit;
  WM_TRY(set_paths(request, surroundings, spec));
  WM_TRY(set_name(request.name, spec));
  WM_TRY(set_amounts(request, surroundings, spec));
  WM_TRY(expr::Depend::parse(request.depend));
  spec.when.depend = request.depend;
  spec.when.orphan_kill = request.orphan_kill;
  return spec;
}

}  // namespace wm::cmd

#include "daemons/wmasterd/verbs/privacy.h"

namespace wm::master {
namespace {

constexpr const char* kNoName = "-";

// Built up of what is shown: what is added to a specification later is not by itself.
JobSpec summary_of(const JobSpec& spec) {
  JobSpec shown;
  shown.owner = spec.owner;
  shown.name = kNoName;
  shown.queue = spec.queue;
  shown.app = spec.app;
  shown.plan = spec.plan;
  shown.project = spec.project;
  shown.submit_host = spec.submit_host;
  shown.min_tasks = spec.min_tasks;
  shown.max_tasks = spec.max_tasks;
  shown.task = spec.task;
  shown.run_limit = spec.run_limit;
  shown.elastic = spec.elastic;
  shown.exclusive = spec.exclusive;
  shown.array = spec.array;
  shown.array_limit = spec.array_limit;
  shown.user_priority = spec.user_priority;
  shown.streams = spec.streams;
  return shown;
}

}  // namespace

void make_summary(JobView& view) {
  auto shown = std::make_shared<Job>(*view.job);
  shown->sealed =
      std::make_shared<const SealedSpec>(SealedSpec{summary_of(view.job->spec()), "", "", "", {}});
  shown->alternative = 0;
  shown->end_text.clear();
  shown->notify_command.clear();
  shown->notice.reset();
  shown->membership = {};
  if (shown->kill) shown->kill->text.clear();
  view.job = std::move(shown);
  view.result_dir.clear();
  view.progress.reset();
  for (auto& reason : view.reasons)
    reason = {reason.code, std::string(pend_code_name(reason.code)), 0, ""};
}

void make_summary(HistoryJob& job) {
  job.name = kNoName;
  job.command.clear();
  for (auto& event : job.events) event.reason.clear();
}

void make_summary(AcctJob& job) {
  job.name = kNoName;
  job.command.clear();
  job.cwd.clear();
  job.reason.clear();
}

InfoRule info_for(std::shared_ptr<const Config> config, const Rights& rights, const Identity& who) {
  return [config = std::move(config), rights, who](bool own, const std::string& queue) {
    bool sees = own || is_admin_of(roles_in_queue(*config, rights, who, queue));
    return sees ? JobInfo::All : config->cluster.job_info;
  };
}

}  // namespace wm::master

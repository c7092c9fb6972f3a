// The test-bed list of Tiresias:
// job_id,num_gpu,submit_time,iterations,model_name,duration,interval.
// @source Gu et al., Tiresias, NSDI 2019
#include "libwm/replay/lines.h"
#include "libwm/replay/read.h"

namespace wm::replay {

Result<Workload> read_tiresias(std::string_view text) {
  WM_TRY(auto lines,
         table_lines(text, "job_id,num_gpu,submit_time,iterations,model_name,duration"));
  Workload workload;
  for (const Line& line : lines) {
    TraceJob job;
    WM_TRY(auto id, line.word_at(0, "job_id"));
    WM_TRY(job.tasks, line.count_at(1, "num_gpu", 1, 100'000));
    WM_TRY(job.submit_s, line.number_at(2, "submit_time", 0, 1e10));
    WM_TRY(auto model, line.word_at(4, "model_name"));
    WM_TRY(double duration, line.number_at(5, "duration", 0, 1e10));
    if (duration <= 0) continue;
    job.name = model + "-" + id;
    job.min_tasks = job.max_tasks = job.tasks;
    job.milli_gpus = 1000;
    job.work = linear_work(duration, job.tasks);
    workload.jobs.push_back(std::move(job));
  }
  return workload;
}

}  // namespace wm::replay

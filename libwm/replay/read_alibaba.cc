// Pods of Alibaba's GPU list of 2023; GPUs in thousandths. A pod that was never scheduled, or
// not seen to end, says nothing of its run time and is left out.
// @source Weng et al., Beware of Fragmentation, ATC 2023
#include <algorithm>

#include "libwm/replay/lines.h"
#include "libwm/replay/read.h"

namespace wm::replay {
namespace {

constexpr std::string_view kHeading =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time";

Result<double> time_or_none(const Line& line, std::size_t position, std::string_view name) {
  if (position >= line.fields.size() || line.fields[position].empty()) return -1.0;
  return line.number_at(position, name, 0, 1e10);
}

}  // namespace

Result<Workload> read_alibaba(std::string_view text) {
  WM_TRY(auto lines, table_lines(text, kHeading));
  Workload workload;
  for (const Line& line : lines) {
    TraceJob job;
    WM_TRY(job.name, line.word_at(0, "name"));
    WM_TRY(job.milli_cpus, line.count_at(1, "cpu_milli", 0, 100'000'000));
    WM_TRY(double mib, line.number_at(2, "memory_mib", 0, 1e9));
    WM_TRY(std::uint32_t gpus, line.count_at(3, "num_gpu", 0, 10'000));
    WM_TRY(std::uint32_t milli, line.count_at(4, "gpu_milli", 0, 1000));
    WM_TRY(job.submit_s, line.number_at(8, "creation_time", 0, 1e10));
    WM_TRY(double deleted, time_or_none(line, 9, "deletion_time"));
    WM_TRY(double scheduled, time_or_none(line, 10, "scheduled_time"));
    if (scheduled < 0 || deleted <= scheduled) continue;
    // A pod is one task; what it takes of several GPUs, it takes whole.
    job.milli_gpus = gpus > 1 ? gpus * 1000 : gpus * milli;
    job.mem = static_cast<std::int64_t>(mib) << 20;
    job.work = linear_work(deleted - scheduled, 1);
    workload.jobs.push_back(std::move(job));
  }
  return workload;
}

}  // namespace wm::replay

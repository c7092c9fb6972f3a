// Gavel's job lists, tab separated: job type, command, directory, step option, needs data,
// total steps, GPUs, mode, priority, arrival time. Steps/s come from its table
// simulation_throughputs.json, by GPU type, job type and number of GPUs, alone on its GPUs.
// @source Narayanan et al., Gavel, OSDI 2020
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/replay/lines.h"
#include "libwm/replay/read.h"

namespace wm::replay {
namespace {

constexpr std::string_view kTable = "simulation_throughputs.json";

Result<double> steps_per_s(const SortedJson& table, const std::string& type, std::uint32_t gpus) {
  std::string key = "('" + type + "', " + std::to_string(gpus) + ")";
  auto row = table.find(key);
  bool known = row != table.end() && row->is_object() && row->contains("null");
  if (!known || !(*row)["null"].is_number()) {
    return fail(Code::NotFound, "field 1 (job type): the table has no " + key);
  }
  double speed = (*row)["null"].get<double>();
  if (speed > 0) return speed;
  return fail(Code::Impossible, "field 1 (job type): " + key + " does not run on this GPU type");
}

Result<SortedJson> table_of(const TableTexts& tables, const std::string& gpu_type) {
  auto text = tables.find(std::string(kTable));
  if (text == tables.end()) {
    return fail(Code::NotFound, "gavel lists need --tables with " + std::string(kTable));
  }
  auto all = json_or_null<SortedJson>(text->second);
  if (!all.is_object())
    return fail(Code::BadArgument, std::string(kTable) + " is not a JSON object");
  auto found = all.find(gpu_type);
  if (found != all.end() && found->is_object()) return *found;
  return fail(Code::NotFound, std::string(kTable) + " has no GPU type '" + gpu_type + "'");
}

Result<TraceJob> job_of(const Line& line, const SortedJson& table) {
  TraceJob job;
  WM_TRY(auto type, line.word_at(0, "job type"));
  WM_TRY(double steps, line.number_at(5, "total steps", 0, 1e15));
  WM_TRY(job.tasks, line.count_at(6, "GPUs", 1, 10'000));
  WM_TRY(job.submit_s, line.number_at(9, "arrival time", 0, 1e10));
  auto speed = steps_per_s(table, type, job.tasks);
  if (!speed) return speed.error().within("line " + std::to_string(line.number));
  job.name = "gavel-" + std::to_string(line.number);
  job.min_tasks = job.max_tasks = job.tasks;
  job.milli_gpus = 1000;
  job.work = linear_work(steps / *speed, job.tasks);
  return job;
}

}  // namespace

Result<Workload> read_gavel(std::string_view text, const TableTexts& tables,
                            const ReadOptions& options) {
  WM_TRY(auto table, table_of(tables, options.gpu_type.empty() ? "v100" : options.gpu_type));
  WM_TRY(auto lines, split_lines(text, Separator::Tab));
  Workload workload;
  for (const Line& line : lines) {
    WM_TRY(auto job, job_of(line, table));
    if (job.work->total() > 0) workload.jobs.push_back(std::move(job));
  }
  return workload;
}

}  // namespace wm::replay

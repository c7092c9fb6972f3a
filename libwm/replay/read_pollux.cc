// The job lists of Pollux and, with tables per GPU type, of Sia:
//   name,time,application,num_replicas,batch_size
// @source Qiao et al., Pollux, OSDI 2021; Jayaram Subramanya et al., Sia, SOSP 2023
#include <algorithm>
#include <cmath>

#include "libwm/replay/lines.h"
#include "libwm/replay/read.h"
#include "libwm/replay/training.h"

namespace wm::replay {
namespace {

// Passes over the data that the published simulations train for; others: as measured.
const std::map<std::string, std::uint32_t> kPasses = {{"bert", 2},    {"cifar10", 100},
                                                      {"ncf", 10},    {"imagenet", 90},
                                                      {"yolov3", 50}, {"deepspeech2", 80}};

class Applications {
 public:
  Applications(const TableTexts& tables, std::string type)
      : tables_(tables), type_(std::move(type)) {}

  // Each application is parsed once.
  Result<std::shared_ptr<const Application>> get(const std::string& name) {
    auto known = parsed_.find(name);
    if (known != parsed_.end()) return known->second;
    std::map<std::string, std::string> files;
    for (auto it = tables_.lower_bound(name + "/"); it != tables_.end(); ++it) {
      if (!it->first.starts_with(name + "/")) break;
      files[it->first.substr(name.size() + 1)] = it->second;
    }
    auto passes = kPasses.find(name);
    auto app = parse_application(files, type_, passes == kPasses.end() ? 0 : passes->second);
    if (!app) return app.error().within("tables of '" + name + "'");
    return parsed_[name] = std::make_shared<const Application>(std::move(*app));
  }

 private:
  const TableTexts& tables_;
  std::string type_;
  std::map<std::string, std::shared_ptr<const Application>> parsed_;
};

Result<TraceJob> job_of(const Line& line, Applications& applications, std::uint32_t gpus) {
  TraceJob job;
  WM_TRY(job.name, line.word_at(0, "name"));
  WM_TRY(job.submit_s, line.number_at(1, "time", 0, 1e10));
  WM_TRY(auto name, line.word_at(2, "application"));
  WM_TRY(job.tasks, line.count_at(3, "num_replicas", 1, 1'000'000));
  WM_TRY(double batch, line.number_at(4, "batch_size", 1, 1e9));
  auto found = applications.get(name);
  if (!found) return bad_line(line.number, "field 3 (application): " + found.error().text);
  const Application& app = **found;
  double most = std::max(1.0, std::floor(std::max(batch, app.initial) / app.steps.least_batch()));
  job.program = name + " " + std::to_string(static_cast<std::int64_t>(batch));
  job.min_tasks = 1;
  job.max_tasks = static_cast<std::uint32_t>(std::min<double>(std::max(1u, gpus), most));
  job.milli_gpus = 1000;
  job.work = training_work(*found, std::min(batch, app.most));
  return job;
}

}  // namespace

Result<Workload> read_pollux(std::string_view text, const TableTexts& tables,
                             const ReadOptions& options, bool per_gpu_type) {
  WM_TRY(auto lines, table_lines(text, "name,time,application,num_replicas,batch_size"));
  Applications applications(
      tables, per_gpu_type ? (options.gpu_type.empty() ? "aws" : options.gpu_type) : "");
  Workload workload;
  for (const Line& line : lines) {
    WM_TRY(auto job, job_of(line, applications, options.gpus));
    workload.jobs.push_back(std::move(job));
  }
  return workload;
}

}  // namespace wm::replay

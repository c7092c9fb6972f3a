// The rows of /api/v1 about the output of all workers of a run at once, and its checkpoints.
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "daemons/wuserd/execs/routes.h"
#include "daemons/wuserd/jobs/checkpoints.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/log_views.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/view/job_use.h"
#include "libwm/view/json.h"

namespace wm::user {
namespace {

constexpr auto kSearchPatience = std::chrono::seconds(10);
constexpr std::size_t kLongestWord = 200;

// ?q=WORD, or ?errors=yes.
Result<Answer> search_logs(Call& call) {
  WM_TRY(auto view, find_own_job(call.site, call.args[0]));
  rest::LineWish wish;
  wish.word = call.target.value("q");
  bool errors = call.target.value("errors") == "yes";
  if (wish.word.empty() == !errors || wish.word.size() > kLongestWord)
    return fail(Code::BadArgument, "q: a word of up to 200 bytes is wanted, or errors=yes");
  return json_reply(found_lines_json(view.result_dir, wish, steady_now() + kSearchPatience));
}

Result<Answer> merged_logs(Call& call) {
  WM_TRY(auto view, find_own_job(call.site, call.args[0]));
  WM_TRY(auto wish, merged_wish(call.target.value("tail"), call.target.value("have")));
  return json_reply(merged_json(view.result_dir, wish));
}

Result<Answer> list_checkpoints(Call& call) {
  WM_TRY(auto view, find_own_job(call.site, call.args[0]));
  return json_reply(checkpoints_json(view.result_dir));
}

// Of one host what its workers of this job compute on.
Json use_of_host(const HostView& view, const std::set<std::uint32_t>& devices) {
  auto whole = json_or_null(view::host_json(view, view::Detail::Full));
  Json gpus = Json::array();
  for (const auto& gpu : whole["gpus"])
    if (devices.contains(gpu["gpu_id"].get<std::uint32_t>()))
      gpus.push_back({{"gpu_id", gpu["gpu_id"]},
                      {"ut", gpu["ut"]},
                      {"mused_bytes", gpu["mused_bytes"]},
                      {"mtotal_bytes", gpu["mtotal_bytes"]}});
  const auto& load = whole["load_indexes"];
  return {{"host_name", whole["host_name"]},
          {"ut", load["ut"]},
          {"mem_bytes", load["mem_bytes"]},
          {"total_mem_bytes", whole["total_mem_bytes"]},
          {"gpus", gpus}};
}

// What its GPUs used since it began; null: no driver tells it.
Json gpu_energy(const JobView& view) {
  auto use = view::use_of({&view, wall_now()});
  if (!use || use->gpu_energy_mj <= 0) return nullptr;
  return static_cast<double>(use->gpu_energy_mj) / 1e3;
}

// How busy is now what its workers have.
Result<Answer> hosts_use(Call& call) {
  WM_TRY(auto view, find_job(call.site, call.args[0]));
  std::map<std::string, std::set<std::uint32_t>> hosts;
  const auto& tasks = view.job->tasks;
  for (std::size_t i = 0; i < tasks.size() && i < view.task_hosts.size(); ++i) {
    if (tasks[i].state == TaskState::Gone) continue;
    auto& devices = hosts[view.task_hosts[i]];
    devices.insert(tasks[i].gpus.begin(), tasks[i].gpus.end());
  }
  Json said{{"hosts", Json::array()}, {"gpu_energy_j", gpu_energy(view)}};
  if (hosts.empty()) return json_reply(to_text(said));
  HostsRequest request;
  for (const auto& [name, devices] : hosts) request.names.push_back(name);
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(request));
  for (const auto& host : reply.hosts)
    if (auto found = hosts.find(host.host.name); found != hosts.end())
      said["hosts"].push_back(use_of_host(host, found->second));
  return json_reply(to_text(said));
}

}  // namespace

const std::vector<Route>& output_routes() {
  static const std::vector<Route> routes{
      {"GET", "/api/v1/jobs/{id}/logs/search", search_logs,
       "Lines of all its workers' output that hold a word, or that begin an error", "found_lines",
       "q errors"},
      {"GET", "/api/v1/jobs/{id}/logs/merged", merged_logs,
       "The newest lines of all its workers; have: the bytes that are known of each part",
       "merged_logs", "tail have"},
      {"GET", "/api/v1/jobs/{id}/checkpoints", list_checkpoints,
       "What it wrote to go on from, the newest first", "checkpoints"},
      {"GET", "/api/v1/jobs/{id}/use", hosts_use,
       "How busy the hosts and GPUs are now that its workers have, and what these used since it "
       "began",
       "job_use"},
  };
  return routes;
}

}  // namespace wm::user

#include "libwm/sched/kept_gpus.h"

#include <set>

#include "libwm/model/gpu_use.h"

namespace wm::sched {
namespace {

constexpr std::size_t kNamed = 3;  // others are counted

std::string set_aside(const GpuMark& mark) {
  if (mark.closed) return "was closed by <" + mark.closed_by + ">: " + mark.closed_why;
  return "is set aside: " + mark.sick_why;
}

std::string shared_by(const Host& host, std::size_t gpu) {
  std::set<JobId> jobs;
  for (const auto& share : host.gpu_shares)
    if (share.gpu == gpu) jobs.insert(share.owner.job);
  std::string text;
  for (JobId job : jobs) text += (text.empty() ? "is shared by <" : ">, <") + to_string(job);
  return text.empty() ? "" : text + ">";
}

// Why not; empty: nothing but others' shares of it keeps it.
std::string keeps(const Host& host, std::size_t gpu, const TaskRequest& task) {
  const auto* mark = gpu_mark(host, gpu);
  if (mark && mark->aside()) return set_aside(*mark);
  return task.gpu_shared ? "" : shared_by(host, gpu);
}

}  // namespace

KeptGpus kept_gpus(const Request& request, const std::vector<HostCapacity>& rooms,
                   const TaskRequest& task) {
  KeptGpus found;
  std::size_t count = 0;
  for (std::size_t at = 0; at < rooms.size(); ++at) {
    if (request.suits[at] != Suits::Yes) continue;
    const Host& host = *rooms[at].host;
    for (std::size_t gpu = 0; gpu < host.capacity.gpus.size(); ++gpu) {
      if (!suits(host.capacity.gpus[gpu], task)) continue;
      auto why = keeps(host, gpu, task);
      if (why.empty()) found.all = false;
      if (why.empty() || ++count > kNamed) continue;
      found.text += (count > 1 ? "; " : "") + ("GPU " + std::to_string(gpu)) + " of host <" +
                    host.name + "> " + why;
    }
  }
  if (count > kNamed) found.text += "; and " + std::to_string(count - kNamed) + " more";
  return found;
}

}  // namespace wm::sched

#include "daemons/wmasterd/hosts/gpu_marks.h"

#include <algorithm>

namespace wm::master {
namespace {

GpuMark mark_of(const Host& host, const std::string& uuid) {
  auto at = host.gpu_marks.find(uuid);
  return at == host.gpu_marks.end() ? GpuMark{} : at->second;
}

GpuMark with_health(GpuMark mark, const GpuReport& report, bool rebooted) {
  bool counts = report.sick && !(report.sticky && report.since <= mark.opened);
  if (counts && mark.sick && mark.sticky && !report.sticky) return mark;  // the graver one
  if (counts) {
    mark.sick = true;
    mark.sticky = report.sticky;
    mark.sick_why = report.why;
    mark.sick_since = report.since;
  } else if (mark.sick && (!mark.sticky || rebooted)) {
    mark.sick = mark.sticky = false;
    mark.sick_why.clear();
    mark.sick_since = {};
  }
  return mark;
}

const Gpu* named_gpu(const Host& host, const std::string& name) {
  const auto& gpus = host.capacity.gpus;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (gpus[i].uuid == name || std::to_string(i) == name) return &gpus[i];
  return nullptr;
}

GpuMark by_admin(GpuMark mark, const AdminRequest& request, const std::string& user, WallTime now) {
  if (request.act == AdminRequest::Act::GpuOpen) {
    GpuMark opened;
    opened.opened = now;
    return opened;
  }
  mark.closed = true;
  mark.closed_by = user;
  mark.closed_why = request.why;
  return mark;
}

}  // namespace

std::vector<EventBody> marks_by_health(const Host& host, const std::vector<GpuReport>& reports,
                                       bool rebooted) {
  std::vector<EventBody> events;
  for (const auto& report : reports) {
    auto before = mark_of(host, report.uuid), after = with_health(before, report, rebooted);
    if (!(before == after)) events.push_back(GpuMarked{host.id, report.uuid, after});
  }
  return events;
}

Result<std::vector<EventBody>> marks_by_admin(const Host& host, const AdminRequest& request,
                                              const std::string& user, WallTime now,
                                              std::vector<std::string>& lines) {
  std::vector<EventBody> events;
  if (request.gpus.empty()) return fail(Code::BadArgument, "no GPU of " + host.name + " named");
  bool opens = request.act == AdminRequest::Act::GpuOpen;
  for (const auto& name : request.gpus) {
    const Gpu* gpu = named_gpu(host, name);
    if (!gpu)
      return fail(Code::NotFound, name + ": no such GPU; " + host.name + " has " +
                                      std::to_string(host.capacity.gpus.size()));
    auto before = mark_of(host, gpu->uuid), after = by_admin(before, request, user, now);
    if (!(before == after)) events.push_back(GpuMarked{host.id, gpu->uuid, after});
    lines.push_back((opens ? "Open GPU <" : "Close GPU <") + name + "> of <" + host.name +
                    "> ...... done");
  }
  return events;
}

}  // namespace wm::master

#include "daemons/wuserd/execs.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr int kLooksForEnd = 150;
constexpr auto kBetweenLooks = std::chrono::milliseconds(100);

Error unknown(const std::string& id) {
  return fail(Code::NotFound, "execution " + id + " does not exist");
}

Result<JobView> job_of(Site& site, JobId id) {
  WM_TRY(auto master, site.masters.take());
  JobsRequest request;
  request.jobs.ids = {id};
  WM_TRY(auto reply, master->jobs(request));
  if (reply.jobs.empty()) return fail(Code::NotFound, "job " + to_string(id) + " does not exist");
  return reply.jobs.front();
}

Result<void> wait_for_end(Site& site, const Exec& exec) {
  for (int i = 0; i < kLooksForEnd; ++i) {
    auto view = job_of(site, exec.view.id);
    if (!view && view.error().code == Code::NotFound) return {};
    if (!view) return view.error();
    if (is_over(view->job->state)) return {};
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return fail(Code::Conflict, "its job has not ended yet, try again");
}

}  // namespace

bool is_own(const JobView& view) { return view.job->spec().owner.uid == ::getuid(); }

Result<JobView> find_job(Site& site, const std::string& id) {
  auto job = rest::parse_exec_id(site.conf.name, id);
  if (!job) return fail(Code::NotFound, "job " + id + " does not exist");
  return job_of(site, *job);
}

Result<JobView> find_own_job(Site& site, const std::string& id) {
  WM_TRY(auto view, find_job(site, id));
  if (!is_own(view)) return fail(Code::NotFound, "job " + id + " does not exist");
  return view;
}

Result<Exec> find_exec(Site& site, const std::string& id) {
  auto job = rest::parse_exec_id(site.conf.name, id);
  if (!job) return unknown(id);
  auto view = job_of(site, *job);
  if (!view && view.error().code == Code::NotFound) return unknown(id);
  if (!view) return view.error();
  auto record = is_own(*view) ? site.records.of_job(*view) : std::nullopt;
  if (!record) return unknown(id);
  return Exec{*record, *view};
}

Result<std::vector<Exec>> all_execs(Site& site) {
  WM_TRY(auto master, site.masters.take());
  JobsRequest request;
  request.jobs.finished = true;
  WM_TRY(auto reply, master->jobs(request));
  std::vector<Exec> execs;
  for (auto& view : reply.jobs) {
    auto record = is_own(view) ? site.records.of_job(view) : std::nullopt;
    if (record) execs.push_back({*record, std::move(view)});
  }
  std::sort(execs.begin(), execs.end(),
            [](const Exec& a, const Exec& b) { return b.view.id < a.view.id; });
  return execs;
}

Result<void> stop_exec(Site& site, const Exec& exec) {
  WM_TRY(auto master, site.masters.take());
  KillRequest request;
  request.jobs.ids = {exec.view.id};
  request.reason = "stopped at the web door";
  WM_TRY(auto reply, master->kill(request));
  for (const auto& outcome : reply.jobs)
    if (outcome.code != 0) return fail(static_cast<Code>(outcome.code), outcome.text);
  return {};
}

Result<void> delete_exec(Site& site, const Exec& exec) {
  if (!is_over(exec.view.job->state)) {
    WM_TRY(stop_exec(site, exec));
    WM_TRY(wait_for_end(site, exec));
  }
  std::error_code ec;
  if (!exec.view.result_dir.empty()) fs::remove_all(exec.view.result_dir, ec);
  if (ec) return fail(Code::System, exec.view.result_dir + ": " + ec.message());
  return site.records.remove(exec.record.request);
}

}  // namespace wm::user

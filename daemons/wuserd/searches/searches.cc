#include "daemons/wuserd/searches/searches.h"

#include <algorithm>
#include <filesystem>

#include "daemons/wuserd/execs/draft.h"
#include "daemons/wuserd/jobs/submit.h"
#include "daemons/wuserd/searches/search_plugins.h"
#include "libwm/base/clock.h"
#include "libwm/rest/search_request.h"
#include "libwm/search/search.h"
#include "libwm/submit/search_acts.h"

namespace wm::user {
namespace {

// Looked up each time: bsearch deletes as well.
bool is_deleted(Site& site, const rest::SearchTask& task) {
  std::error_code ec;
  auto mark = cmd::mark_of_search(task.job) + ".deleted";
  return std::filesystem::exists(site.records.incoming() + "/" + mark, ec);
}

Result<std::vector<rest::SearchTask>> searches_of(Site& site, const RunQuery& query) {
  WM_TRY(auto master, site.masters.take());
  WM_TRY(auto tasks, cmd::searches_of(*master, query));
  std::erase_if(tasks, [&](const auto& task) { return is_deleted(site, task); });
  for (auto& task : tasks) WM_TRY(look_at_optimizer(*master, task));
  return tasks;
}

Error unknown_search(const std::string& name) {
  return fail(Code::NotFound, "search " + name.substr(0, 200) + " does not exist");
}

std::string new_name(const Site& site) {
  auto ticks = wall_now().time_since_epoch().count();
  return site.user + "-hpo-" + std::to_string(ticks % 10'000'000'000'000'000);
}

Result<rest::SearchRequest> search_request_in(Site& site, const Upload& upload) {
  auto data = upload.fields.find("data");
  if (data == upload.fields.end()) return fail(Code::BadArgument, "data: the field is missing");
  WM_TRY(auto request, rest::read_search_request(data->second));
  if (!rest::is_built_in(request.algorithm)) {
    auto plugin = find_plugin(site, request.algorithm);
    if (!plugin) return fail(Code::BadArgument, "algoDef.algorithm: " + plugin.error().text);
  }
  return request;
}

Result<void> check_free(Site& site, const std::string& name) {
  RunQuery query;
  query.name = name;
  WM_TRY(auto tasks, searches_of(site, query));
  if (tasks.empty()) return {};
  return fail(Code::Conflict, "hpoName: there is a search " + name);
}

Result<std::string> search_begun_before(Site& site, const std::string& bundle) {
  RunQuery query;
  query.bundle = bundle;
  WM_TRY(auto tasks, searches_of(site, query));
  return tasks.empty() ? std::string() : tasks.front().name;
}

// A search without its optimizer would wait for ever.
Result<void> begin_optimizer(Site& site, const rest::SearchRequest& request, JobId search) {
  auto begun = start_optimizer(site, request.algorithm, search, request.search, request.at_once);
  if (begun) return {};
  WM_TRY(auto master, site.masters.take());
  KillRequest kill;
  kill.jobs.ids = {search};
  kill.reason = "its optimizer cannot be started";
  (void)master->ask(kill);
  return begun.error();
}

Result<JobId> submit_search(Site& site, const rest::SearchRequest& request, const Upload& upload,
                            Draft& draft) {
  WM_TRY(search::check(rest::judged(request)));
  WM_TRY(auto exec, rest::parse_exec(request.args));
  auto most = site.conf.limits.max_array_size;
  if (request.most > most)
    return fail(Code::BadArgument, "algoDef.maxJobNum: " + std::to_string(request.most) +
                                       " trials; at most " + std::to_string(most) +
                                       " (max_array_size)");
  exec.tasks_alike = true;
  WM_TRY(auto prepared, prepare(site, std::move(exec), upload, draft, "%J.%I/job.out"));
  if (!prepared.groups.empty())
    return fail(Code::Impossible,
                "framework " + prepared.exec.framework + ": its groups of tasks are no trial");
  prepared.exec.search = rest::with_seed(request.search, request.name);
  bool plugin = !rest::is_built_in(request.algorithm);
  if (plugin) prepared.exec.search = rest::of_plugin(prepared.exec.search, request.algorithm);
  if (request.most > 0) most = request.most;
  WM_TRY(auto reply, submit_array(site, prepared.job, std::move(prepared.exec),
                                  {request.name, most, std::min(request.at_once, most)}));
  draft.stay();
  if (plugin) WM_TRY(begin_optimizer(site, request, reply.job));
  return reply.job;
}

}  // namespace

Result<std::vector<rest::SearchTask>> all_searches(Site& site) { return searches_of(site, {}); }

Result<rest::SearchTask> find_search(Site& site, const std::string& name) {
  RunQuery query;
  query.name = name;
  WM_TRY(auto tasks, searches_of(site, query));
  if (!tasks.empty() && tasks.front().name == name) return std::move(tasks.front());
  auto job = rest::parse_exec_id(site.conf.name, name);
  if (!job || job->index != 0) return unknown_search(name);
  query = {};
  query.jobs = {job->job};
  WM_TRY(tasks, searches_of(site, query));
  if (tasks.empty()) return unknown_search(name);
  return std::move(tasks.front());
}

Result<BegunSearch> start_search(Call& call) {
  Site& site = call.site;
  WM_TRY(auto key, key_of(call));
  auto bundle = request_name(key);
  auto lock = lock_request(bundle);
  std::string before;
  if (!key.empty()) {
    WM_TRY(before, search_begun_before(site, bundle));
  }
  Draft draft(site, bundle);
  if (!before.empty()) draft.stay();  // the code below that name is the search's that is there
  WM_TRY(auto upload, receive(call.exchange, draft.uploads()));
  WM_TRY(auto request, search_request_in(site, upload));
  if (!before.empty()) return BegunSearch{before, request.first_generation};
  if (request.name.empty()) request.name = new_name(site);
  auto alone = lock_request("search " + request.name);
  WM_TRY(check_free(site, request.name));
  WM_TRY(submit_search(site, request, upload, draft));
  return BegunSearch{request.name, request.first_generation};
}

Result<void> hold_search(Site& site, const rest::SearchTask& task, bool kill) {
  WM_TRY(auto master, site.masters.take());
  return cmd::hold_search(*master, task, kill);
}

Result<void> release_search(Site& site, const rest::SearchTask& task) {
  WM_TRY(auto master, site.masters.take());
  return cmd::release_search(*master, task);
}

Result<void> delete_search(Site& site, const rest::SearchTask& task) {
  WM_TRY(auto master, site.masters.take());
  WM_TRY(cmd::end_search(*master, task));
  WM_TRY(site.records.mark_deleted(cmd::mark_of_search(task.job)));
  std::error_code ec;
  std::filesystem::remove_all(site.records.code_dir(task.bundle), ec);
  return {};
}

}  // namespace wm::user

#include "commands/common/search_start.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/common/command.h"
#include "commands/common/surroundings.h"
#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/client/bundle.h"
#include "libwm/client/names.h"
#include "libwm/codec/codec.h"
#include "libwm/conf/catalog_conf.h"
#include "libwm/rest/again.h"
#include "libwm/rest/app_json.h"
#include "libwm/rest/exec_words.h"
#include "libwm/rest/search_request.h"
#include "libwm/search/search.h"
#include "libwm/submit/job_environment.h"
#include "libwm/submit/search_acts.h"
#include "libwm/submit/search_optimizer.h"
#include "libwm/submit/sign_again.h"

namespace wm::cmd {
namespace {

namespace fs = std::filesystem;

// A bundle goes again unless its job was submitted.
class Staged {
 public:
  Staged() = default;
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;
  ~Staged() {
    if (!key.empty() && !stays) client::drop_bundle(incoming, key);
  }
  std::string incoming, key;
  bool stays = false;
};

Result<void> stage(const std::string& folder, const ClusterConf& conf, Staged& staged) {
  WM_TRY(staged.incoming, incoming_here(conf));
  WM_TRY(staged.key, client::stage_bundle(folder, staged.incoming));
  return {};
}

Result<std::vector<Framework>> frameworks_here() {
  auto built_in = rest::frameworks();
  std::vector<Framework> known(built_in.begin(), built_in.end());
  WM_TRY(auto site, conf::text_of_file(conf_dir() + "/frameworks.conf"));
  WM_TRY(conf::add_frameworks(site, "site", known));
  auto home = environment("HOME").value_or("");
  WM_TRY(auto own, conf::text_of_file(home + "/.config/wm/frameworks.conf"));
  WM_TRY(conf::add_frameworks(own, "user", known));
  return known;
}

Result<rest::ExecPlace> place_here(client::Master& master, const ClusterConf& conf) {
  WM_TRY(auto incoming, incoming_here(conf));
  rest::ExecPlace place;
  place.out_file = fs::path(incoming).parent_path().string() + "/batchworkdir/%J.%I/job.out";
  place.data_dir = conf.dirs.data;
  WM_TRY(auto reply, master.ask(HostsRequest{}));
  for (const auto& host : reply.hosts) place.gpus = place.gpus || !host.host.capacity.gpus.empty();
  return place;
}

Result<void> check_code(const rest::ExecRequest& exec, const Framework& framework,
                        const std::string& folder) {
  if (exec.user_cmd || !exec.prebuilt.empty()) return {};
  auto path = folder + "/" + exec.main;
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (exec.main.empty() || !in)
    return fail(Code::BadArgument, "--model-main " + exec.main + ": is not in " +
                                       (folder.empty() ? "a folder, say --model-dir" : folder));
  return rest::check_code(framework, exec.main, text);
}

// The job of one trial.
Result<JobRequest> trial_request(client::Master& master, const ClusterConf& conf,
                                 const SearchStart& start, rest::ExecRequest& exec) {
  exec.plan = start.plan.empty() ? rest::plan_of(exec.plan, conf.name) : start.plan;
  WM_TRY(auto known, frameworks_here());
  WM_TRY(auto framework, rest::find_framework(known, exec.framework));
  WM_TRY(auto place, place_here(master, conf));
  WM_TRY(rest::check_fit(exec, framework, place));
  WM_TRY(check_code(exec, framework, start.folder));
  exec.tasks_alike = true;
  WM_TRY(auto groups, rest::task_groups(exec, framework, place));
  if (!groups.empty())
    return fail(Code::Impossible,
                "framework " + framework.name + ": its groups of tasks are no trial");
  exec.framework = framework.name;
  WM_TRY(auto job, rest::job_request(exec, framework, place));
  job.queue = start.queue;
  return job;
}

Result<std::vector<std::string>> names_taken(client::Master& master, const ClusterConf& conf) {
  WM_TRY(auto incoming, incoming_here(conf));
  WM_TRY(auto tasks, searches_of(master, RunQuery{}));
  std::vector<std::string> names;
  std::error_code ec;
  for (const auto& task : tasks)
    if (!fs::exists(incoming + "/" + mark_of_search(task.job) + ".deleted", ec))
      names.push_back(task.name);
  return names;
}

Result<std::uint32_t> most_of(std::uint32_t asked, const ClusterConf& conf) {
  auto most = conf.limits.max_array_size;
  if (asked > most)
    return fail(Code::BadArgument, "algoDef.maxJobNum: " + std::to_string(asked) +
                                       " trials; at most " + std::to_string(most) +
                                       " (max_array_size)");
  return asked > 0 ? asked : most;
}

// What decides about it, where that is no algorithm of WM's.
Result<std::optional<Plugin>> plugin_of(const SearchStart& start,
                                        const rest::SearchRequest& request,
                                        const std::string& results) {
  bool own = !rest::is_built_in(request.algorithm);
  if (!own && !start.plugin.empty())
    return fail(Code::BadArgument, "-plugin: algoDef.algorithm is one that comes with WM");
  if (!own) return std::optional<Plugin>();
  auto found = start.plugin.empty() ? installed_plugin(results, request.algorithm)
                                    : plugin_in(start.plugin, request.algorithm);
  if (!found) return fail(Code::BadArgument, "algoDef.algorithm: " + found.error().text);
  return std::optional(std::move(*found));
}

// As bsub would submit it, but for what `change` says.
template <class Change>
Result<SubmitReply> submit_changed(client::Master& master, const ClusterConf& conf,
                                   const JobRequest& job, Change change) {
  auto here = surroundings_here(conf);
  WM_TRY(auto spec, make_spec(job, here));
  WM_TRY(auto env, make_environment(job, here));
  change(spec);
  return submit_signed(master, std::move(spec), "", env.block, here);
}

Result<void> start_optimizer(client::Master& master, const ClusterConf& conf, const Plugin& plugin,
                             const rest::SearchRequest& request, JobId search) {
  Staged staged;
  WM_TRY(staged.incoming, incoming_here(conf));
  staged.key = random_hex(16);
  WM_TRY(lay_out_optimizer(plugin, request.search, request.at_once,
                           staged.incoming + "/" + staged.key));
  auto results = fs::path(staged.incoming).parent_path().string();
  WM_TRY(submit_changed(master, conf, optimizer_request(search, results), [&](JobSpec& spec) {
    spec.exec.bundle = staged.key;
    spec.exec.labels["search"] = std::to_string(search.job);
  }));
  staged.stays = true;
  return {};
}

// A search without its optimizer would wait for ever.
Result<void> begin_optimizer(client::Master& master, const ClusterConf& conf, const Plugin& plugin,
                             const rest::SearchRequest& request, JobId search) {
  auto begun = start_optimizer(master, conf, plugin, request, search);
  if (begun) return {};
  KillRequest kill;
  kill.jobs.ids = {search};
  kill.reason = "its optimizer cannot be started";
  (void)master.ask(kill);
  return begun;
}

// All of a search, of which the master knows the job still or the archive alone.
Result<RunView> run_of_search(client::Master& master, JobId search) {
  RunsRequest request;
  request.query.jobs = {search.job};
  request.whole = true;
  request.limit = 1;
  WM_TRY(auto reply, master.ask(request));
  if (reply.runs.empty() || reply.runs.front().parts.empty())
    return fail(Code::NotFound, "search " + to_string(search) + " does not exist");
  return std::move(reply.runs.front());
}

// Its bundle as long as more trials may come, then the copy that its first trial ran in.
Result<std::string> bundle_code(const ClusterConf& conf, const RunView& run,
                                const std::string& bundle) {
  WM_TRY(auto incoming, incoming_here(conf));
  std::error_code ec;
  if (fs::is_directory(incoming + "/" + bundle, ec)) return incoming + "/" + bundle;
  for (const auto& view : run.parts) {
    auto copy = view.result_dir + "/_submitted_code";
    if (view.id.index != 0 && fs::is_directory(copy, ec)) return copy;
  }
  return fail(Code::NotFound, "its code is gone, with the results of all its trials");
}

// A search's specification as it was signed; where the master has forgotten the job, made anew of
// the words that it was made of, with the code in `folder`.
Result<JobSpec> spec_of_search(client::Master& master, const ClusterConf& conf, const RunView& run,
                               const std::string& folder) {
  if (!run.facts.kept) {
    WM_TRY(auto signed_then, master.ask(SpecRequest{{run.facts.job, 0}}));
    return codec::decode<JobSpec>(signed_then.spec);
  }
  const auto& was = run.parts.front().job->spec();
  if (was.exec.args.empty())
    return fail(Code::NotFound,
                "what its trials run is not kept so long, since it was begun by bsub -spec");
  WM_TRY(auto exec, rest::request_again(was, was.exec.args));
  SearchStart start;
  start.queue = was.queue, start.plan = was.plan, start.folder = folder;
  WM_TRY(auto job, trial_request(master, conf, start, exec));
  WM_TRY(auto spec, make_spec(job, surroundings_here(conf)));
  spec.exec.args = exec.args;
  spec.exec.framework = exec.framework;
  spec.array_limit = was.array_limit;
  spec.open = spec.rerunnable = true;
  return spec;
}

}  // namespace

Result<std::string> incoming_here(const ClusterConf& conf) {
  WM_TRY(auto account, client::find_account(std::to_string(surroundings_here().who.uid)));
  auto root = conf.dirs.results.empty() ? surroundings_here().home : conf.dirs.results;
  return client::incoming_folder(root, account.name);
}

Result<SearchBegun> start_search(client::Master& master, const ClusterConf& conf,
                                 const SearchStart& start) {
  WM_TRY(auto request, rest::read_search_request(start.request));
  WM_TRY(search::check(rest::judged(request)));
  WM_TRY(auto incoming, incoming_here(conf));
  WM_TRY(auto plugin, plugin_of(start, request, fs::path(incoming).parent_path().string()));
  WM_TRY(auto taken, names_taken(master, conf));
  if (request.name.empty()) request.name = next_name("search", taken);
  if (std::ranges::count(taken, request.name))
    return fail(Code::Conflict, "hpoName: there is a search " + request.name);
  WM_TRY(auto most, most_of(request.most, conf));
  WM_TRY(auto exec, rest::parse_exec(request.args));
  WM_TRY(auto job, trial_request(master, conf, start, exec));
  Staged staged;
  if (!start.folder.empty()) WM_TRY(stage(start.folder, conf, staged));
  auto open_array = [&](JobSpec& spec) {
    spec.name = request.name;
    spec.array = {{1, most, 1}};
    spec.array_limit = std::min(request.at_once, most);
    spec.open = spec.rerunnable = true;  // lost with its host it is no failed one
    spec.exec.args = exec.args;
    spec.exec.framework = exec.framework;
    spec.exec.search = rest::with_seed(request.search, request.name);
    if (plugin) spec.exec.search = rest::of_plugin(spec.exec.search, request.algorithm);
    spec.exec.bundle = staged.key;
  };
  WM_TRY(auto reply, submit_changed(master, conf, job, open_array));
  staged.stays = true;
  if (plugin) WM_TRY(begin_optimizer(master, conf, *plugin, request, reply.job));
  return SearchBegun{request.name, std::move(reply)};
}

Result<SearchBegun> extend_search(client::Master& master, const ClusterConf& conf,
                                  const rest::SearchTask& task, std::uint32_t trials) {
  WM_TRY(auto search, continued(task, trials));
  WM_TRY(trials, most_of(trials, conf));
  WM_TRY(auto run, run_of_search(master, task.job));
  std::string folder;
  if (const auto& bundle = run.parts.front().job->spec().exec.bundle; !bundle.empty()) {
    auto code = bundle_code(conf, run, bundle);
    if (!code) return code.error().within("search " + task.name);
    folder = *std::move(code);
  }
  auto made = spec_of_search(master, conf, run, folder);
  if (!made) return made.error().within("search " + task.name);
  auto spec = *std::move(made);
  WM_TRY(auto taken, names_taken(master, conf));
  spec.name = next_name(task.name, taken);
  spec.exec.search = search;
  spec.array = {{1, trials, 1}};
  spec.array_limit = std::clamp(spec.array_limit, 1u, trials);
  Staged staged;
  if (!folder.empty()) WM_TRY(stage(folder, conf, staged));
  spec.exec.bundle = staged.key;
  auto here = surroundings_here(conf);
  WM_TRY(auto env, make_environment(Parsed{}, here));
  WM_TRY(auto reply, submit_signed(master, spec, "", env.block, here));
  staged.stays = true;
  return SearchBegun{spec.name, std::move(reply)};
}

Result<std::string> continued(const rest::SearchTask& task, std::uint32_t trials) {
  auto told = json_or_null(rest::search_json(task, true));
  Json search = told["search"];
  auto algorithm = search.value("algorithm", std::string("auto"));
  std::ranges::transform(algorithm, algorithm.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view kModels[] = {"auto", "tpe", "bayesian"};
  if (search.contains("plugin") || !std::ranges::count(kModels, algorithm))
    return fail(Code::BadArgument, "search " + task.name +
                                       ": only searches by auto, TPE or Bayesian know "
                                       "of earlier trials: start a new one");
  Json known = search.value("known", Json::array());
  for (const auto& trial : told["trials"])
    if (trial["state"] == "finished" && trial["value"].is_number())
      known.push_back({{"config", trial["config"]}, {"value", trial["value"]}});
  search["known"] = std::move(known);
  search["max_trials"] = trials;
  auto text = to_text(search);
  WM_TRY(search::check(text));
  return text;
}

std::string next_name(const std::string& name, const std::vector<std::string>& taken) {
  auto dash = name.rfind('-');
  bool numbered = dash != name.npos && dash > 0 && dash + 1 < name.size() &&
                  name.find_first_not_of("0123456789", dash + 1) == name.npos;
  auto stem = numbered ? name.substr(0, dash) : name;
  auto next = stem;
  for (int n = 2; std::ranges::count(taken, next); ++n) next = stem + "-" + std::to_string(n);
  return next;
}

}  // namespace wm::cmd

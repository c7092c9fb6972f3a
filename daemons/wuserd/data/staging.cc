#include "daemons/wuserd/data/staging.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "daemons/wuserd/catalog/catalog.h"
#include "daemons/wuserd/data/connections.h"
#include "daemons/wuserd/data/member_data.h"
#include "daemons/wuserd/data/project_data.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/submit.h"
#include "libwm/base/backoff.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/joined.h"
#include "libwm/base/json.h"
#include "libwm/base/log.h"
#include "libwm/files/temp_folder.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/exec_outcome.h"
#include "libwm/rest/exec_words.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLongestProgress{1 << 20};
constexpr Duration kTestLimit = std::chrono::seconds(40);
constexpr Duration kFirstLook = std::chrono::milliseconds(100), kLastLook = std::chrono::seconds(1);

std::string data_top(const Site& site) { return site.results_root + "/data"; }

Result<void> check_known(const Site& site, const rest::DataWish& wish) {
  WM_TRY(auto known, own_connections(site));
  for (const auto& source : wish.sources) {
    if (source.starts_with("{\"folder\":")) continue;
    bool there = std::any_of(known.begin(), known.end(), [&](const auto& connection) {
      return source.find("\"connection\":\"" + connection.name + "\"") != source.npos;
    });
    if (!there) return fail(Code::NotFound, "dataSource: no such connection: " + source);
  }
  return {};
}

// Where what is fetched is kept. On a storage volume users have a folder each, which wmfetch makes
// and takes only if nobody else may write to it.
Result<std::string> cache_of(const Site& site, const rest::DataWish& wish) {
  if (wish.staging != rest::Staging::Volume) return data_top(site) + "/cache";
  WM_TRY(auto volume, volume_named(site, wish.volume));
  if (volume.read_only)
    return fail(Code::BadArgument, "dataSource: storage volume '" + wish.volume +
                                       "' is read-only: nothing is downloaded to it");
  return volume.path + "/wm-data-" + site.user;
}

Result<JobId> begin_fetching(Site& site, const rest::ExecRequest& request,
                             const std::string& sources, const std::string& cache,
                             const std::string& bundle) {
  auto top = data_top(site);
  auto words = joined({"--cache", rest::shell_quoted(cache), "--links", rest::shell_quoted(top),
                       "--link", rest::shell_quoted(top + "/" + bundle), "--progress",
                       rest::shell_quoted(top + "/" + bundle + ".progress")});
  return submit_fetch(site, {(request.name.empty() ? request.framework : request.name) + "-data",
                             request.plan, top + "/" + bundle + ".log", words, sources});
}

// Files that were uploaded are where all hosts see them.
void use_folder(const std::string& folder, rest::ExecRequest& request) {
  request.data_root = folder;
  request.env.emplace_back("WMLA_USER_DATA_DIR", folder);
  std::vector<std::string> files;
  std::error_code ec;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec))
    files.push_back(at->path().string());
  bool one = files.size() == 1 && fs::is_regular_file(files[0], ec);
  if (one && files[0].find('\'') == std::string::npos)  // which no variable of a request may hold
    request.env.emplace_back("WMLA_USER_DATA_FILES", files[0]);
}

// What each task's shell does first. The folder is the job's on that host: the last of its tasks
// there removes it, so that the shell stays until its command has ended, whatever it is sent.
std::string local_prelude(const Site& site, const std::string& sources) {
  auto fetch = rest::shell_quoted(fetcher());
  return "wm_data=\"${TMPDIR:-/tmp}\"/wm-data-" + rest::shell_quoted(site.conf.name) +
         "-$(id -u)-${LSB_JOBID:-0}; trap : HUP INT QUIT TERM USR1 USR2; trap " +
         rest::shell_quoted(fetch + " --drop \"$wm_data\" --for $$") + " EXIT; DATA_DIR=$(" +
         fetch + " --connections " + rest::shell_quoted(connections_file(site)) +
         " --local \"$wm_data\" --for $$ " + rest::shell_quoted(sources) +
         ") && export DATA_DIR DLI_DATA_FS=\"$DATA_DIR\" WMLA_USER_DATA_DIR=\"$DATA_DIR\" && ";
}

// What the job that fetches wrote last.
Json progress_of(const Site& site, const JobView& view) {
  const auto& exec = view.job->spec().exec;
  if (exec.labels.contains(kShareLabel)) return json_or_null(shared_progress(site, view));
  auto text = read_file(data_top(site) + "/" + exec.bundle + ".progress", kLongestProgress);
  return text ? json_or_null(*text) : Json();
}

std::string state_of_job(Site& site, const std::string& number) {
  auto job = find_job(site, number);
  return job ? std::string(state_name(job->job->state)) : "gone";
}

/// Where a test's job writes; gone with this.
class TestFiles {
 public:
  static Result<TestFiles> make(const Site& site) {
    std::error_code ec;
    fs::create_directories(data_top(site), ec);
    WM_TRY(auto folder, TempFolder::make(data_top(site), ".test-"));
    return TestFiles(std::move(folder));
  }
  std::string log() const { return folder_.path() + "/log"; }
  std::string progress() const { return folder_.path() + "/progress"; }

 private:
  explicit TestFiles(TempFolder folder) : folder_(std::move(folder)) {}
  TempFolder folder_;
};

Result<JobId> begin_test(Site& site, const std::string& name, const TestFiles& files) {
  JobRequest job;
  job.app = "batch";
  job.name = "test-" + name;
  job.out_file = files.log();
  job.command = joined({rest::shell_quoted(fetcher()), "--connections",
                        rest::shell_quoted(connections_file(site)), "--progress",
                        rest::shell_quoted(files.progress()), "--test", rest::shell_quoted(name)});
  WM_TRY(auto reply, submit(site, job, {}));
  return reply.job;
}

Result<void> end_test(Site& site, JobId job) {
  WM_TRY(auto master, site.masters.take());
  KillRequest request;
  request.jobs.ids = {job};
  request.reason = "nobody waits for this test any more";
  WM_TRY(master->ask(request));
  return {};
}

// What the job says; nothing yet: it has not ended.
Result<std::optional<Result<void>>> outcome_of_test(Site& site, JobId job, const TestFiles& files) {
  WM_TRY(auto view, job_of(site, job));
  if (!is_over(view.job->state)) return std::optional<Result<void>>();
  auto text = read_file(files.progress(), kLongestProgress);
  auto said = rest::test_outcome(text ? *text : "");
  if (!said && said.error().text.empty())
    return std::optional<Result<void>>(
        fail(Code::Unavailable, "job " + to_string(job) + " ended before it could ask"));
  return std::optional(said);
}

}  // namespace

// On a host of the cluster, as any job of this user's: not on the door's, which sees other
// networks.
Result<void> test_connection(Site& site, const std::string& name) {
  WM_TRY(auto all, own_connections(site));
  if (std::none_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; }))
    return fail(Code::NotFound, "connection " + name + " does not exist");
  WM_TRY(auto files, TestFiles::make(site));
  WM_TRY(auto job, begin_test(site, name, files));
  auto until = steady_now() + kTestLimit;
  for (Backoff looks(kFirstLook, kLastLook, random_number()); steady_now() < until; looks.sleep()) {
    WM_TRY(auto outcome, outcome_of_test(site, job, files));
    if (outcome) return *outcome;
  }
  WM_TRY(end_test(site, job));
  return fail(Code::Unavailable, "job " + to_string(job) + " had no answer after " +
                                     std::to_string(kTestLimit / std::chrono::seconds(1)) +
                                     " s: it is ended");
}

std::string fetcher() {
  std::error_code ec;
  auto own = fs::read_symlink("/proc/self/exe", ec);
  return (own.parent_path().parent_path() / "bin/wmfetch").string();
}

Result<Staged> stage_data(Site& site, rest::ExecRequest& request, const std::string& bundle) {
  WM_TRY(auto shared, rest::shared_project_of(request.sources));
  if (!shared.empty()) {
    request.data_path.clear();
    WM_TRY(auto job, ask_for_data(site, request, shared));
    return Staged{"done(" + job + ")", ""};
  }
  WM_TRY(auto wish, rest::data_wish(request.sources));
  if (wish.sources.empty()) return Staged{};
  WM_TRY(check_known(site, wish));
  auto sources = "[" + joined(wish.sources, ",") + "]";
  Staged staged;
  request.data_path.clear();
  if (auto folder = rest::folder_of(wish); !folder.empty()) {
    use_folder(folder, request);
    return staged;
  }
  if (wish.staging == rest::Staging::Local) {
    staged.prelude = local_prelude(site, sources);
    return staged;
  }
  WM_TRY(auto cache, cache_of(site, wish));
  WM_TRY(auto job, begin_fetching(site, request, sources, cache, bundle));
  request.data_root = data_top(site) + "/" + bundle;
  request.env.emplace_back("WMLA_USER_DATA_DIR", request.data_root);
  request.labels[kDataLabel] = to_string(job);
  staged.depend = "done(" + to_string(job) + ")";
  return staged;
}

Result<std::string> data_json(Site& site, const JobView& view) {
  const auto& exec = view.job->spec().exec;
  auto label = exec.labels.find(kDataLabel);
  if (label == exec.labels.end()) return std::string("null");
  auto progress = progress_of(site, view);
  auto state = exec.labels.contains(kShareLabel) ? shared_job_state(site, view)
                                                 : state_of_job(site, label->second);
  return "{\"job\":" + rest::json_text(label->second) + ",\"state\":" + rest::json_text(state) +
         ",\"progress\":" + to_text(progress) + "}";
}

std::string why_no_data(const Site& site, const JobView& view) {
  const auto& exec = view.job->spec().exec;
  auto label = exec.labels.find(kDataLabel);
  bool never_ran = view.job->attempt == Attempt{};
  if (label == exec.labels.end() || !never_ran || rest::exec_state(*view.job) != "ERROR") return "";
  auto progress = progress_of(site, view);
  auto error = progress.is_object() ? progress.value("error", Json()) : Json();
  if (!error.is_string()) return "";
  return "its data could not be fetched (job " + label->second + "): " + error.get<std::string>();
}

Result<void> stop_fetching(Site& site, const JobView& exec) {
  const auto& labels = exec.job->spec().exec.labels;
  auto label = labels.find(kDataLabel);
  if (label == labels.end()) return {};
  if (labels.contains(kShareLabel)) forget_data(site, exec);
  else return end_fetch(site, label->second, "the execution was stopped");
  return {};
}

void forget_data(Site& site, const JobView& exec) {
  if (auto told = give_up_data(site, exec); !told)
    log::warn("shared_data_stays", {{"job", to_string(exec.id)}, {"why", told.error().text}});
}

}  // namespace wm::user

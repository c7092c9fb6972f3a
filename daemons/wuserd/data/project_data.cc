#include "daemons/wuserd/data/project_data.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "daemons/wuserd/data/connections.h"
#include "daemons/wuserd/data/data_assets.h"
#include "daemons/wuserd/data/staging.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/submit.h"
#include "daemons/wuserd/site/json_body.h"
#include "libwm/base/hash.h"
#include "libwm/base/joined.h"
#include "libwm/base/json.h"
#include "libwm/files/own_folder.h"
#include "libwm/files/whole_file.h"
#include "libwm/proc/accounts.h"
#include "libwm/rest/app_json.h"
#include "libwm/rest/data_sources.h"
#include "libwm/rest/exec_words.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostUnderWay = 8;  // of one member in one project
constexpr Bytes kLongestShare{64 << 10}, kLongestMemberProgress{1 << 20};
constexpr mode_t kPassedThrough = 0711;

std::string shares_top(const Site& site) { return site.results_root + "/data"; }
std::string share_path(const Site& site, const std::string& id) {
  return shares_top(site) + "/" + id + ".share";
}

std::string shown_project(const Site& site, const rest::Project& project) {
  return site.user + "~" + project.name;
}

/// For whom something was fetched, as it is kept.
struct Share {
  std::string id, job, guest, project;
};

Result<Share> share_of(const Site& site, const std::string& id) {
  auto nothing = fail(Code::NotFound, "data " + id.substr(0, 64) + " does not exist");
  if (!rest::is_asset_name(id)) return nothing;
  auto text = read_file(share_path(site, id), kLongestShare);
  if (!text) return nothing;
  auto json = json_or_null(*text);
  if (!json.is_object()) return nothing;
  return Share{id, text_or_none(json, "job"), text_or_none(json, "guest"),
               text_or_none(json, "project")};
}

// Another member's is as what is not there.
Result<Share> share_for(const Site& site, const rest::Project& project, const std::string& id,
                        const std::string& guest) {
  WM_TRY(auto share, share_of(site, id));
  if (share.guest == guest && share.project == project.name) return share;
  return fail(Code::NotFound, "data " + id + " does not exist");
}

// Made by root beside the users' own folders, which nobody else may pass through.
Result<OwnFolder> open_folders(const Site& site) {
  if (site.conf.dirs.results.empty())
    return fail(Code::Impossible,
                "wm.conf has no results_dir: data of a shared project has no place");
  auto folder =
      OwnFolder::open(site.conf.dirs.results + "/" + kOpenFolders + "/" + site.user, ::geteuid());
  if (!folder)
    return folder.error().within("data of a shared project (badmin mkresults " + site.user +
                                 " makes its place)");
  if (::fchmod(folder->fd(), kPassedThrough) != 0) return system_error(folder->path());
  return folder;
}

// Accounts and groups that are gone may nothing.
Result<void> let_editors(const OwnFolder& folder, const rest::Project& project) {
  std::vector<uid_t> users;
  std::vector<gid_t> groups;
  for (const auto& member : project.members) {
    if (member.role == rest::word_of(rest::SpaceRole::Viewer)) continue;
    if (!member.name.starts_with('@')) {
      if (auto found = proc::account(member.name)) users.push_back(found->uid);
    } else if (auto found = proc::group(member.name.substr(1))) {
      groups.push_back(found->gid);
    }
  }
  return folder.let_read(std::move(users), std::move(groups));
}

Result<rest::DataWish> wish_of(const Site& site, const rest::Project& project,
                               const std::vector<std::string>& items) {
  rest::ExecRequest request;
  WM_TRY(request.sources, rest::items_of_owner(items, project.name));
  WM_TRY(resolve_assets(site, request));
  WM_TRY(auto wish, rest::data_wish(request.sources));
  if (wish.sources.empty())
    return fail(Code::BadArgument, "dataSource: a data asset or a connection is wanted");
  for (const auto& name : rest::connections_in(wish))
    if (std::ranges::find(project.connections, name) == project.connections.end())
      return fail(Code::Denied, "connection " + name + " is not for members of project " +
                                    shown_project(site, project) + ": its owner shares it");
  return wish;
}

bool is_under_way(Site& site, const Share& share) {
  auto job = find_own_job(site, share.job);
  return job && !is_over(job->job->state);
}

Result<void> check_room(Site& site, const rest::Project& project, const std::string& guest) {
  std::size_t under_way = 0;
  std::error_code ec;
  for (fs::directory_iterator at(shares_top(site), ec), end; !ec && at != end; at.increment(ec)) {
    if (at->path().extension() != ".share") continue;
    auto share = share_of(site, at->path().stem().string());
    if (!share || share->guest != guest || share->project != project.name) continue;
    under_way += is_under_way(site, *share) ? 1 : 0;
  }
  if (under_way < kMostUnderWay) return {};
  return fail(Code::Limit, "project " + shown_project(site, project) + ": " + guest + " has " +
                               std::to_string(under_way) + " fetches under way");
}

Result<void> keep_share(const Site& site, const Share& share) {
  Json json{{"job", share.job}, {"guest", share.guest}, {"project", share.project}};
  return replace_file(share_path(site, share.id), to_text(json), 0600);
}

}  // namespace

Result<JobId> submit_fetch(Site& site, const FetchJob& fetch) {
  std::error_code ec;
  auto top = fs::path(fetch.log).parent_path();
  fs::create_directories(top, ec);
  if (ec) return fail(Code::System, top.string() + ": " + ec.message());
  JobRequest job;
  job.app = "batch";
  job.name = fetch.name;
  std::ranges::replace(job.name, ' ', '-');
  job.out_file = fetch.log;
  job.plan = fetch.plan;
  job.command = joined({rest::shell_quoted(fetcher()), "--connections",
                        rest::shell_quoted(connections_file(site)), fetch.words,
                        rest::shell_quoted(fetch.sources)});
  WM_TRY(auto reply, submit(site, job, {}));
  return reply.job;
}

Result<void> end_fetch(Site& site, const std::string& number, const std::string& why) {
  auto job = find_own_job(site, number);
  if (!job || is_over(job->job->state)) return {};
  WM_TRY(auto master, site.masters.take());
  KillRequest request;
  request.jobs.ids = {job->id};
  request.reason = why;
  WM_TRY(master->ask(request));
  return {};
}

Result<std::string> fetch_for_member(Site& site, const rest::Project& project,
                                     const std::vector<std::string>& items,
                                     const std::string& guest) {
  WM_TRY(auto wish, wish_of(site, project, items));
  WM_TRY(check_room(site, project, guest));
  WM_TRY(auto open, open_folders(site));
  WM_TRY(auto folder, open.sub(project.name, true));
  WM_TRY(let_editors(folder, project));
  Share share{random_hex(16), "", guest, project.name};
  auto way = rest::shell_quoted(folder.path() + "/" + share.id);
  auto top = rest::shell_quoted(folder.path());
  FetchJob job{project.name + "-data-for-" + guest, rest::plan_of(project.plan, site.conf.name),
               shares_top(site) + "/" + share.id + ".log",
               joined({"--open --cache", rest::shell_quoted(folder.path() + "/cache"), "--links",
                       top, "--link", way, "--progress",
                       rest::shell_quoted(folder.path() + "/" + share.id + ".progress")}),
               "[" + joined(wish.sources, ",") + "]"};
  WM_TRY(auto number, submit_fetch(site, job));
  share.job = to_string(number);
  WM_TRY(keep_share(site, share));
  return to_text(Json{{"id", share.id}, {"job", share.job}});
}

Result<std::string> member_fetch_json(Site& site, const rest::Project& project,
                                      const std::string& id, const std::string& guest) {
  WM_TRY(auto share, share_for(site, project, id, guest));
  auto job = find_own_job(site, share.job);
  return to_text(
      Json{{"id", id},
           {"job", share.job},
           {"state", job ? std::string(state_name(job->job->state)) : std::string("gone")}});
}

Result<void> end_member_fetch(Site& site, const rest::Project& project, const std::string& id,
                              const std::string& guest) {
  WM_TRY(auto share, share_for(site, project, id, guest));
  WM_TRY(end_fetch(site, share.job, "the execution of " + guest + " was stopped"));
  std::error_code ec;
  for (const char* end : {".log", ".share"}) fs::remove(shares_top(site) + "/" + id + end, ec);
  auto open = open_folders(site);
  if (!open) return {};
  auto folder = open->sub(project.name, false);
  if (!folder) return {};
  for (const char* end : {"", ".progress"}) WM_TRY(folder->remove(id + end));
  return {};
}

Result<void> let_members_read(const Site& site, const rest::Project& project) {
  if (site.conf.dirs.results.empty()) return {};
  auto path = site.conf.dirs.results + "/" + kOpenFolders + "/" + site.user + "/" + project.name;
  auto folder = OwnFolder::open(path, ::geteuid());
  if (!folder && folder.error().code == Code::NotFound) return {};  // nothing was fetched
  if (!folder) return folder.error();
  return let_editors(*folder, project);
}

}  // namespace wm::user

#include "daemons/wuserd/data/member_data.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "daemons/wuserd/data/staging.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/space_owner.h"
#include "libwm/base/json.h"
#include "libwm/files/own_folder.h"
#include "libwm/proc/accounts.h"
#include "libwm/rest/data_sources.h"
#include "libwm/rest/url.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOfBeginning = 60s, kOfAsking = 5s;
constexpr Bytes kLongestToldProgress{1 << 20};

/// "ann~digits/0123…".
struct ShareName {
  rest::SpaceName project;
  std::string id;
};

std::optional<ShareName> share_name_of(const JobView& exec) {
  const auto& labels = exec.job->spec().exec.labels;
  auto label = labels.find(kShareLabel);
  if (label == labels.end()) return {};
  auto slash = label->second.find('/');
  if (slash == std::string::npos) return {};
  ShareName name{rest::space_name(label->second.substr(0, slash)), label->second.substr(slash + 1)};
  bool is_one = !name.project.owner.empty() && rest::is_asset_name(name.project.name) &&
                rest::is_asset_name(name.id);
  return is_one ? std::optional(name) : std::nullopt;
}

std::string fetches_of(const rest::SpaceName& project) {
  return "/api/v1/projects/" + rest::escaped(project.name) + "/fetches";
}

std::string folder_of(const Site& site, const rest::SpaceName& project) {
  return site.conf.dirs.results + "/" + kOpenFolders + "/" + project.owner + "/" + project.name;
}

Json asked_json(const std::vector<std::string>& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_or_null(item));
  return Json{{"dataSource", list}};
}

}  // namespace

Result<std::string> ask_for_data(Site& site, rest::ExecRequest& request,
                                 const std::string& project) {
  auto named = rest::space_name(project);
  WM_TRY(auto owner, SpaceOwner::find(site, named.owner, kOfBeginning));
  WM_TRY(auto text, owner.ask("POST", fetches_of(named), to_text(asked_json(request.sources))));
  auto told = json_or_null(text);
  auto id = text_or_none(told, "id"), job = text_or_none(told, "job");
  bool is_job = !job.empty() && job.find_first_not_of("0123456789") == job.npos;
  if (!rest::is_asset_name(id) || !rest::is_asset_name(named.name) || !is_job)
    return fail(Code::Unavailable, "the wuserd of " + named.owner + " begins no fetch");
  request.data_root = folder_of(site, named) + "/" + id;
  request.env.emplace_back("WMLA_USER_DATA_DIR", request.data_root);
  request.labels[kDataLabel] = job;
  request.labels[kShareLabel] = project + "/" + id;
  return job;
}

std::string shared_progress(const Site& site, const JobView& exec) {
  auto name = share_name_of(exec);
  if (!name) return "";
  auto owner = proc::account(name->project.owner);
  if (!owner) return "";
  auto folder = OwnFolder::open(folder_of(site, name->project), owner->uid);
  auto text = folder ? folder->read(name->id + ".progress", kLongestToldProgress)
                     : Result<std::string>(folder.error());
  return text ? *text : "";
}

std::string shared_job_state(Site& site, const JobView& exec) {
  auto name = share_name_of(exec);
  auto owner = name ? SpaceOwner::find(site, name->project.owner, kOfAsking)
                    : Result<SpaceOwner>(fail(Code::NotFound, ""));
  if (!owner) return "gone";
  auto text = owner->ask("GET", fetches_of(name->project) + "/" + name->id);
  auto state = text ? text_or_none(json_or_null(*text), "state") : "";
  return state.empty() ? "gone" : state.substr(0, 64);
}

Result<void> give_up_data(Site& site, const JobView& exec) {
  auto name = share_name_of(exec);
  if (!name) return {};
  WM_TRY(auto owner, SpaceOwner::find(site, name->project.owner, kOfAsking));
  auto told = owner.ask("DELETE", fetches_of(name->project) + "/" + name->id);
  if (!told && told.error().code != Code::NotFound) return told.error();
  return {};
}

}  // namespace wm::user

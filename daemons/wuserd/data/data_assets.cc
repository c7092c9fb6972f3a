#include "daemons/wuserd/data/data_assets.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "daemons/wuserd/data/connections.h"
#include "daemons/wuserd/data/staging.h"
#include "daemons/wuserd/files/editions.h"
#include "daemons/wuserd/files/unpack.h"
#include "daemons/wuserd/jobs/runs.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/files/tree.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/data_sources.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;
using rest::DataAsset;

constexpr const char* kDataManifest = "/manifest.json";
constexpr const char* kDataFiles = "/files";

std::string projects_top(const Site& site) { return site.results_root + "/projects"; }
std::string assets_top(const Site& site, const std::string& project) {
  return projects_top(site) + "/" + project + "/data";
}
std::string asset_top(const Site& site, const std::string& project, const std::string& name) {
  return assets_top(site, project) + "/" + name;
}
std::string version_name(std::int64_t version) { return "v" + std::to_string(version); }

Error no_such_asset(const std::string& name) {
  return fail(Code::NotFound, "data asset " + name + " does not exist");
}

// "default" is there without a folder.
Result<void> check_project(const Site& site, const std::string& project) {
  std::error_code ec;
  bool there = rest::is_asset_name(project) &&
               (project == "default" ||
                fs::exists(projects_top(site) + "/" + project + "/project.json", ec));
  if (there) return {};
  return fail(Code::NotFound, "project " + project + " does not exist");
}

std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ec;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    auto name = at->path().filename().string();
    if (rest::is_asset_name(name) && at->is_directory(ec)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// "v12" is 12; anything else 0.
std::int64_t number_of(std::string_view version) {
  std::int64_t number = 0;
  if (!version.starts_with('v')) return 0;
  auto digits = version.substr(1);
  auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return ec == std::errc() && end == digits.data() + digits.size() ? number : 0;
}

// Versions as they were kept before: vN.json, the files in folders beside them, which stay there.
// The numbers, in order.
std::vector<std::int64_t> old_versions(const std::string& folder) {
  std::vector<std::int64_t> numbers;
  std::error_code ec;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec))
    if (at->path().extension() == ".json")
      if (auto number = number_of(at->path().stem().string()); number > 0)
        numbers.push_back(number);
  std::ranges::sort(numbers);
  return numbers;
}

// First the folders, then the list of them, then the old form goes: a crash in between leaves one
// of both whole.
Result<void> take_old_versions(const Editions& editions) {
  static std::mutex one_at_a_time;
  std::lock_guard hold(one_at_a_time);
  const auto& folder = editions.top();
  auto numbers = old_versions(folder);
  if (numbers.empty()) return {};
  std::error_code ec;
  serve::Versions versions;
  for (auto number : numbers) {
    auto name = version_name(number);
    WM_TRY(auto text, read_file(folder + "/" + name + ".json"));
    fs::create_directories(folder + "/" + name, ec);
    WM_TRY(replace_file(folder + "/" + name + kDataManifest, text, 0600));
    versions = serve::with_version(std::move(versions), name);
  }
  if (!fs::exists(folder + "/versions.json", ec)) WM_TRY(editions.begin_with(versions));
  for (auto number : numbers) fs::remove(folder + "/" + version_name(number) + ".json", ec);
  return ec ? Result<void>(fail(Code::System, folder + ": " + ec.message())) : Result<void>();
}

Result<Editions> data_editions(const Site& site, const std::string& project,
                               const std::string& name) {
  Editions editions("data asset", name, asset_top(site, project, name), VersionNames::Numbers);
  WM_TRY(take_old_versions(editions));
  return editions;
}

// Of the folder of a version; its own files are told as those that it leads to.
Result<DataAsset> asset_at(const std::string& folder, const std::string& name) {
  WM_TRY(auto text, read_file(folder + kDataManifest));
  auto asset = rest::parse_data_asset(text);
  if (!asset) return asset.error().within(folder + kDataManifest);
  auto version = fs::path(folder).filename().string();
  asset->name = name;  // the folder's
  asset->version = number_of(version);
  if (asset->stored == kDataFiles + 1) asset->stored = version + kDataFiles;
  return asset;
}

// Where the files are: later versions may say something else of the same ones.
std::string stored_in(const Site& site, const std::string& project, const DataAsset& asset) {
  return asset_top(site, project, asset.name) + "/" + asset.stored;
}

Result<void> place_upload(const NewData& data, const std::string& folder) {
  const auto& [asset, upload, unpacked, by_guest, keeping] = data;
  if (unpacked) return lay_out(upload, folder, {}, by_guest ? kFromOthers : rest::ArchiveLimits{});
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (ec) return fail(Code::System, folder + ": " + ec.message());
  for (const auto& file : upload.files) {
    auto path = folder + "/" + file.name;
    if (fs::exists(fs::symlink_status(path, ec)))
      return fail(Code::BadArgument, "two files are called " + file.name);
    fs::rename(file.path, path, ec);
    if (ec) return fail(Code::System, path + ": " + ec.message());
  }
  return {};
}

Result<void> count_files(const std::string& folder, DataAsset& asset) {
  WM_TRY(auto tree, Tree::open(folder));
  asset.files = asset.size = 0;
  return tree.walk({}, [&](const TreeFile& file) -> Result<void> {
    ++asset.files;
    asset.size += file.facts.st_size;
    return {};
  });
}

// What it leads to is there, as far as that is known without asking the server.
Result<void> check_connection(const Site& site, const DataAsset& asset) {
  WM_TRY(auto known, own_connections(site));
  auto found = std::ranges::find(known, asset.connection, &rest::Connection::name);
  if (found == known.end())
    return fail(Code::NotFound, "connection " + asset.connection + " does not exist");
  if (rest::asks_by_query(found->type) == !asset.query.empty()) return {};
  return fail(Code::BadArgument, "connection " + asset.connection + " is of type " + found->type +
                                     ": a " + (asset.query.empty() ? "query" : "path") +
                                     " is wanted");
}

// What is to be kept becomes the version in `draft`.
Result<void> fill_version(const NewData& data, const std::string& draft, DataAsset& asset) {
  if (!data.upload.files.empty()) {
    WM_TRY(place_upload(data, draft + kDataFiles));
    WM_TRY(count_files(draft + kDataFiles, asset));
    asset.stored = kDataFiles + 1;
  }
  return replace_file(draft + kDataManifest, rest::to_text(asset), 0600);
}

Keeping keeping_at(const NewData& data, bool next) {
  auto keeping = data.keeping;
  keeping.next = next;
  if (keeping.now == WallTime{}) keeping.now = wall_now();
  return keeping;
}

rest::Project project_on_disk(const Site& site, const std::string& name) {
  auto text = read_file(projects_top(site) + "/" + name + "/project.json");
  auto project = rest::parse_project(text ? *text : "{}");
  return project ? *project : rest::Project{};
}

bool has_for_members(const rest::Project& project, const std::string& connection) {
  return std::ranges::find(project.connections, connection) != project.connections.end();
}

Result<void> check_kind(const Site& site, const std::string& project, const NewData& data) {
  bool refers = !data.asset.connection.empty(), brings = !data.upload.files.empty();
  if (refers && brings)
    return fail(Code::BadArgument, "data asset " + data.asset.name +
                                       ": a connection and files; one of them is wanted");
  if (!refers) return {};
  if (data.by_guest && !has_for_members(project_on_disk(site, project), data.asset.connection))
    return fail(Code::Denied, "connection " + data.asset.connection +
                                  " is not for members of project " + site.user + "~" + project);
  return check_connection(site, data.asset);
}

bool names_asset(const std::string& item, const std::string& project, const std::string& name) {
  auto named = rest::asset_named(item);
  return named && *named && (*named)->project == project && (*named)->name == name;
}

// An execution or a search of the user's that is not over yet.
Result<std::string> reader_of(Site& site, const std::string& project, const std::string& name) {
  std::string found;
  RunsRequest request;
  request.query.user = site.user;
  request.query.executions = true;
  request.query.states = {JobState::Pending, JobState::Held,    JobState::Launching,
                          JobState::Running, JobState::Unknown, JobState::Suspended,
                          JobState::Array};
  request.whole = true;
  WM_TRY(each_run(site, request, [&](RunView& run) {
    for (const auto& view : run.parts)
      if (std::ranges::any_of(view.job->spec().exec.data, [&](const std::string& item) {
            return names_asset(item, project, name);
          }))
        found = exec_id(site.conf.name, {view.id.job, 0});
    return found.empty();
  }));
  return found;
}

// Does an experiment of project `holder` take it?
bool takes(const std::string& manifest, const std::string& holder, const std::string& project,
           const std::string& name) {
  auto experiment = rest::parse_experiment(manifest);
  if (!experiment || experiment->sources.empty()) return false;
  rest::Project here;
  here.name = holder;
  auto data = json_or_null(rest::data_of(here, *experiment, {}));
  return std::ranges::any_of(data["dataSource"], [&](const Json& item) {
    return names_asset(to_text(item), project, name);
  });
}

// Of all versions of an experiment: an earlier one may be run again.
std::vector<std::string> manifests_of(const Editions& experiment) {
  std::vector<std::string> found;
  auto versions = experiment.versions();
  if (!versions) return found;
  std::vector<std::string> names{versions->present};
  names.insert(names.end(), versions->earlier.begin(), versions->earlier.end());
  names.insert(names.end(), versions->undone.begin(), versions->undone.end());
  for (const auto& name : names) {
    auto folder = experiment.folder(name);
    if (!folder) continue;
    if (auto text = read_file(*folder + "/manifest.json")) found.push_back(std::move(*text));
  }
  return found;
}

// The first that does; of another project "project/name".
std::string experiment_with(const Site& site, const std::string& project, const std::string& name) {
  for (const auto& holder : folders_in(projects_top(site))) {
    auto top = projects_top(site) + "/" + holder + "/experiments";
    for (const auto& folder : folders_in(top)) {
      auto all = manifests_of({"experiment", folder, top + "/" + folder});
      bool used = std::ranges::any_of(
          all, [&](const std::string& text) { return takes(text, holder, project, name); });
      if (used) return holder == project ? folder : holder + "/" + folder;
    }
  }
  return "";
}

}  // namespace

Result<std::vector<DataAsset>> data_assets(const Site& site, const std::string& project) {
  WM_TRY(check_project(site, project));
  std::vector<DataAsset> all;
  for (const auto& name : folders_in(assets_top(site, project)))
    if (auto one = data_asset(site, project, name)) all.push_back(std::move(*one));
  return all;
}

Result<DataAsset> data_asset(const Site& site, const std::string& project, const std::string& name,
                             std::int64_t version) {
  WM_TRY(check_project(site, project));
  if (!rest::is_asset_name(name)) return no_such_asset(name);
  WM_TRY(auto editions, data_editions(site, project, name));
  WM_TRY(editions.versions());
  auto folder = editions.folder(version > 0 ? version_name(version) : "");
  if (!folder && folder.error().code == Code::NotFound)
    return fail(Code::NotFound,
                "data asset " + name + " has no version " + std::to_string(version));
  if (!folder) return folder.error();
  return asset_at(*folder, name);
}

Result<std::vector<DataAsset>> data_versions(const Site& site, const std::string& project,
                                             const std::string& name) {
  WM_TRY(data_asset(site, project, name));
  WM_TRY(auto editions, data_editions(site, project, name));
  WM_TRY(auto known, editions.versions());
  std::vector<DataAsset> all;
  for (const auto& version : serve::all_of(known)) {
    WM_TRY(auto folder, editions.folder(version));
    WM_TRY(auto one, asset_at(folder, name));
    all.push_back(std::move(one));
  }
  return all;
}

Result<DataAsset> take_data_back(const Site& site, const std::string& project,
                                 const std::string& name, const std::string& match) {
  WM_TRY(data_asset(site, project, name));
  WM_TRY(auto editions, data_editions(site, project, name));
  WM_TRY(editions.go_back(match));
  return data_asset(site, project, name);
}

std::vector<AssetFile> files_of(const Site& site, const std::string& project,
                                const DataAsset& asset, std::size_t most) {
  std::vector<AssetFile> files;
  if (!asset.connection.empty()) return files;
  auto tree = Tree::open(stored_in(site, project, asset));
  if (!tree) return files;
  (void)tree->walk({}, [&](const TreeFile& file) -> Result<void> {
    files.push_back({file.path, file.facts.st_size});
    return {};
  });
  std::ranges::sort(files, {}, &AssetFile::path);
  if (files.size() > most) files.resize(most);
  return files;
}

Result<DataAsset> make_data_asset(const Site& site, const std::string& project, NewData data) {
  WM_TRY(check_project(site, project));
  WM_TRY(check_kind(site, project, data));
  auto asset = data.asset;
  if (asset.connection.empty() && data.upload.files.empty())
    return fail(Code::BadArgument,
                "data asset " + asset.name + ": a connection or files are wanted");
  asset.stored.clear();
  asset.size = asset.files = 0;
  asset.saved = now_s();
  WM_TRY(auto editions, data_editions(site, project, asset.name));
  WM_TRY(editions.add(keeping_at(data, false), [&](const std::string& draft, const std::string&) {
    return fill_version(data, draft, asset);
  }));
  return data_asset(site, project, asset.name);
}

Result<DataAsset> change_data_asset(const Site& site, const std::string& project, NewData data) {
  WM_TRY(check_kind(site, project, data));
  WM_TRY(data_asset(site, project, data.asset.name));
  WM_TRY(auto editions, data_editions(site, project, data.asset.name));
  bool same = data.asset.connection.empty() && data.upload.files.empty();
  auto fill = [&](const std::string& draft, const std::string& before) -> Result<void> {
    auto asset = data.asset;
    if (same) {
      WM_TRY(asset, asset_at(before, asset.name));
      asset.description = data.asset.description;
    } else {
      asset.stored.clear();
      asset.size = asset.files = 0;
    }
    asset.saved = now_s();
    return fill_version(data, draft, asset);
  };
  WM_TRY(auto version, editions.add(keeping_at(data, true), fill));
  return data_asset(site, project, data.asset.name, number_of(version));
}

Result<void> remove_data_asset(Site& site, const std::string& project, const std::string& name) {
  WM_TRY(data_asset(site, project, name));
  if (auto experiment = experiment_with(site, project, name); !experiment.empty())
    return fail(Code::Conflict, "data asset " + name + " is used by experiment " + experiment);
  WM_TRY(auto reader, reader_of(site, project, name));
  if (!reader.empty())
    return fail(Code::Conflict, "data asset " + name + " is read by execution " + reader);
  WM_TRY(auto editions, data_editions(site, project, name));
  return editions.remove_all();
}

std::string user_of_connection(const Site& site, const std::string& connection) {
  auto projects = folders_in(projects_top(site));
  for (const auto& project : projects) {
    auto all = data_assets(site, project);
    if (!all) continue;
    for (const auto& asset : *all)
      if (asset.connection == connection) return project + "/" + asset.name;
  }
  return "";
}

std::string project_with_connection(const Site& site, const std::string& connection) {
  for (const auto& name : folders_in(projects_top(site)))
    if (has_for_members(project_on_disk(site, name), connection)) return name;
  return "";
}

Result<void> resolve_assets(const Site& site, rest::ExecRequest& request) {
  for (auto& item : request.sources) {
    WM_TRY(auto named, rest::asset_named(item));
    if (!named || rest::is_of_other(named->project)) continue;  // its owner's to resolve
    auto asset = data_asset(site, named->project, named->name, named->version);
    if (!asset) return asset.error().within("dataSource");
    item = rest::resolved_item(item, *named, *asset, stored_in(site, named->project, *asset));
  }
  return {};
}

}  // namespace wm::user

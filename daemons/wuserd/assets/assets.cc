#include "daemons/wuserd/assets/assets.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "daemons/wuserd/files/unpack.h"
#include "daemons/wuserd/services/packages.h"
#include "daemons/wuserd/site/json_body.h"
#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/files/fd.h"
#include "libwm/files/whole_file.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "/manifest.json";
constexpr const char* kCodeFile = "/code";
constexpr const char* kPackage = "/package";
constexpr const char* kRuns = "/runs.json";

Result<void> write_asset(const std::string& path, const std::string& text) {
  std::error_code ec;
  fs::create_directories(fs::path(path).parent_path(), ec);
  if (ec) return fail(Code::System, path + ": " + ec.message());
  return replace_file(path, text, 0600);
}

// Names of the folders in `folder`, sorted.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ec;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec))
    if (at->is_directory(ec)) names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Error unknown_asset(const std::string& kind, const std::string& name) {
  return fail(Code::NotFound, kind + " " + name.substr(0, 200) + " does not exist");
}

template <class Asset>
Result<Asset> read_asset(const std::string& kind, const std::string& name, const std::string& path,
                         Result<Asset> (*parse)(const std::string&)) {
  auto found = rest::is_asset_name(name) ? read_file(path) : Result<std::string>("");
  auto text = found ? *found : "";
  if (text.empty()) return unknown_asset(kind, name);
  auto asset = parse(text);
  if (!asset) return asset.error().within(path);
  asset->name = name;  // the folder's
  return asset;
}

Result<void> remove_folder(const char* kind, const std::string& name, const std::string& folder) {
  std::error_code ec;
  if (!rest::is_asset_name(name) || !fs::is_directory(folder, ec)) return unknown_asset(kind, name);
  fs::remove_all(folder, ec);
  if (ec) return fail(Code::System, folder + ": " + ec.message());
  return {};
}

// Who writes what has no versions waits for the others who do.
std::unique_lock<std::mutex> hold_words() {
  static std::mutex one_at_a_time;
  return std::unique_lock(one_at_a_time);
}

// `known`: what is there; empty: nothing.
Result<void> check_keeping(const std::string& what, const std::string& known,
                           const std::string& wanted, const Keeping& keeping) {
  if (known.empty())
    return keeping.next ? Result<void>(fail(Code::NotFound, what + " does not exist"))
                        : Result<void>();
  if (!keeping.next && known != wanted)
    return fail(Code::Conflict, what + " exists: " + keeping.way_out + " changes it");
  if (keeping.next && !tag_matches(keeping.match, tag_of_words(known)))
    return fail(Code::Stale, what + " has been changed meanwhile");
  return {};
}

// A version's manifest, with what its folder says.
template <class Asset>
Result<Asset> read_version(const Editions& editions, const std::string& kind,
                           const std::string& name, const std::string& version,
                           Result<Asset> (*parse)(const std::string&)) {
  if (!rest::is_asset_name(name)) return unknown_asset(kind, name);
  WM_TRY(auto folder, editions.folder(version));
  WM_TRY(auto asset, read_asset(kind, name, folder + kManifest, parse));
  asset.edition.version = version;
  if (version.empty()) {
    WM_TRY(auto known, editions.versions());
    asset.edition.version = known.present;
  }
  return asset;
}

rest::Edition edition_of(const Keeping& keeping, std::string hash) {
  return {"", std::move(hash), keeping.user,
          std::chrono::duration_cast<std::chrono::seconds>(keeping.now.time_since_epoch()).count()};
}

Result<void> move_to(const std::string& from, const std::string& to) {
  std::error_code ec;
  fs::rename(from, to, ec);
  return ec ? Result<void>(fail(Code::System, to + ": " + ec.message())) : Result<void>();
}

// The code of a new version: what was sent, or the very file of the version before.
Result<void> lay_code(const std::string& sent, const std::string& before, const std::string& to,
                      const std::string& name) {
  if (!sent.empty()) return move_to(sent, to);
  std::error_code ec;
  if (before.empty() || !fs::exists(before + kCodeFile, ec))
    return fail(Code::BadArgument, "definition " + name + ": its code is missing");
  fs::create_hard_link(before + kCodeFile, to, ec);
  if (ec) fs::copy_file(before + kCodeFile, to, ec);
  return ec ? Result<void>(fail(Code::System, to + ": " + ec.message())) : Result<void>();
}

std::vector<std::string> runs_in(const std::string& text) {
  auto json = json_or_null(text);
  std::vector<std::string> runs;
  if (json.is_array())
    for (const auto& run : json)
      if (run.is_string()) runs.push_back(run.get<std::string>());
  return runs;
}

}  // namespace

std::string word_of(AssetKind kind) {
  constexpr std::array<const char*, 3> kWords{"definition", "experiment", "model"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string plural_of(AssetKind kind) { return word_of(kind) + "s"; }

Editions Assets::editions(AssetKind kind, const std::string& project,
                          const std::string& name) const {
  return {word_of(kind), name, top_ + "/" + project + "/" + plural_of(kind) + "/" + name};
}

std::vector<rest::Project> Assets::projects() const {
  std::vector<rest::Project> found{*project("default")};
  for (const auto& name : names_in(top_)) {
    auto one = project(name);
    if (one && name != "default") found.push_back(std::move(*one));
  }
  return found;
}

Result<rest::Project> Assets::project(const std::string& name) const {
  auto found =
      read_asset("project", name, top_ + "/" + name + "/project.json", rest::parse_project);
  if (!found && name == "default") return rest::Project{"default", "", ""};
  return found;
}

Result<rest::Project> Assets::share_project(
    const std::string& name, const std::function<void(rest::Project&)>& change) const {
  auto hold = hold_words();
  WM_TRY(auto project, this->project(name));
  change(project);
  WM_TRY(write_asset(top_ + "/" + name + "/project.json", rest::to_text(project)));
  return project;
}

Result<void> Assets::keep(const rest::Project& wanted, const Keeping& keeping) const {
  auto hold = hold_words();
  auto project = wanted;
  auto before = this->project(project.name);
  // Members and connections have a row each.
  project.members = before ? before->members : std::vector<rest::Member>();
  project.connections = before ? before->connections : std::vector<std::string>();
  bool is_first = project.name == "default" && !keeping.next && before &&
                  *before == rest::Project{"default", "", ""};
  auto known = before && !is_first ? rest::to_text(*before) : "";
  WM_TRY(check_keeping("project " + project.name, known, rest::to_text(project), keeping));
  return write_asset(top_ + "/" + project.name + "/project.json", rest::to_text(project));
}

Result<std::string> Assets::text(AssetKind kind, const std::string& project,
                                 const std::string& name, const std::string& version) const {
  if (kind == AssetKind::Definition) {
    WM_TRY(auto found, definition(project, name, version));
    return rest::to_text(found);
  }
  if (kind == AssetKind::Experiment) {
    WM_TRY(auto found, experiment(project, name, version));
    return rest::to_text(found);
  }
  WM_TRY(auto found, model(project, name, version));
  return model_text(*this, project, found);
}

Result<void> Assets::remove(AssetKind kind, const std::string& project,
                            const std::string& name) const {
  if (!rest::is_asset_name(name)) return unknown_asset(word_of(kind), name);
  if (kind == AssetKind::Definition)
    for (const auto& experiment : experiments(project))
      if (std::ranges::find(experiment.definitions, name) != experiment.definitions.end())
        return fail(Code::Conflict,
                    "definition " + name + " is used by experiment " + experiment.name);
  return editions(kind, project, name).remove_all();
}

Result<void> Assets::remove_version(AssetKind kind, const std::string& project,
                                    const std::string& name, const std::string& version) const {
  if (!rest::is_asset_name(name)) return unknown_asset(word_of(kind), name);
  if (kind == AssetKind::Definition)
    for (const auto& experiment : experiments(project))
      for (std::size_t i = 0; i < experiment.definitions.size(); ++i)
        if (experiment.definitions[i] == name && rest::version_of(experiment, i) == version)
          return fail(Code::Conflict,
                      "version " + version + " is used by experiment " + experiment.name);
  return editions(kind, project, name).remove(version);
}

std::vector<rest::Definition> Assets::definitions(const std::string& project) const {
  std::vector<rest::Definition> found;
  for (const auto& name : names_in(editions(AssetKind::Definition, project, "").top()))
    if (auto one = definition(project, name)) found.push_back(std::move(*one));
  return found;
}

Result<rest::Definition> Assets::definition(const std::string& project, const std::string& name,
                                            const std::string& version) const {
  return read_version(editions(AssetKind::Definition, project, name), "definition", name, version,
                      rest::parse_definition);
}

Result<std::string> Assets::code(const std::string& project, const std::string& definition,
                                 const std::string& version) const {
  if (!rest::is_asset_name(definition)) return unknown_asset("definition", definition);
  WM_TRY(auto folder, editions(AssetKind::Definition, project, definition).folder(version));
  return folder + kCodeFile;
}

Result<rest::Definition> Assets::keep(const std::string& project, rest::Definition definition,
                                      const std::string& code_file, const Keeping& keeping) const {
  auto fill = [&](const std::string& draft, const std::string& before) -> Result<void> {
    WM_TRY(lay_code(code_file, before, draft + kCodeFile, definition.name));
    if (code_file.empty()) {
      WM_TRY(auto known, this->definition(project, definition.name));
      definition.code_name = known.code_name;
    }
    WM_TRY(auto hash, file_hash(draft + kCodeFile));
    definition.edition = edition_of(keeping, std::move(hash));
    return write_asset(draft + kManifest, rest::to_text(definition));
  };
  WM_TRY(auto version,
         editions(AssetKind::Definition, project, definition.name).add(keeping, fill));
  return this->definition(project, definition.name, version);
}

std::vector<rest::Experiment> Assets::experiments(const std::string& project) const {
  std::vector<rest::Experiment> found;
  for (const auto& name : names_in(editions(AssetKind::Experiment, project, "").top()))
    if (auto one = experiment(project, name)) found.push_back(std::move(*one));
  return found;
}

Result<rest::Experiment> Assets::experiment(const std::string& project, const std::string& name,
                                            const std::string& version) const {
  auto versions = editions(AssetKind::Experiment, project, name);
  WM_TRY(auto found, read_version(versions, "experiment", name, version, rest::parse_experiment));
  if (auto runs = read_file(versions.top() + kRuns)) found.runs = runs_in(*runs);
  return found;
}

Result<rest::Experiment> Assets::keep(const std::string& project, rest::Experiment experiment,
                                      const Keeping& keeping) const {
  auto& pinned = experiment.definition_versions;
  if (pinned.size() > experiment.definitions.size())
    return fail(Code::BadArgument, "definition_versions: one for each definition is wanted");
  pinned.resize(experiment.definitions.size());
  for (std::size_t i = 0; i < pinned.size(); ++i) {
    WM_TRY(auto used, definition(project, experiment.definitions[i], pinned[i]));
    pinned[i] = used.edition.version;
  }
  auto own = editions(AssetKind::Experiment, project, experiment.name);
  auto fill = [&](const std::string& draft, const std::string& before) -> Result<void> {
    if (!before.empty()) WM_TRY(add_run(project, experiment.name, ""));
    experiment.runs.clear();  // they lie beside the versions
    experiment.edition = edition_of(keeping, "");
    return write_asset(draft + kManifest, rest::to_text(experiment));
  };
  WM_TRY(auto version, own.add(keeping, fill));
  return this->experiment(project, experiment.name, version);
}

Result<void> Assets::add_run(const std::string& project, const std::string& experiment,
                             const std::string& run) const {
  static std::mutex one_at_a_time;
  std::lock_guard hold(one_at_a_time);
  WM_TRY(auto found, this->experiment(project, experiment));
  if (!run.empty()) found.runs.push_back(run);
  auto top = editions(AssetKind::Experiment, project, experiment).top();
  return replace_file(top + kRuns, to_text(Json(found.runs)), 0600);
}

std::vector<rest::SavedModel> Assets::models(const std::string& owner) const {
  std::vector<rest::SavedModel> found;
  for (const auto& name : names_in(editions(AssetKind::Model, owner, "").top()))
    if (auto one = model(owner, name)) found.push_back(std::move(*one));
  return found;
}

Result<rest::SavedModel> Assets::model(const std::string& owner, const std::string& name,
                                       const std::string& version) const {
  return read_version(editions(AssetKind::Model, owner, name), "model", name, version,
                      rest::parse_model);
}

Result<std::string> Assets::package(const std::string& owner, const std::string& name,
                                    const std::string& version) const {
  if (!rest::is_asset_name(name)) return unknown_asset("model", name);
  WM_TRY(auto folder, editions(AssetKind::Model, owner, name).folder(version));
  return folder + kPackage;
}

Result<rest::SavedModel> Assets::keep(const std::string& owner, rest::SavedModel model,
                                      const std::string& package_folder,
                                      const Keeping& keeping) const {
  model.edition = edition_of(keeping, tree_hash(package_folder));
  auto fill = [&](const std::string& draft, const std::string&) -> Result<void> {
    WM_TRY(move_to(package_folder, draft + kPackage));
    return write_asset(draft + kManifest, rest::to_text(model));
  };
  WM_TRY(auto version, editions(AssetKind::Model, owner, model.name).add(keeping, fill));
  return this->model(owner, model.name, version);
}

std::vector<rest::Space> Assets::spaces() const {
  std::vector<rest::Space> found;
  for (const auto& name : names_in(top_))
    if (auto one = space(name)) found.push_back(std::move(*one));
  return found;
}

Result<rest::Space> Assets::space(const std::string& name) const {
  return read_asset("space", name, top_ + "/" + name + "/space.json", rest::parse_space);
}

Result<void> Assets::keep(const rest::Space& wanted, const Keeping& keeping) const {
  auto hold = hold_words();
  auto before = this->space(wanted.name);
  auto space = wanted;
  if (before) space.members = before->members;  // they have a row of their own
  auto known = before ? rest::to_text(*before) : "";
  WM_TRY(check_keeping("space " + space.name, known, rest::to_text(space), keeping));
  return write_asset(top_ + "/" + space.name + "/space.json", rest::to_text(space));
}

Result<rest::Space> Assets::share(const std::string& name,
                                  std::vector<rest::Member> members) const {
  auto hold = hold_words();
  WM_TRY(auto space, this->space(name));
  space.members = std::move(members);
  WM_TRY(write_asset(top_ + "/" + name + "/space.json", rest::to_text(space)));
  return space;
}

Result<void> Assets::remove_space(const std::string& name) const {
  auto held = models(name);
  if (!held.empty())
    return fail(Code::Conflict, "space " + name + " holds model " + held.front().name);
  return remove_folder("space", name, top_ + "/" + name);
}

Assets projects_of(const Site& site) { return Assets(site.results_root + "/projects"); }
Assets spaces_of(const Site& site) { return Assets(site.results_root + "/spaces"); }

std::string model_text(const Assets& assets, const std::string& holder,
                       const rest::SavedModel& model) {
  Json json = json_or_null(rest::to_text(model));
  auto package = assets.package(holder, model.name, model.edition.version);
  auto text = package ? read_file(*package + "/signature.json") : Result<std::string>("");
  auto signature = text ? json_or_null(*text) : Json();
  json["signature"] = signature.is_object() ? signature : Json::object();
  return to_text(json);
}

std::string tag_of_words(const std::string& text) { return hex(hash_of(text, 16)); }

Result<std::string> zip_model(const Assets& assets, const std::string& holder,
                              const std::string& model, const std::string& folder,
                              const std::string& version) {
  WM_TRY(assets.model(holder, model, version));
  WM_TRY(auto package, assets.package(holder, model, version));
  auto path = folder + "/model.zip";
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file.get() < 0) return fail(Code::System, path + ": " + std::strerror(errno));
  WM_TRY(zip_folder(fs::path(package).parent_path().string(), {}, file.get()));
  return path;
}

Result<std::string> file_hash(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(Code::NotFound, path + ": cannot be read");
  Hasher hasher;
  std::string block(256 << 10, '\0');
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    hasher.add(std::string_view(block).substr(0, static_cast<std::size_t>(in.gcount())));
  }
  if (in.bad()) return fail(Code::System, path + ": cannot be read");
  return hex(hasher.finish());
}

}  // namespace wm::user

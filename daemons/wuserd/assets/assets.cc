#include "daemons/wuserd/assets/assets.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/site/json_body.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "/manifest.json";

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

Error unknown_asset(const char* kind, const std::string& name) {
  return fail(Code::NotFound, std::string(kind) + " " + name + " does not exist");
}

template <class Asset>
Result<Asset> read_asset(const char* kind, const std::string& name, const std::string& path,
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

}  // namespace

std::string Assets::folder(const std::string& project, const char* kind,
                           const std::string& name) const {
  return top_ + "/" + project + "/" + kind + "/" + name;
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

Result<void> Assets::keep(const rest::Project& project) const {
  return write_asset(top_ + "/" + project.name + "/project.json", rest::to_text(project));
}

std::vector<rest::Definition> Assets::definitions(const std::string& project) const {
  std::vector<rest::Definition> found;
  for (const auto& name : names_in(folder(project, "definitions", "")))
    if (auto one = definition(project, name)) found.push_back(std::move(*one));
  return found;
}

Result<rest::Definition> Assets::definition(const std::string& project,
                                            const std::string& name) const {
  return read_asset("definition", name, folder(project, "definitions", name) + kManifest,
                    rest::parse_definition);
}

std::string Assets::code(const std::string& project, const std::string& definition) const {
  return folder(project, "definitions", definition) + "/code";
}

Result<void> Assets::keep(const std::string& project, const rest::Definition& definition,
                          const std::string& code_file) const {
  auto code_path = code(project, definition.name);
  std::error_code ec;
  fs::create_directories(fs::path(code_path).parent_path(), ec);
  if (!code_file.empty()) fs::rename(code_file, code_path, ec);
  if (ec) return fail(Code::System, code_path + ": " + ec.message());
  if (!fs::exists(code_path, ec))
    return fail(Code::BadArgument, "definition " + definition.name + ": its code is missing");
  return write_asset(folder(project, "definitions", definition.name) + kManifest,
                     rest::to_text(definition));
}

Result<void> Assets::remove_definition(const std::string& project, const std::string& name) const {
  for (const auto& experiment : experiments(project)) {
    const auto& used = experiment.definitions;
    if (std::find(used.begin(), used.end(), name) != used.end())
      return fail(Code::Conflict,
                  "definition " + name + " is used by experiment " + experiment.name);
  }
  return remove_folder("definition", name, folder(project, "definitions", name));
}

std::vector<rest::Experiment> Assets::experiments(const std::string& project) const {
  std::vector<rest::Experiment> found;
  for (const auto& name : names_in(folder(project, "experiments", "")))
    if (auto one = experiment(project, name)) found.push_back(std::move(*one));
  return found;
}

Result<rest::Experiment> Assets::experiment(const std::string& project,
                                            const std::string& name) const {
  return read_asset("experiment", name, folder(project, "experiments", name) + kManifest,
                    rest::parse_experiment);
}

Result<void> Assets::keep(const std::string& project, const rest::Experiment& experiment) const {
  for (const auto& name : experiment.definitions) WM_TRY(definition(project, name));
  return write_asset(folder(project, "experiments", experiment.name) + kManifest,
                     rest::to_text(experiment));
}

Result<void> Assets::remove_experiment(const std::string& project, const std::string& name) const {
  return remove_folder("experiment", name, folder(project, "experiments", name));
}

std::vector<rest::SavedModel> Assets::models(const std::string& owner) const {
  std::vector<rest::SavedModel> found;
  for (const auto& name : names_in(folder(owner, "models", "")))
    if (auto one = model(owner, name)) found.push_back(std::move(*one));
  return found;
}

Result<rest::SavedModel> Assets::model(const std::string& owner, const std::string& name) const {
  return read_asset("model", name, folder(owner, "models", name) + kManifest, rest::parse_model);
}

std::string Assets::package(const std::string& owner, const std::string& name) const {
  return folder(owner, "models", name) + "/package";
}

// The manifest last: without one there is no model.
Result<void> Assets::keep(const std::string& owner, const rest::SavedModel& model,
                          const std::string& package_folder) const {
  if (this->model(owner, model.name))
    return fail(Code::Conflict, "model " + model.name + " is in " + owner + " already");
  auto own = folder(owner, "models", model.name);
  std::error_code ec;
  fs::remove_all(own, ec);
  fs::create_directories(own, ec);
  if (!ec) fs::rename(package_folder, own + "/package", ec);
  if (ec) return fail(Code::System, own + ": " + ec.message());
  return write_asset(own + kManifest, rest::to_text(model));
}

Result<void> Assets::remove_model(const std::string& owner, const std::string& name) const {
  return remove_folder("model", name, folder(owner, "models", name));
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

Result<void> Assets::keep(const rest::Space& space) const {
  return write_asset(top_ + "/" + space.name + "/space.json", rest::to_text(space));
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
  auto text = read_file(assets.package(holder, model.name) + "/signature.json");
  auto signature = text ? json_or_null(*text) : Json();
  json["signature"] = signature.is_object() ? signature : Json::object();
  return to_text(json);
}

}  // namespace wm::user

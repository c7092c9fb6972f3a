#include "daemons/wuserd/files/editions.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/base/local_time.h"
#include "libwm/files/temp_folder.h"
#include "libwm/files/whole_file.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersionsFile = "/versions.json";
constexpr const char* kOldManifest = "/manifest.json";
constexpr std::array kOldParts{kOldManifest, "/code", "/package"};
constexpr const char* kRequest = "/request";

std::unique_lock<std::mutex> hold_editions() {
  static std::mutex one_at_a_time;
  return std::unique_lock(one_at_a_time);
}

bool is_there(const std::string& path) {
  std::error_code ec;
  return fs::exists(path, ec);
}

std::string name_at(const std::string& name, WallTime at) {
  return name + local_text(at, "-%Y%m%d-%H%M%S");
}

Error failed(const std::string& path, const std::error_code& ec) {
  return fail(Code::System, path + ": " + ec.message());
}

}  // namespace

bool tag_matches(const std::string& match, const std::string& version) {
  if (match.empty() || match == "*") return true;
  for (std::size_t at = 0; (at = match.find('"', at)) != match.npos;) {
    auto end = match.find('"', at + 1);
    if (end == match.npos) return false;
    auto tag = match.substr(at + 1, end - at - 1);
    if (tag.substr(0, tag.find(':')) == version) return true;
    at = end + 1;
  }
  return false;
}

std::string tag_of(const std::string& version, const std::string& more) {
  return "\"" + version + (more.empty() ? "" : ":" + more) + "\"";
}

Editions::Editions(std::string kind, std::string name, std::string folder, VersionNames names)
    : kind_(std::move(kind)), name_(std::move(name)), folder_(std::move(folder)), names_(names) {}

std::string Editions::old_name() const {
  struct stat facts {};
  if (::stat((folder_ + kOldManifest).c_str(), &facts) != 0) return "";
  return name_at(name_, std::chrono::time_point_cast<WallTime::duration>(
                            std::chrono::system_clock::from_time_t(facts.st_mtime)));
}

Result<serve::Versions> Editions::versions() const {
  auto text = read_file(folder_ + kVersionsFile);
  if (!text && text.error().code != Code::NotFound) return text.error();
  serve::Versions versions;
  if (!text) versions.present = old_name();
  else {
    auto json = json_or_null(*text);
    auto is_list = [&](const char* key) {
      return json.contains(key) && json[key].is_array() &&
             std::ranges::all_of(json[key], [](const Json& one) { return one.is_string(); });
    };
    bool fine = json.is_object() && json.value("version", Json()).is_string() &&
                is_list("earlier") && is_list("undone");
    if (!fine) return fail(Code::Damaged, folder_ + kVersionsFile + ": names no versions");
    using Names = std::vector<std::string>;
    versions = {json["version"].get<std::string>(), json["earlier"].get<Names>(),
                json["undone"].get<Names>()};
  }
  if (versions.present.empty()) return fail(Code::NotFound, what() + " does not exist");
  return versions;
}

Result<std::string> Editions::folder(const std::string& version) const {
  WM_TRY(auto known, versions());
  auto wanted = version.empty() ? known.present : version;
  if (serve::state_of(known, wanted).empty())
    return fail(Code::NotFound, what() + " has no version " + wanted.substr(0, 200));
  auto own = folder_ + "/" + wanted;
  bool old = !is_there(own) && is_there(folder_ + kOldManifest);
  return old ? folder_ : own;
}

Result<void> Editions::write(const serve::Versions& versions) const {
  Json json{
      {"version", versions.present}, {"earlier", versions.earlier}, {"undone", versions.undone}};
  return replace_file(folder_ + kVersionsFile, to_text(json, 2), 0600);
}

// What lies there without versions becomes one: its files have two names until it is written down.
Result<void> Editions::adopt() const {
  auto name = old_name();
  if (name.empty()) return {};
  std::error_code ec;
  if (!is_there(folder_ + kVersionsFile)) {
    WM_TRY(auto draft, TempFolder::make(folder_, ".new-"));
    for (const char* part : kOldParts)
      if (!ec && is_there(folder_ + part))
        fs::copy(folder_ + part, draft.path() + part,
                 fs::copy_options::recursive | fs::copy_options::create_hard_links, ec);
    if (!ec) fs::remove_all(folder_ + "/" + name, ec);
    if (!ec) fs::rename(draft.path(), folder_ + "/" + name, ec);
    if (ec) return failed(folder_ + "/" + name, ec);
    draft.keep();
    WM_TRY(write({name, {}, {}}));
  }
  for (const char* part : kOldParts) fs::remove_all(folder_ + part, ec);
  return {};
}

// What the versions are once this one is kept; of a repeated request, what they are.
Result<serve::Versions> Editions::next_of(const Keeping& keeping) const {
  auto known = versions();
  if (!known && known.error().code != Code::NotFound) return known.error();
  if (!known && keeping.next) return known.error();
  serve::Versions before = known ? *known : serve::Versions{};
  if (known && repeats(keeping)) return before;
  if (known && !keeping.next)
    return fail(Code::Conflict, what() + " exists (version " + before.present +
                                    "): " + keeping.way_out + " makes the next version of it");
  if (keeping.next && !tag_matches(keeping.match, before.present))
    return fail(Code::Stale, what() + " has another version meanwhile: " + before.present);
  if (serve::all_of(before).size() >= kMostVersions)
    return fail(Code::Limit, what() + " has " + std::to_string(kMostVersions) +
                                 " versions: delete some of them first");
  auto name = next_name(before, keeping.now);
  return serve::with_version(std::move(before), name);
}

// A number that was given is not given again.
std::string Editions::next_name(const serve::Versions& before, WallTime now) const {
  auto taken = [&](const std::string& name) { return is_there(folder_ + "/" + name); };
  if (names_ == VersionNames::Times) return serve::version_name(name_at(name_, now), taken);
  auto number = before.present.empty() ? 0 : serve::all_of(before).size();
  auto name = [&] { return "v" + std::to_string(number); };
  do ++number;
  while (taken(name()));
  return name();
}

Result<void> Editions::make(const std::string& version, const std::string& before,
                            const Keeping& keeping, const Fill& fill) const {
  WM_TRY(auto draft, TempFolder::make(folder_, ".new-"));
  WM_TRY(fill(draft.path(), before));
  if (!keeping.request.empty())
    WM_TRY(replace_file(draft.path() + kRequest, keeping.request, 0600));
  std::error_code ec;
  fs::rename(draft.path(), folder_ + "/" + version, ec);
  if (ec) return failed(folder_ + "/" + version, ec);
  draft.keep();
  return {};
}

Result<std::string> Editions::add(const Keeping& keeping, const Fill& fill) const {
  auto hold = hold_editions();
  WM_TRY(adopt());
  auto known = versions();
  std::string before;
  if (known) {
    WM_TRY(before, folder());
  }
  WM_TRY(auto next, next_of(keeping));
  if (known && next == *known) return next.present;  // the same request as before
  bool is_new = !is_there(folder_);
  std::error_code ec;
  fs::create_directories(folder_, ec);
  if (ec) return failed(folder_, ec);
  auto made = make(next.present, before, keeping, fill);
  if (made) made = write(next);
  if (made) return next.present;
  fs::remove_all(is_new ? folder_ : folder_ + "/" + next.present, ec);
  return made.error();
}

bool Editions::repeats(const Keeping& keeping) const {
  auto present = folder();
  if (keeping.request.empty() || !present) return false;
  auto made_by = read_file(*present + kRequest);
  return made_by && *made_by == keeping.request;
}

Result<void> Editions::go_back(const std::string& match) const {
  auto hold = hold_editions();
  WM_TRY(adopt());
  WM_TRY(auto known, versions());
  if (!tag_matches(match, known.present))
    return fail(Code::Stale, what() + " has another version meanwhile: " + known.present);
  WM_TRY(auto back, serve::gone_back(std::move(known), what()));
  return write(back);
}

// Out of the list first: what is listed is there.
Result<void> Editions::remove(const std::string& version) const {
  auto hold = hold_editions();
  WM_TRY(adopt());
  WM_TRY(auto known, versions());
  WM_TRY(auto rest, serve::without_version(std::move(known), version, what()));
  WM_TRY(write(rest));
  std::error_code ec;
  fs::remove_all(folder_ + "/" + version, ec);
  return ec ? Result<void>(failed(folder_ + "/" + version, ec)) : Result<void>();
}

Result<void> Editions::remove_all() const {
  auto hold = hold_editions();
  WM_TRY(versions());
  std::error_code ec;
  auto gone = fs::path(folder_).parent_path().string() + "/.gone-" + random_hex(8);
  fs::rename(folder_, gone, ec);  // at once: nobody sees a half of it
  if (!ec) fs::remove_all(gone, ec);
  return ec ? Result<void>(failed(folder_, ec)) : Result<void>();
}

}  // namespace wm::user

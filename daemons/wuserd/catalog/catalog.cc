#include "daemons/wuserd/catalog/catalog.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "libwm/conf/catalog_conf.h"
#include "libwm/files/whole_file.h"
#include "libwm/proc/accounts.h"
#include "libwm/rest/exec_words.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOwn = 100;

std::string own_file(const Site& site) { return site.own_dir + "/frameworks.conf"; }

std::mutex own_lock;

Result<std::vector<Framework>> shared_frameworks(const Site& site) {
  auto builtin = rest::frameworks();
  std::vector<Framework> known(builtin.begin(), builtin.end());
  WM_TRY(auto text, conf::text_of_file(site.conf_dir + "/frameworks.conf"));
  WM_TRY(conf::add_frameworks(text, "site", known));
  return known;
}

Result<std::vector<Framework>> own_frameworks(const Site& site) {
  WM_TRY(auto known, shared_frameworks(site));
  WM_TRY(auto text, conf::text_of_file(own_file(site)));
  WM_TRY(conf::add_frameworks(text, "user", known));
  std::erase_if(known, [](const Framework& f) { return f.origin != "user"; });
  return known;
}

Result<void> write_own(const Site& site, const std::vector<Framework>& own) {
  std::string text = "# Frameworks of your own; see frameworks.conf(5).\n";
  for (const auto& framework : own) {
    WM_TRY(auto section, conf::to_section(framework));
    text += section;
  }
  std::error_code ec;
  fs::create_directories(site.own_dir, ec);
  return replace_file(own_file(site), text, 0600);
}

// By its number where the name is not known here.
bool is_member(const std::string& group) {
  auto found = proc::group(group);
  if (!found) return false;
  gid_t wanted = found->gid;
  if (wanted == ::getegid()) return true;
  std::vector<gid_t> all(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
  int count = ::getgroups(static_cast<int>(all.size()), all.data());
  if (count < 0) return false;
  all.resize(static_cast<std::size_t>(count));
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

}  // namespace

Result<std::vector<Framework>> known_frameworks(const Site& site) {
  WM_TRY(auto known, shared_frameworks(site));
  WM_TRY(auto text, conf::text_of_file(own_file(site)));
  WM_TRY(conf::add_frameworks(text, "user", known));
  return known;
}

Result<std::vector<Volume>> known_volumes(const Site& site) {
  WM_TRY(auto text, conf::text_of_file(site.conf_dir + "/volumes.conf"));
  WM_TRY(auto all, conf::parse_volumes(text));
  std::erase_if(all, [](const Volume& volume) {
    return !volume.groups.empty() &&
           std::none_of(volume.groups.begin(), volume.groups.end(), is_member);
  });
  return all;
}

Result<Volume> volume_named(const Site& site, const std::string& name) {
  WM_TRY(auto all, known_volumes(site));
  for (auto& volume : all)
    if (volume.name == name) return std::move(volume);
  return fail(Code::NotFound, "storage volume '" + name + "' does not exist");
}

Result<std::vector<HardwareSpec>> known_hardware(const Site& site) {
  WM_TRY(auto text, conf::text_of_file(site.conf_dir + "/hwspecs.conf"));
  return conf::parse_hardware(text);
}

namespace {

Result<void> check_folder_of(const Volume& volume) {
  std::error_code ec;
  if (fs::is_directory(volume.path, ec)) return {};
  return fail(Code::Impossible,
              "storage volume '" + volume.name + "': its folder " + volume.path + " is not there");
}

}  // namespace

Result<void> check_data_place(const Site& site, const std::string& volume,
                              const std::string& path) {
  auto root = site.conf.dirs.data;
  if (!volume.empty()) {
    WM_TRY(auto found, volume_named(site, volume));
    WM_TRY(check_folder_of(found));
    root = found.path;
  }
  std::error_code ec;
  if (path.empty() || root.empty() || fs::exists(root + "/" + path, ec)) return {};
  auto where = volume.empty() ? "the cluster's data" : "storage volume '" + volume + "'";
  return fail(Code::NotFound, "data: there is no " + path + " on " + where);
}

Result<void> resolve_names(const Site& site, rest::ExecRequest& request) {
  if (!request.hardware.empty()) {
    WM_TRY(auto all, known_hardware(site));
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const auto& spec) { return spec.name == request.hardware; });
    if (found == all.end())
      return fail(Code::NotFound,
                  "hardware specification '" + request.hardware + "' does not exist");
    rest::use_hardware(*found, request);
  }
  if (request.volume.empty()) return {};
  WM_TRY(auto volume, volume_named(site, request.volume));
  WM_TRY(check_folder_of(volume));
  request.data_root = volume.path;
  return {};
}

Result<Framework> install_framework(const Site& site, const std::string& json) {
  std::lock_guard lock(own_lock);
  WM_TRY(auto known, known_frameworks(site));
  WM_TRY(auto framework, rest::parse_framework(json, known));
  for (const auto& other : known)
    if (other.name == framework.name && other.origin != "user")
      return fail(Code::Conflict, "framework " + other.name + " is there for everybody");
  WM_TRY(auto own, own_frameworks(site));
  std::erase_if(own, [&](const Framework& f) { return f.name == framework.name; });
  if (own.size() >= kMostOwn) return fail(Code::Limit, "more than 100 frameworks of your own");
  own.push_back(framework);
  WM_TRY(write_own(site, own));
  return framework;
}

Result<void> remove_framework(const Site& site, const std::string& name) {
  std::lock_guard lock(own_lock);
  WM_TRY(auto own, own_frameworks(site));
  if (std::erase_if(own, [&](const Framework& f) { return f.name == name; }) == 0)
    return fail(Code::NotFound, "you have no framework '" + name + "' of your own");
  return write_own(site, own);
}

}  // namespace wm::user

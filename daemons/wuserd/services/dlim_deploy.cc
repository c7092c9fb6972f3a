// A package becomes a service: upload on disk → unpacked → looked at → in its place.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "daemons/wuserd/files/unpack.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/services/packages.h"
#include "daemons/wuserd/services/runtimes.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/base/local_time.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/url.h"
#include "libwm/serve/package.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEarlier = 3;  // versions kept of those before, and of those undone
constexpr std::size_t kLongestPackage = std::size_t{64} << 30;

// Of version 4.
std::string fresh_uuid() {
  auto hex = random_hex(16);
  hex[12] = '4';
  hex[16] = "89ab"[static_cast<unsigned>(hex[16]) % 4];
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20);
}

std::string fresh_version(const std::string& folder, const std::string& name) {
  auto is_there = [&](const std::string& version) {
    std::error_code ec;
    return fs::exists(folder + "/" + version, ec);
  };
  return serve::version_name(name + local_text(wall_now(), "-%Y%m%d-%H%M%S"), is_there);
}

// The folder that holds model.json: the top, or the only one there is.
Result<std::string> find_package(const std::string& top) {
  std::error_code ec;
  if (fs::is_regular_file(top + "/model.json", ec)) return top;
  for (fs::directory_iterator at(top, ec), end; !ec && at != end; at.increment(ec))
    if (fs::is_regular_file(at->path() / "model.json", ec)) return at->path().string();
  return fail(Code::BadArgument, "the package has no model.json");
}

Result<serve::Model> read_package(Site& site, const std::string& package) {
  WM_TRY(auto text, read_file(package + "/model.json"));
  WM_TRY(auto model, serve::read_model(text));
  std::error_code ec;
  for (const auto& file : {std::string("README.md"), model.kernel_path})
    if (!fs::is_regular_file(package + "/" + file, ec))
      return fail(Code::BadArgument, "the package has no " + file);
  WM_TRY(find_runtime(site, model.runtime));
  return model;
}

Result<void> move(const std::string& from, const std::string& to) {
  std::error_code ec;
  fs::rename(from, to, ec);
  return ec ? Result<void>(fail(Code::System, to + ": " + ec.message())) : Result<void>();
}

// What a new service has before its first version.
Result<void> create_service(const Site& site, const std::string& folder, const serve::Model& model,
                            const Placing& placing) {
  auto given = placing.profile;
  if (auto own = read_file(placing.package + "/profile.json"); own && given.empty()) given = *own;
  WM_TRY(serve::check_keys(given));
  given = serve::with_warm(given, default_warm(placing.package, model));
  WM_TRY(auto profile, serve::read_profile(model.name, site.user, given, wall_now()));
  std::error_code ec;
  fs::create_directories(folder + "/log", ec);
  if (ec) return fail(Code::System, folder + ": " + ec.message());
  WM_TRY(replace_file(folder + "/key", random_bytes(32), 0600));
  return replace_file(folder + "/profile.json", profile.text, 0600);
}

Error deployed_already(const std::string& name) {
  return fail(Code::Conflict, "model " + name + " is deployed already: undeploy it first");
}

Result<ServiceRecord> next_record(Site& site, const serve::Model& model, bool again) {
  auto old = find_service(site, model.name);
  if (old && !again) return deployed_already(model.name);
  if (!old && again) return old.error();
  ServiceRecord record;
  if (old) {
    WM_TRY(auto job, service_job(site, *old));
    if (job) return fail(Code::Conflict, "model " + model.name + " is started: stop it first");
    record = old->record;
  }
  if (record.uid.empty()) record.uid = fresh_uuid();
  if (record.created == 0) record.created = now_s();
  record.updated = now_s();
  auto folder = site.results_root + "/services/" + model.name;
  record.versions = with_version(record.versions, fresh_version(folder, model.name));
  return record;
}

}  // namespace

std::uint32_t default_warm(const std::string& package, const serve::Model& model) {
  constexpr std::uint32_t kOfTorch = 4;
  auto kernel = read_file(package + "/" + model.kernel_path);
  return kernel && serve::is_torch(*kernel, model.framework) ? kOfTorch : 0;
}

Scratch::Scratch(const Site& site) : path(site.results_root + "/services/.new-" + random_hex(8)) {
  std::error_code ec;
  fs::create_directories(path + "/package", ec);
}

Scratch::~Scratch() {
  std::error_code ec;
  fs::remove_all(path, ec);
}

Result<DlimService> place_package(Site& site, const Placing& placing) {
  WM_TRY(auto model, read_package(site, placing.package));
  bool again = !placing.next_of.empty();
  if (again && model.name != placing.next_of)
    return fail(Code::BadArgument,
                "model.json: name: '" + model.name + "' is not " + placing.next_of);
  auto hold = hold_services();
  WM_TRY(auto record, next_record(site, model, again));
  record.space = placing.space;
  record.model = placing.model;
  auto folder = site.results_root + "/services/" + model.name;
  if (!again) WM_TRY(create_service(site, folder, model, placing));
  WM_TRY(move(placing.package, folder + "/" + record.versions.present));
  auto old = serve::outdated(record.versions, kEarlier);
  WM_TRY(keep_record(folder, record));
  std::error_code ec;
  for (const auto& version : old) fs::remove_all(folder + "/" + version, ec);
  return find_service(site, model.name);
}

Result<void> receive_package(http::Exchange& exchange, const std::string& path) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  std::string block(256 << 10, '\0');
  std::size_t size = 0;
  for (;;) {
    WM_TRY(auto n, exchange.read(block.data(), block.size()));
    if (n == 0) break;
    size += n;
    if (size > kLongestPackage) return fail(Code::Limit, "the package is longer than 64 GiB");
    out.write(block.data(), static_cast<std::streamsize>(n));
  }
  out.close();
  if (size == 0)
    return fail(Code::BadArgument, "no package came: a tar.gz of its folder is wanted");
  if (out.fail()) return fail(Code::System, "the package cannot be written");
  return {};
}

namespace {

// Clients that say the name beforehand need not send the package in vain.
Result<void> check_not_deployed(Site& site, const std::string& name) {
  if (name.empty() || !find_service(site, name)) return {};
  return deployed_already(name);
}

}  // namespace

Result<DlimService> deploy_service(Call& call, const std::string& name) {
  auto told = rest::unescaped(call.exchange.head().field("x-model-name"));
  if (name.empty()) WM_TRY(check_not_deployed(call.site, told));
  Scratch scratch(call.site);
  WM_TRY(receive_package(call.exchange, scratch.path + "/archive"));
  auto unpacked = unpack(scratch.path + "/archive", scratch.path + "/package");
  if (!unpacked) return fail(Code::BadArgument, unpacked.error().text);  // not: there is no model
  Placing placing;
  WM_TRY(placing.package, find_package(scratch.path + "/package"));
  placing.next_of = name;
  return place_package(call.site, placing);
}

Result<DlimService> register_service(Site& site, const std::string& text) {
  WM_TRY(auto model, serve::read_model(text));
  WM_TRY(check_not_deployed(site, model.name));
  std::error_code ec;
  if (!model.model_path.starts_with('/') || !fs::is_directory(model.model_path, ec))
    return fail(Code::BadArgument, "model_path: '" + model.model_path +
                                       "': the folder of the package on this host is wanted");
  Scratch scratch(site);
  Placing placing;
  placing.package = scratch.path + "/package";
  WM_TRY(copy_folder(model.model_path, placing.package));
  auto json = json_or_null(model.text);
  json["model_path"] = "";  // it is its own package from now on
  WM_TRY(replace_file(placing.package + "/model.json", to_text(json, 2), 0600));
  return place_package(site, placing);
}

Result<void> undeploy_service(Site& site, const DlimService& service) {
  auto hold = hold_services();
  WM_TRY(auto there, job_there(site, service.record.job));
  if (there && !there->is_held())
    return fail(Code::Conflict, "The model cannot be removed if it's started.");
  if (there) {
    WM_TRY(auto master, site.masters.take());
    KillRequest request;
    request.jobs.ids = {there->job};
    WM_TRY(master->ask(request));
  }
  std::error_code ec;
  fs::remove_all(service.folder, ec);
  return ec ? Result<void>(fail(Code::System, service.folder + ": " + ec.message()))
            : Result<void>();
}

}  // namespace wm::user

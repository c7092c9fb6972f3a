#include "daemons/wuserd/data/connections.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "libwm/base/json.h"
#include "libwm/conf/catalog_conf.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/assets.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

using rest::Connection;
using Connections = std::vector<Connection>;

constexpr const char* kKeys = "/keys.conf";
constexpr const char* kEdited = "edited";  // version of what was written by hand since
constexpr const char* kSecret = "***";     // as shown_json has it

std::unique_lock<std::mutex> hold_connections() {
  static std::mutex one_at_a_time;
  return std::unique_lock(one_at_a_time);
}

Error no_connection(const std::string& name) {
  return fail(Code::NotFound, "connection " + name.substr(0, 200) + " does not exist");
}

Editions editions_of(const Site& site, const std::string& name) {
  return {"connection", name, site.own_dir + "/connections/" + name};
}

Result<void> write_connections(const Site& site, const Connections& all) {
  std::error_code ec;
  fs::create_directories(site.own_dir, ec);
  return replace_file(connections_file(site), rest::to_text(all), 0600);
}

Result<Connection> present_of(const Site& site, const std::string& name) {
  WM_TRY(auto all, own_connections(site));
  auto found = std::ranges::find(all, name, &Connection::name);
  if (!rest::is_asset_name(name) || found == all.end()) return no_connection(name);
  return *found;
}

Result<Connection> connection_at(const std::string& folder, const std::string& name) {
  WM_TRY(auto text, read_file(folder + kKeys));
  auto all = rest::parse_connections(text);
  if (all.size() != 1) return fail(Code::Damaged, folder + kKeys + ": holds no connection");
  all.front().name = name;
  return all.front();
}

// Of the present one; "edited" where the newest kept one says something else.
std::string present_version(const Site& site, const Connection& present) {
  auto editions = editions_of(site, present.name);
  auto versions = editions.versions();
  auto folder = editions.folder();
  if (!versions || !folder) return kEdited;
  auto kept = connection_at(*folder, present.name);
  return kept && *kept == present ? versions->present : kEdited;
}

Result<std::string> add_version(const Site& site, const Connection& connection, Keeping keeping) {
  auto editions = editions_of(site, connection.name);
  keeping.next = static_cast<bool>(editions.versions());
  keeping.match.clear();  // has been looked at
  return editions.add(keeping, [&](const std::string& draft, const std::string&) {
    return replace_file(draft + kKeys, rest::to_text(Connections{connection}), 0600);
  });
}

// What was written by hand is kept before it goes.
Result<void> keep_edited(const Site& site, const Connection& present, const Keeping& keeping) {
  if (present_version(site, present) != kEdited) return {};
  auto own = keeping;
  own.request.clear();
  WM_TRY(add_version(site, present, own));
  return {};
}

ShownConnection shown(const Connection& connection, const std::string& version) {
  auto json = json_or_null(rest::shown_json(connection));
  json["version"] = version;
  return {to_text(json), version};
}

Result<void> put_present(const Site& site, const Connection& connection) {
  WM_TRY(auto all, own_connections(site));
  auto at = std::ranges::find(all, connection.name, &Connection::name);
  if (at == all.end()) all.push_back(connection);
  else *at = connection;
  return write_connections(site, all);
}

// Nothing: the same request has kept it before.
Result<std::optional<Connection>> next_connection(const Site& site, Connection wanted,
                                                  const Keeping& keeping) {
  auto present = present_of(site, wanted.name);
  auto what = "connection " + wanted.name;
  if (!present && keeping.next) return present.error();
  if (!present) return std::optional(std::move(wanted));
  if (editions_of(site, wanted.name).repeats(keeping)) return std::optional<Connection>();
  auto version = present_version(site, *present);
  if (!keeping.next)
    return fail(Code::Conflict, what + " exists (version " + version + "): " + keeping.way_out +
                                    " makes the next version of it");
  if (!tag_matches(keeping.match, version))
    return fail(Code::Stale, what + " has another version meanwhile: " + version);
  for (auto& [key, value] : wanted.keys)
    if (auto old = present->keys.find(key); value == kSecret && old != present->keys.end())
      value = old->second;
  WM_TRY(keep_edited(site, *present, keeping));
  return std::optional(std::move(wanted));
}

}  // namespace

std::string connections_file(const Site& site) { return site.own_dir + "/connections.conf"; }

Result<Connections> own_connections(const Site& site) {
  WM_TRY(auto text, conf::text_of_file(connections_file(site)));
  return rest::parse_connections(text);
}

Result<std::vector<ShownConnection>> shown_connections(const Site& site) {
  WM_TRY(auto all, own_connections(site));
  std::vector<ShownConnection> found;
  for (const auto& one : all) found.push_back(shown(one, present_version(site, one)));
  return found;
}

Result<ShownConnection> shown_connection(const Site& site, const std::string& name,
                                         const std::string& version) {
  WM_TRY(auto present, present_of(site, name));
  auto now = present_version(site, present);
  if (version.empty() || version == now) return shown(present, now);
  WM_TRY(auto folder, editions_of(site, name).folder(version));
  WM_TRY(auto kept, connection_at(folder, name));
  return shown(kept, version);
}

Result<std::string> connection_versions(const Site& site, const std::string& name) {
  WM_TRY(auto present, shown_connection(site, name));
  auto editions = editions_of(site, name);
  auto known = editions.versions();
  Json found = Json::array();
  if (!known || known->present != present.version) {
    found.push_back(json_or_null(present.json));
    found.back()["state"] = "present";
  }
  for (const auto& version : known ? serve::all_of(*known) : std::vector<std::string>()) {
    auto one = shown_connection(site, name, version);
    if (!one) continue;  // taken away meanwhile
    found.push_back(json_or_null(one->json));
    bool is_past = version == known->present && version != present.version;
    found.back()["state"] = is_past ? "earlier" : std::string(serve::state_of(*known, version));
  }
  return to_text({{"versions", found}});
}

Result<ShownConnection> keep_connection(const Site& site, const std::string& json,
                                        const Keeping& keeping) {
  WM_TRY(auto connection, rest::parse_connection(json));
  auto hold = hold_connections();
  WM_TRY(auto next, next_connection(site, connection, keeping));
  if (next) {
    WM_TRY(add_version(site, *next, keeping));
    WM_TRY(put_present(site, *next));
  }
  return shown_connection(site, connection.name);
}

Result<ShownConnection> take_connection_back(const Site& site, const std::string& name,
                                             const std::string& match) {
  auto hold = hold_connections();
  WM_TRY(auto present, present_of(site, name));
  auto version = present_version(site, present);
  if (!tag_matches(match, version))
    return fail(Code::Stale, "connection " + name + " has another version meanwhile: " + version);
  Keeping keeping;
  keeping.user = site.user;
  keeping.now = wall_now();
  WM_TRY(keep_edited(site, present, keeping));
  auto editions = editions_of(site, name);
  WM_TRY(editions.go_back(""));
  WM_TRY(auto folder, editions.folder());
  WM_TRY(auto kept, connection_at(folder, name));
  WM_TRY(put_present(site, kept));
  return shown_connection(site, name);
}

Result<void> remove_connection(const Site& site, const std::string& name) {
  auto hold = hold_connections();
  WM_TRY(present_of(site, name));
  WM_TRY(auto all, own_connections(site));
  std::erase_if(all, [&](const auto& other) { return other.name == name; });
  WM_TRY(write_connections(site, all));
  auto gone = editions_of(site, name).remove_all();
  return gone || gone.error().code == Code::NotFound ? Result<void>() : gone;
}

Result<void> remove_connection_version(const Site& site, const std::string& name,
                                       const std::string& version) {
  auto hold = hold_connections();
  WM_TRY(auto present, present_of(site, name));
  if (version == present_version(site, present))
    return fail(Code::Conflict, "version " + version + " is the present one of connection " + name);
  return editions_of(site, name).remove(version);
}

}  // namespace wm::user

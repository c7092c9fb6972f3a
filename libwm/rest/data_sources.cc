#include "libwm/rest/data_sources.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "libwm/base/excerpt.h"
#include "libwm/base/json.h"
#include "libwm/rest/assets.h"
#include "libwm/rest/json_text.h"
#include "libwm/rest/space_roles.h"

namespace wm::rest {
namespace {

constexpr std::size_t kLongestValue = 8192;
/// The keys of one type, and no others: a free one would reach options of rclone and of drivers
/// that run programs, read files or take the host's own credentials.
/// commands/fetching/connections.py has the same table, which test/unit/commands/wmfetch_test.py
/// compares.
struct TypeKeys {
  std::string_view type, keys;
};
constexpr TypeKeys kTypes[] = {
    {"s3",
     "provider endpoint region location_constraint access_key_id secret_access_key "
     "session_token force_path_style v2_auth bucket"},
    {"cos",
     "endpoint region location_constraint access_key_id secret_access_key session_token "
     "force_path_style v2_auth bucket"},
    {"azureblob", "account key sas_url endpoint tenant client_id client_secret bucket"},
    {"adls", "account key sas_url endpoint tenant client_id client_secret bucket"},
    {"azurefiles", "host port user pass domain bucket"},
    {"smb", "host port user pass domain bucket"},
    {"webdav", "url user pass vendor bearer_token bucket"},
    {"sftp", "host port user pass key_pem key_file known_hosts_file bucket"},
    {"ftp", "host port user pass tls explicit_tls bucket"},
    {"http", "url bucket"},
    {"gcs",
     "project_number service_account_credentials service_account_file location anonymous "
     "bucket"},
    {"postgresql", "host server port database user password SSLmode"},
    {"mysql", "host server port database user password"},
    {"mariadb", "host server port database user password"},
    {"singlestore", "host server port database user password"},
    {"sqlserver", "host server port database user password driver Encrypt TrustServerCertificate"},
    {"db2", "host server port database user password driver Protocol Security"},
    {"db2zos", "host server port database user password driver Protocol Security"},
    {"db2warehouse", "host server port database user password driver Protocol Security"},
    {"oracle", "host server port database user password driver DBQ"},
    {"netezza", "host server port database user password driver"},
    {"teradata", "host server port database user password driver DBCName"},
    {"snowflake", "host server port database user password driver Warehouse Schema Role"},
    {"hive", "host server port database user password driver AuthMech SSL Schema"},
    {"odbc", "host server port database user password driver Schema"},
    {"mongodb", "host port database user password authSource replicaSet tls"},
    {"cassandra", "host port keyspace user password tls"},
    {"cloudant", "url database user password apikey token_url"},
    {"cognos", "url user password namespace"},
};
// What may be shown: everything else could be a secret.
constexpr std::string_view kShown[] = {"endpoint", "url",     "region",   "provider", "host",
                                       "server",   "port",    "user",     "database", "driver",
                                       "bucket",   "account", "share",    "domain",   "vendor",
                                       "keyspace", "tls",     "namespace"};

Result<std::string_view> keys_of(std::string_view type) {
  for (const auto& row : kTypes)
    if (row.type == type) return row.keys;
  std::string all;
  for (const auto& row : kTypes) all += " " + std::string(row.type);
  return fail(Code::BadArgument, "type: one of" + all + " is wanted");
}

bool is_listed(std::string_view keys, std::string_view key) {
  while (!keys.empty()) {
    auto word = keys.substr(0, keys.find(' '));
    if (word == key) return true;
    keys.remove_prefix(std::min(word.size() + 1, keys.size()));
  }
  return false;
}

// The name of a registered driver: a path would load any file as one.
Result<void> check_keys(const Connection& connection) {
  WM_TRY(auto keys, keys_of(connection.type));
  for (const auto& [key, value] : connection.keys)
    if (!is_listed(keys, key))
      return fail(Code::BadArgument, "connection: " + excerpt(key, 64) + ": not a key of " +
                                         connection.type + ", which has " + std::string(keys));
  auto driver = connection.keys.find("driver");
  if (driver != connection.keys.end() && driver->second.find_first_of("/{};=") != std::string::npos)
    return fail(Code::BadArgument, "connection: driver: the name of an installed one is wanted");
  return {};
}

std::string first_text_in(const Json& object, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (object.is_object() && object.contains(name) && object[name].is_string())
      return object[name].get<std::string>();
  return "";
}

// Of what is named by its project: a data asset, or a connection.
std::string project_in(const Json& item) {
  if (!item.is_object()) return "";
  for (const char* kind : {"asset", "connection"})
    if (item.contains(kind))
      if (auto project = first_text_in(item[kind], {"project"}); !project.empty()) return project;
  return "";
}

// Files of a data asset, where they lie.
bool is_upload(const Json& item) {
  return first_text_in(item, {"type"}) == "data_asset" && !first_text_in(item, {"folder"}).empty();
}

Result<Json> source_of(const Json& item, std::size_t number) {
  if (is_upload(item)) return Json{{"folder", first_text_in(item, {"folder"})}};
  auto name = first_text_in(item["connection"], {"name", "id"});
  if (!is_asset_name(name))
    return fail(Code::BadArgument, "dataSource: connection.name: a name is wanted");
  auto location = item.contains("location") ? item["location"] : Json::object();
  auto query = first_text_in(location, {"query", "sql"});
  auto path = first_text_in(location, {"path", "paths", "file_name"});
  if (auto bucket = first_text_in(location, {"bucket", "container"}); !bucket.empty())
    path = path.empty() ? bucket : bucket + "/" + path;
  if (query.empty() && path.empty())
    return fail(Code::BadArgument, "dataSource: location: a path, a bucket or a query is wanted");
  Json source{{"connection", name}};
  if (query.empty()) {
    source["path"] = path;
    return source;
  }
  auto file = first_text_in(location, {"name"});
  if (!file.empty() && !is_asset_name(file))
    return fail(Code::BadArgument, "dataSource: location.name: no name of a file");
  source["query"] = query;
  source["name"] = file.empty() ? "query" + std::to_string(number) : file;
  return source;
}

// Where it is brought to. IBM's pages call the places worker local, worker shared and storage
// volume.
Result<void> read_staging(const Json& item, DataWish& wish) {
  auto where = first_text_in(item, {"staging"}), volume = first_text_in(item, {"volume"});
  if (where != "" && where != "shared" && where != "local" && where != "volume")
    return fail(Code::BadArgument, "dataSource: staging: shared, local or volume is wanted");
  if ((where == "volume") == volume.empty())
    return fail(Code::BadArgument,
                "dataSource: volume: the name of a storage volume, with staging volume");
  if (where != "local" && where != "volume") return {};
  auto place = where == "local" ? Staging::Local : Staging::Volume;
  if (wish.staging != Staging::Shared && (wish.staging != place || wish.volume != volume))
    return fail(Code::BadArgument, "dataSource: staging: two places are named; one is wanted");
  wish.staging = place;
  wish.volume = volume;
  return {};
}

// What is told is what it was when it was asked for.
Json resolved_location(const DataAsset& asset) {
  Json location = Json::object();
  if (!asset.path.empty()) location["path"] = asset.path;
  if (!asset.query.empty()) location["query"] = asset.query;
  if (!asset.file.empty()) location["name"] = asset.file;
  return location;
}

std::string trimmed(std::string_view text) {
  auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == text.npos ? "" : std::string(text.substr(first, last - first + 1));
}

}  // namespace

Result<std::optional<AssetNamed>> asset_named(std::string_view text) {
  auto item = json_or_null(text);
  if (first_text_in(item, {"type"}) != "data_asset") return std::optional<AssetNamed>();
  auto asset = item.contains("asset") ? item["asset"] : Json();
  AssetNamed named;
  named.name = first_text_in(asset, {"name", "id"});
  if (auto project = first_text_in(asset, {"project"}); !project.empty()) named.project = project;
  if (!is_asset_name(named.name))
    return fail(Code::BadArgument, "dataSource: asset.name: a name is wanted");
  auto version = asset.contains("version") ? asset["version"] : Json(0);
  if (!version.is_number_integer() || version < 0)
    return fail(Code::BadArgument, "dataSource: asset.version: a number from 1 is wanted");
  named.version = version.get<std::int64_t>();
  return std::optional(named);
}

std::string resolved_item(std::string_view text, const AssetNamed& named, const DataAsset& asset,
                          const std::string& folder) {
  auto item = json_or_null(text);
  Json made{
      {"type", "data_asset"},
      {"asset", {{"project", named.project}, {"name", asset.name}, {"version", asset.version}}}};
  if (asset.connection.empty()) {
    made["folder"] = folder;
  } else {
    made["connection"] = {{"name", asset.connection}};
    made["location"] = resolved_location(asset);
  }
  for (const char* key : {"staging", "volume"})
    if (item.contains(key)) made[key] = item[key];
  return wm::to_text(made);
}

Result<std::string> shared_project_of(const std::vector<std::string>& items) {
  std::string project;
  std::size_t shared = 0;
  for (const auto& text : items) {
    auto item = json_or_null(text);
    auto of = project_in(item);
    if (!is_of_other(of)) continue;
    if (!project.empty() && of != project)
      return fail(Code::BadArgument, "dataSource: " + excerpt(project, 64) + " and " +
                                         excerpt(of, 64) + ": data of one project is wanted");
    auto staging = first_text_in(item, {"staging"});
    if (staging != "" && staging != "shared")
      return fail(Code::BadArgument, "dataSource: staging " + excerpt(staging, 64) + ": data of " +
                                         excerpt(of, 64) + " is brought to where all hosts see it");
    project = of;
    ++shared;
  }
  if (shared == 0 || shared == items.size()) return project;
  return fail(Code::BadArgument, "dataSource: data of " + excerpt(project, 64) +
                                     " and other data: one of them is wanted");
}

Result<std::vector<std::string>> items_of_owner(const std::vector<std::string>& items,
                                                const std::string& project) {
  std::vector<std::string> own;
  for (const auto& text : items) {
    auto item = json_or_null(text);
    if (first_text_in(item, {"type"}) == "data_asset") {
      WM_TRY(auto named, asset_named(text));
      Json asset{{"project", project}, {"name", named->name}};
      if (named->version > 0) asset["version"] = named->version;
      own.push_back(wm::to_text(Json{{"type", "data_asset"}, {"asset", asset}}));
      continue;
    }
    auto name = item.is_object() && item.contains("connection")
                    ? first_text_in(item["connection"], {"name", "id"})
                    : "";
    if (name.empty())
      return fail(Code::BadArgument, "dataSource: a data asset or a connection is wanted");
    Json plain{{"type", "connection_asset"}, {"connection", {{"name", name}}}};
    if (item.contains("location")) plain["location"] = item["location"];
    own.push_back(wm::to_text(plain));
  }
  return own;
}

std::vector<std::string> connections_in(const DataWish& wish) {
  std::vector<std::string> names;
  for (const auto& source : wish.sources)
    if (auto name = first_text_in(json_or_null(source), {"connection"}); !name.empty())
      names.push_back(std::move(name));
  return names;
}

bool asks_by_query(std::string_view type) {
  constexpr std::string_view kStores =
      " s3 cos azureblob adls azurefiles smb webdav sftp ftp http gcs ";
  return kStores.find(" " + std::string(type) + " ") == kStores.npos;
}

std::string folder_of(const DataWish& wish) {
  if (wish.sources.size() != 1 || wish.staging != Staging::Shared) return "";
  return first_text_in(json_or_null(wish.sources.front()), {"folder"});
}

Result<DataWish> data_wish(const std::vector<std::string>& items) {
  DataWish wish;
  for (const auto& text : items) {
    auto item = json_or_null(text);
    bool is_known = item.is_object() && (item.contains("connection") || is_upload(item));
    if (!is_known) {
      auto type = item.is_object() ? first_text_in(item, {"type"}) : "";
      if (type.empty() || type == "fs" || type == "volume") continue;
      return fail(Code::BadArgument, "dataSource: type '" + type.substr(0, 64) +
                                         "' without a connection: fs is wanted");
    }
    WM_TRY(auto source, source_of(item, wish.sources.size() + 1));
    WM_TRY(read_staging(item, wish));
    wish.sources.push_back(wm::to_text(source));
  }
  return wish;
}

Result<Connection> parse_connection(std::string_view text) {
  auto json = text.size() > (64 << 10) ? Json() : json_or_null(text);
  if (!json.is_object()) return fail(Code::BadArgument, "connection: a JSON object is wanted");
  Connection connection;
  for (const auto& [key, value] : json.items()) {
    auto plain = value.is_string()           ? value.get<std::string>()
                 : value.is_number_integer() ? wm::to_text(value)
                                             : std::string("\n");
    if (plain.size() > kLongestValue || plain.find_first_of("\r\n") != plain.npos ||
        plain.find('\0') != plain.npos || plain != trimmed(plain))
      return fail(Code::BadArgument, "connection: " + excerpt(key, 64) + ": a text is wanted");
    if (key == "name") connection.name = plain;
    else if (key == "type") connection.type = plain;
    else if (key == "version" || key == "state") continue;  // as it was shown
    else connection.keys[key] = plain;
  }
  if (!is_asset_name(connection.name))
    return fail(Code::BadArgument, "name: letters, digits, '.', '_' and '-' are wanted");
  WM_TRY(check_keys(connection));
  return connection;
}

Result<void> test_outcome(std::string_view progress) {
  auto json = json_or_null(progress);
  auto state = first_text_in(json, {"state"});
  if (state == "done") return {};
  auto why = state == "failed" ? first_text_in(json, {"error"}) : "";
  return fail(Code::Unavailable, why.substr(0, 2000));
}

std::vector<Connection> parse_connections(std::string_view text) {
  std::vector<Connection> all;
  std::istringstream lines{std::string(text)};
  for (std::string raw; std::getline(lines, raw);) {
    auto line = trimmed(raw);
    auto equals = line.find('=');
    if (line.empty() || line[0] == '#') continue;
    if (line.front() == '[' && line.back() == ']') {
      all.push_back({line.substr(1, line.size() - 2), "", {}});
    } else if (!all.empty() && equals != line.npos) {
      auto key = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
      if (key == "type") all.back().type = value;
      else all.back().keys[key] = value;
    }
  }
  return all;
}

std::string to_text(const std::vector<Connection>& connections) {
  std::string text = "# Connections of your own; mode 0600. See wmfetch(1).\n";
  for (const auto& connection : connections) {
    text += "[" + connection.name + "]\ntype = " + connection.type + "\n";
    for (const auto& [key, value] : connection.keys) text += key + " = " + value + "\n";
  }
  return text;
}

std::string shown_json(const Connection& connection) {
  Json json{{"name", connection.name}, {"type", connection.type}};
  for (const auto& [key, value] : connection.keys) {
    bool shown = std::find(std::begin(kShown), std::end(kShown), key) != std::end(kShown);
    json[key] = shown ? value : "***";
  }
  return wm::to_text(json);
}

}  // namespace wm::rest

// The rows of /api/v1 about data assets: references to data, by name, in a project.
#include <nlohmann/json.hpp>

#include "daemons/wuserd/data/data_assets.h"
#include "daemons/wuserd/data/routes.h"
#include "daemons/wuserd/site/keeping.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/json.h"
#include "libwm/files/temp_folder.h"

namespace wm::user {
namespace {

constexpr std::size_t kMostListed = 1000;

// What a client reads: where files lie is nobody's.
Json shown_asset(const rest::DataAsset& asset) {
  auto json = json_or_null(rest::to_text(asset));
  json.erase("stored");
  json["kind"] = asset.connection.empty() ? "upload" : "connection";
  return json;
}

Result<Answer> list_data(Call& call) {
  WM_TRY(auto all, data_assets(call.site, call.args[0]));
  Json list = Json::array();
  for (const auto& asset : all) list.push_back(shown_asset(asset));
  return json_reply(to_text(Json{{"data", list}}));
}

Result<std::int64_t> version_asked(const Call& call) {
  auto text = call.target.value("version");
  if (text.empty()) return std::int64_t{0};
  auto json = json_or_null(text);
  if (json.is_number_integer() && json > 0) return json.get<std::int64_t>();
  return fail(Code::BadArgument,
              "version: '" + text.substr(0, 64) + "': a number from 1 is wanted");
}

Result<Answer> show_data(Call& call) {
  WM_TRY(auto version, version_asked(call));
  WM_TRY(auto asset, data_asset(call.site, call.args[0], call.args[1], version));
  auto json = shown_asset(asset);
  json["content"] = Json::array();
  for (const auto& file : files_of(call.site, call.args[0], asset, kMostListed))
    json["content"].push_back({{"path", file.path}, {"size", file.size}});
  auto reply = json_reply(to_text(json));
  reply->fields.emplace_back("ETag", tag_of("v" + std::to_string(asset.version)));
  return reply;
}

// Fields data, unpack and file; `name`: of the address, or none.
Result<NewData> data_in(Call& call, const std::string& folder, const std::string& name) {
  WM_TRY(auto upload, receive(call.exchange, folder));
  auto said = upload.fields.find("data");
  if (said == upload.fields.end())
    return fail(Code::BadArgument, "data: the data asset as JSON is wanted");
  auto json = json_or_null(said->second);
  if (json.is_object() && !name.empty() && json.value("name", Json(name)) != name)
    return fail(Code::BadArgument, "name: it is " + name + " by the address");
  if (json.is_object() && !name.empty()) json["name"] = name;
  NewData data;
  WM_TRY(data.asset, rest::parse_data_asset(json.is_object() ? to_text(json) : said->second));
  auto unpack = upload.fields.find("unpack");
  data.unpacked = unpack != upload.fields.end() && unpack->second == "yes";
  data.by_guest = !call.guest.empty();
  data.upload = std::move(upload);
  return data;
}

Answer data_reply(const rest::DataAsset& asset, int status = 200) {
  auto reply = json_reply(to_text(shown_asset(asset)), status);
  reply->fields.emplace_back("ETag", tag_of("v" + std::to_string(asset.version)));
  return reply;
}

// As who asks calls it.
Result<void> say_how(const Call& call, NewData& data) {
  auto project = (call.guest.empty() ? "" : call.site.user + "~") + call.args[0];
  auto address = "/api/v1/projects/" + project + "/data/" + data.asset.name;
  WM_TRY(data.keeping, keeping_of(call, address));
  return {};
}

Result<Answer> make_data(Call& call) {
  WM_TRY(auto folder, TempFolder::make(call.site.records.incoming(), "upload-"));
  WM_TRY(auto data, data_in(call, folder.path(), ""));
  WM_TRY(say_how(call, data));
  WM_TRY(auto asset, make_data_asset(call.site, call.args[0], std::move(data)));
  return data_reply(asset, 201);
}

Result<Answer> change_data(Call& call) {
  WM_TRY(auto folder, TempFolder::make(call.site.records.incoming(), "upload-"));
  WM_TRY(auto data, data_in(call, folder.path(), call.args[1]));
  WM_TRY(say_how(call, data));
  WM_TRY(auto asset, change_data_asset(call.site, call.args[0], std::move(data)));
  return data_reply(asset);
}

Result<Answer> list_data_versions(Call& call) {
  WM_TRY(auto all, data_versions(call.site, call.args[0], call.args[1]));
  Json list = Json::array();
  for (const auto& asset : all) list.push_back(shown_asset(asset));
  return json_reply(to_text(Json{{"versions", list}}));
}

Result<Answer> take_back_data(Call& call) {
  auto match = std::string(call.exchange.head().field("if-match"));
  WM_TRY(auto asset, take_data_back(call.site, call.args[0], call.args[1], match));
  return data_reply(asset);
}

Result<Answer> drop_data(Call& call) {
  WM_TRY(remove_data_asset(call.site, call.args[0], call.args[1]));
  return done();
}

}  // namespace

#define DATA "/api/v1/projects/{project}/data"
const std::vector<Route>& data_asset_routes() {
  static const std::vector<Route> routes{
      {"GET", DATA, list_data, "Data assets", "data_assets"},
      {"POST", DATA, make_data, "Makes one: fields data, unpack and file", "data_asset"},
      {"GET", DATA "/{name}", show_data, "One, with the files of an upload", "data_asset_page",
       "version"},
      {"PUT", DATA "/{name}", change_data, "Makes the next version of one", "data_asset"},
      {"DELETE", DATA "/{name}", drop_data},
      {"GET", DATA "/{name}/versions", list_data_versions, "All of its versions, present first",
       "data_versions"},
      {"POST", DATA "/{name}/rollback", take_back_data, "The version before is the present one",
       "data_asset"},
  };
  return routes;
}

}  // namespace wm::user

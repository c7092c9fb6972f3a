// The rows of /api/v1 about data assets: references to data, by name, in a project.
#include <nlohmann/json.hpp>

#include "daemons/wuserd/data/data_assets.h"
#include "daemons/wuserd/data/routes.h"
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
  return json_reply(to_text(json));
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

Result<Answer> make_data(Call& call) {
  WM_TRY(auto folder, TempFolder::make(call.site.records.incoming(), "upload-"));
  WM_TRY(auto data, data_in(call, folder.path(), ""));
  WM_TRY(auto asset, make_data_asset(call.site, call.args[0], std::move(data)));
  return json_reply(to_text(shown_asset(asset)), 201);
}

Result<Answer> change_data(Call& call) {
  WM_TRY(auto folder, TempFolder::make(call.site.records.incoming(), "upload-"));
  WM_TRY(auto data, data_in(call, folder.path(), call.args[1]));
  WM_TRY(auto asset, change_data_asset(call.site, call.args[0], std::move(data)));
  return json_reply(to_text(shown_asset(asset)));
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
  };
  return routes;
}

}  // namespace wm::user

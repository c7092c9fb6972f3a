// The rows about what can be chosen from: frameworks, volumes, hardware specifications, and what
// the default runtime includes.
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "daemons/wuserd/catalog/catalog.h"
#include "daemons/wuserd/catalog/modules.h"
#include "daemons/wuserd/catalog/routes.h"
#include "daemons/wuserd/files/upload.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/json.h"
#include "libwm/conf/catalog_conf.h"
#include "libwm/files/temp_folder.h"

namespace wm::user {
namespace {

constexpr std::size_t kLongestFramework = 64 << 10;

// Why it cannot be started; empty: it can.
std::string why_not(const Framework& framework) {
  if (!framework.refusal.empty()) return framework.refusal;
  auto there = need_module(framework);
  return there ? "" : there.error().text;
}

std::string why_not(const Volume& volume) {
  struct stat st {};
  if (::stat(volume.path.c_str(), &st) != 0 || !S_ISDIR(st.st_mode))
    return "its folder is not there";
  return ::access(volume.path.c_str(), R_OK | X_OK) == 0 ? "" : "you may not read its folder";
}

// The version of the module that it runs with, where nothing else is said.
std::string version_of(const Framework& framework) {
  if (!framework.version.empty() || python_of(framework) != "python3") return framework.version;
  for (const auto& package : runtime_packages())
    if (package.name == (framework.module == "torch" ? "PyTorch" : "TensorFlow"))
      return package.version;
  return "";
}

bool has_backend(const Framework& framework, std::string wanted) {
  for (char& c : wanted)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return wanted.empty() || framework.backend == wanted;
}

Result<std::string> frameworks_text(Call& call) {
  WM_TRY(auto known, known_frameworks(call.site));
  std::vector<std::string> items;
  for (auto& framework : known) {
    if (!has_backend(framework, call.target.value("backend"))) continue;
    framework.version = version_of(framework);
    items.push_back(rest::framework_json(framework, why_not(framework)));
  }
  return rest::list_json(items);
}

Result<Answer> frameworks(Call& call) {
  WM_TRY(auto text, frameworks_text(call));
  return json_reply(text);
}

Result<Answer> api_frameworks(Call& call) {
  WM_TRY(auto text, frameworks_text(call));
  return json_reply("{\"frameworks\":" + text + "}");
}

Result<Answer> framework_names(Call& call) {
  WM_TRY(auto known, known_frameworks(call.site));
  std::vector<std::string> names;
  for (const auto& framework : known) names.push_back(rest::json_text(framework.name));
  return json_reply(rest::list_json(names));
}

// The object as the body, or as a file or the field `data` of a form.
Result<std::string> object_in(Call& call) {
  auto type = call.exchange.head().field("content-type");
  if (!type.starts_with("multipart/")) return http::read_body(call.exchange, kLongestFramework);
  WM_TRY(auto folder, TempFolder::make(call.site.records.incoming(), "upload-"));
  WM_TRY(auto upload, receive(call.exchange, folder.path()));
  if (!upload.files.empty()) return conf::text_of_file(upload.files.front().path);
  auto data = upload.fields.find("data");
  if (data == upload.fields.end())
    return fail(Code::BadArgument, "framework: a file, or the field data, is wanted");
  return data->second;
}

Result<Answer> make_framework(Call& call) {
  WM_TRY(auto json, object_in(call));
  WM_TRY(auto framework, install_framework(call.site, json));
  return json_reply(rest::framework_json(framework, why_not(framework)));
}

Result<Answer> drop_framework(Call& call) {
  WM_TRY(remove_framework(call.site, call.args[0]));
  return Answer(http::Reply{204, {}, ""});
}

Result<Answer> volumes(Call& call) {
  WM_TRY(auto known, known_volumes(call.site));
  std::vector<std::string> items;
  for (const auto& volume : known) items.push_back(rest::volume_json(volume, why_not(volume)));
  return json_reply("{\"volumes\":" + rest::list_json(items) + "}");
}

Result<Answer> hardware(Call& call) {
  WM_TRY(auto known, known_hardware(call.site));
  std::vector<std::string> items;
  for (const auto& spec : known) items.push_back(rest::hardware_json(spec));
  return json_reply("{\"hwspecs\":" + rest::list_json(items) + "}");
}

Result<Answer> runtime(Call&) {
  auto packages = Json::array();
  for (const auto& package : runtime_packages())
    packages.push_back({{"name", package.name},
                        {"version", package.version},
                        {"available", !package.version.empty()}});
  return json_reply("{\"packages\":" + to_text(packages) + "}");
}

}  // namespace

#define DL "/platform/rest/deeplearning/v1"
const std::vector<Route>& catalog_routes() {
  static const std::vector<Route> routes{
      {"GET", DL "/frameworks/all", framework_names, "Their names", "[text]"},
      {"GET", DL "/frameworks", frameworks, "Frameworks", "[framework]", "backend"},
      {"GET", DL "/execs/frameworks", frameworks, "Frameworks", "[framework]"},
      {"POST", DL "/execs/frameworks", make_framework, "Keeps one of one's own", "framework"},
      {"DELETE", DL "/execs/frameworks/{name}", drop_framework},
      {"GET", "/api/v1/frameworks", api_frameworks, "Frameworks", "frameworks", "backend"},
      {"GET", "/api/v1/volumes", volumes, "Storage volumes", "volumes"},
      {"GET", "/api/v1/hwspecs", hardware, "Hardware specifications", "hwspecs"},
      {"GET", "/api/v1/runtime", runtime, "What the default runtime includes", "runtime"},
  };
  return routes;
}

}  // namespace wm::user

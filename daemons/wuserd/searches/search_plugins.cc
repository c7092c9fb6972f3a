#include "daemons/wuserd/searches/search_plugins.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "daemons/wuserd/execs/draft.h"
#include "daemons/wuserd/files/unpack.h"
#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/jobs/submit.h"
#include "libwm/base/clock.h"
#include "libwm/rest/exec_words.h"
#include "libwm/rest/search_request.h"
#include "libwm/submit/search_acts.h"
#include "libwm/submit/search_optimizer.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPluginManifest = "plugin.json";

std::string root_of(const Site& site) { return cmd::plugins_folder(site.results_root); }

// A name with a slash, or of the folder above, is none.
Result<std::string> folder_of(const Site& site, const std::string& name) {
  if (!rest::check_search_name(name) || name.front() == '.')
    return fail(Code::NotFound, "algorithm " + name.substr(0, 40) + " does not exist");
  return root_of(site) + "/" + name;
}

Result<void> write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) return fail(Code::System, path + ": cannot be written");
  return {};
}

Result<void> copy_plugin(const std::string& from, const std::string& to) {
  std::error_code ec;
  fs::create_directories(to, ec);
  if (!ec) fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, ec);
  if (ec) return fail(Code::BadArgument, from + ": " + ec.message());
  return {};
}

// The plugin's files: those that came, or those of a folder here.
Result<void> lay_out_plugin(const Upload& upload, const rest::PluginRequest& plugin,
                            const std::string& folder) {
  if (!upload.files.empty()) {
    WM_TRY(lay_out(upload, folder));
  } else {
    if (plugin.path.empty())
      return fail(Code::BadArgument, "path: a folder is wanted, or the plugin's files");
    WM_TRY(copy_plugin(plugin.path, folder));
  }
  if (!fs::is_regular_file(folder + "/optimizer.py"))
    return fail(Code::BadArgument, "optimizer.py is not at the top of the plugin's files");
  return {};
}

std::string created_now() {
  auto now = wall_now();
  auto text = rest::iso_time(now);
  text[10] = ' ';
  return text.substr(0, 19);
}

}  // namespace

std::vector<std::string> all_plugins(Site& site) {
  std::vector<std::string> names, found;
  std::error_code ec;
  for (fs::directory_iterator at(root_of(site), ec), end; !ec && at != end; at.increment(ec))
    names.push_back(at->path().filename().string());
  std::ranges::sort(names);
  for (const auto& name : names)
    if (auto text = find_plugin(site, name)) found.push_back(std::move(*text));
  return found;
}

Result<std::string> find_plugin(Site& site, const std::string& name) {
  WM_TRY(auto plugin, cmd::installed_plugin(site.results_root, name));
  return plugin.manifest;
}

Result<std::string> install_plugin(Call& call) {
  Site& site = call.site;
  Draft draft(site, request_name(""));
  WM_TRY(auto upload, receive(call.exchange, draft.uploads()));
  auto data = upload.fields.find("data");
  if (data == upload.fields.end()) return fail(Code::BadArgument, "data: the field is missing");
  WM_TRY(auto plugin, rest::read_plugin_request(data->second));
  WM_TRY(auto folder, folder_of(site, plugin.name));
  auto alone = lock_request("plugin " + plugin.name);
  std::error_code ec;
  if (fs::exists(folder, ec))
    return fail(Code::Conflict, "name: there is an algorithm " + plugin.name);
  // Whole below another name first: the draft takes away what is left of it.
  auto made = site.records.code_dir(draft.request());
  WM_TRY(lay_out_plugin(upload, plugin, made + "/code"));
  auto text = rest::plugin_json(plugin, site.user, created_now());
  WM_TRY(write(made + "/" + kPluginManifest, text));
  fs::create_directories(root_of(site), ec);
  if (!ec) fs::rename(made, folder, ec);
  if (ec) return fail(Code::System, folder + ": " + ec.message());
  return text;
}

Result<void> delete_plugin(Site& site, const std::string& name) {
  WM_TRY(find_plugin(site, name));
  WM_TRY(auto folder, folder_of(site, name));
  std::error_code ec;
  fs::remove_all(folder, ec);
  if (ec) return fail(Code::System, folder + ": " + ec.message());
  return {};
}

Result<JobId> start_optimizer(Site& site, const std::string& plugin, JobId search,
                              const std::string& search_json, std::uint32_t at_once) {
  WM_TRY(auto found, cmd::installed_plugin(site.results_root, plugin));
  Draft draft(site, request_name(""));
  WM_TRY(
      cmd::lay_out_optimizer(found, search_json, at_once, site.records.code_dir(draft.request())));
  Execution exec;
  exec.bundle = draft.request();
  exec.labels["search"] = std::to_string(search.job);
  WM_TRY(auto reply,
         submit(site, cmd::optimizer_request(search, site.results_root), std::move(exec)));
  draft.stay();
  return reply.job;
}

Result<void> look_at_optimizer(client::Master& master, rest::SearchTask& task) {
  if (!rest::has_plugin(task)) return {};
  WM_TRY(auto found, cmd::optimizers_of(master, task.job));
  if (found.empty()) {
    rest::add_optimizer(task, nullptr, "");
    return {};
  }
  auto said = log_text(found.front().result_dir, 1, "stderr");
  rest::add_optimizer(task, &found.front(), said ? *said : "");
  return {};
}

}  // namespace wm::user

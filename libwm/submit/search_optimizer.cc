#include "libwm/submit/search_optimizer.h"

#include <filesystem>
#include <fstream>

#include "libwm/rest/search_request.h"
#include "libwm/rest/search_task.h"
#include "libwm/submit/file_text.h"

namespace wm::cmd {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCommand = "python3 \"$LSF_LIBDIR/python/wm_optimizer.py\" ";

}  // namespace

std::string plugins_folder(const std::string& results) { return results + "/plugins"; }

// A name with a slash, or of the folder above, is none.
Result<Plugin> installed_plugin(const std::string& results, const std::string& name) {
  auto folder = plugins_folder(results) + "/" + name;
  bool named = rest::check_search_name(name) && name.front() != '.';
  auto manifest = named ? file_text(folder + "/plugin.json") : std::string();
  if (manifest.empty())
    return fail(Code::NotFound, "algorithm " + name.substr(0, 40) + " does not exist");
  return Plugin{folder + "/code", std::move(manifest)};
}

Result<Plugin> plugin_in(const std::string& folder, const std::string& name) {
  std::error_code ec;
  if (!fs::is_regular_file(folder + "/optimizer.py", ec))
    return fail(Code::BadArgument, folder + ": there is no optimizer.py");
  rest::PluginRequest plugin;
  plugin.name = name;
  plugin.path = folder;
  return Plugin{folder, rest::plugin_json(plugin, "", "")};
}

Result<void> lay_out_optimizer(const Plugin& plugin, const std::string& search,
                               std::uint32_t at_once, const std::string& bundle) {
  WM_TRY(auto settings, rest::optimizer_json(search, plugin.manifest, at_once));
  std::error_code ec;
  fs::create_directories(bundle, ec);
  if (!ec)
    fs::copy(plugin.code, bundle + "/plugin",
             fs::copy_options::recursive | fs::copy_options::copy_symlinks, ec);
  if (ec) return fail(Code::BadArgument, plugin.code + ": " + ec.message());
  auto path = bundle + "/optimizer.json";
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << settings;
  out.close();
  if (!out) return fail(Code::System, path + ": cannot be written");
  return {};
}

JobRequest optimizer_request(JobId search, const std::string& results) {
  JobRequest job;
  job.app = "training";
  job.rerunnable = true;
  job.name = rest::optimizer_name(search);
  job.out_file = results + "/batchworkdir/%J/job.out";
  job.command = kCommand + std::to_string(search.job);
  return job;
}

}  // namespace wm::cmd

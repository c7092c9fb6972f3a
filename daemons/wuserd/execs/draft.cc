#include "daemons/wuserd/execs/draft.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "daemons/wuserd/catalog/catalog.h"
#include "daemons/wuserd/catalog/modules.h"
#include "daemons/wuserd/data/data_assets.h"
#include "daemons/wuserd/data/staging.h"
#include "daemons/wuserd/jobs/submit.h"
#include "libwm/base/hash.h"
#include "libwm/client/bundle.h"
#include "libwm/rest/app_json.h"
#include "libwm/rest/assets.h"
#include "libwm/rest/exec_words.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

Result<bool> has_gpus(Site& site) {
  WM_TRY(auto master, site.masters.take());
  WM_TRY(auto reply, master->ask(HostsRequest{}));
  for (const auto& host : reply.hosts)
    if (!host.host.capacity.gpus.empty()) return true;
  return false;
}

Result<rest::ExecPlace> place_of(Site& site, const std::string& out_file) {
  rest::ExecPlace place;
  place.out_file = site.results_root + "/batchworkdir/" + out_file;
  place.data_dir = site.conf.dirs.data;
  WM_TRY(place.gpus, has_gpus(site));
  return place;
}

std::string text_of(const std::string& path) {
  constexpr std::streamsize kMost = 1 << 20;
  std::string text(kMost, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), kMost);
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

Execution execution_of(const rest::ExecRequest& request, const rest::Framework& framework,
                       const std::string& bundle, const std::string& folder) {
  Execution exec;
  exec.args = request.args;
  exec.framework = framework.name;
  exec.bundle = bundle;
  exec.bundle_dir = folder;
  exec.data = request.sources;
  exec.labels = request.labels;
  exec.image = request.image;
  exec.image_policy = request.image_policy;
  exec.image_secret = request.image_secret;
  exec.pending_limit = std::chrono::seconds(request.pending_timeout_s);
  return exec;
}

// The environment that the command will run in is there, and so is the framework's module.
Result<void> check_environment(const rest::ExecRequest& request, Framework framework) {
  if (!request.conda_env.empty()) framework.conda_env = request.conda_env;
  if (!request.conda_home.empty()) framework.conda_home = request.conda_home;
  bool brought = !request.conda_yaml.empty() || !request.conda_package.empty();
  if (brought) framework.conda_env.clear();
  if (request.user_cmd || brought) framework.module.clear();
  return need_module(framework);
}

// The file that a secret's name means, which nobody else may read.
Result<std::string> secret_file(const Site& site, const std::string& name) {
  auto refuse = [&](const std::string& why) {
    return fail(Code::Impossible, "--msd-image-pull-secret " + name + ": " + why);
  };
  if (!rest::is_asset_name(name))
    return refuse("a name of letters, digits, '.', '_', '-' is wanted");
  auto path = site.own_dir + "/registries/" + name + ".json";
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return refuse(path + " is not there; podman login --authfile makes it");
  if (facts.st_uid != ::getuid() || (facts.st_mode & 07777) != 0600)
    return refuse(path + " has to be yours, with mode 600");
  return path;
}

// An image is for what the profile's container program can make of it.
Result<void> check_image(const Site& site, rest::ExecRequest& request) {
  bool asks = !request.image_policy.empty() || !request.image_secret.empty();
  if (request.image.empty() && !asks) return {};
  WM_TRY(auto driver, container_program(site, "training"));
  if (driver == "none")
    return fail(Code::Impossible,
                "--msd-image-name " + request.image +
                    ": executions run in no container here (profile training of apps.conf)");
  if (asks && driver != "podman" && driver != "apptainer")
    return fail(Code::Impossible, "--msd-image-pull-…: " + driver + " fetches no images here");
  if (!request.image_secret.empty()) {
    WM_TRY(request.image_secret, secret_file(site, request.image_secret));
  }
  return {};
}

// Where conda is, for an environment that is described.
Result<void> find_conda_for(rest::ExecRequest& request, const Framework& framework) {
  if (request.conda_yaml.empty()) return {};
  if (request.conda_home.empty()) request.conda_home = framework.conda_home;
  if (request.conda_home.empty()) request.conda_home = conda_there();
  auto refuse = [&](const std::string& why) {
    return fail(Code::Impossible, "--conda-env-yaml " + request.conda_yaml + ": " + why);
  };
  if (request.conda_home.empty())
    return refuse("there is no conda here (in PATH or /opt); --conda-home names one");
  if (!fs::exists(request.conda_home + "/etc/profile.d/conda.sh"))
    return refuse("there is no conda at " + request.conda_home);
  return {};
}

// A file of conda's as the command sees it, which starts `inside` the code.
Result<void> place_file(const char* option, std::string& file, const std::string& code_dir,
                        const std::string& inside) {
  if (file.empty()) return {};
  if (!fs::exists(code_dir + "/" + file))
    return fail(Code::BadArgument,
                std::string(option) + " " + file + ": the file did not come along");
  std::string up;
  for (const auto& part : fs::path(inside))
    if (!part.empty()) up += "../";
  file = up + file;
  return {};
}

// Clients send a script that is alone without the folders in which it lies on their side, which
// their words still name.
Result<std::string> find_script(const std::string& code_dir, rest::ExecRequest& request) {
  auto folder = find_code(code_dir, request.model_dir, request.main);
  if (folder || !request.model_dir.empty()) return folder;
  auto alone = fs::path(request.main).filename().string();
  auto found = find_code(code_dir, "", alone);
  if (!found) return folder;
  request.main = alone;
  return found;
}

}  // namespace

std::string request_name(std::string_view key) {
  return key.empty() ? random_hex(16) : hex(hash_of(key, 16));
}

RequestLock::RequestLock(std::shared_ptr<std::mutex> of) : mutex_(std::move(of)), lock_(*mutex_) {}

// A name that nobody holds any more is forgotten with the next one.
RequestLock lock_request(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<std::mutex>> locks;
  std::shared_ptr<std::mutex> own;
  {
    std::lock_guard guard(mutex);
    std::erase_if(locks, [](const auto& one) { return one.second.expired(); });
    auto& slot = locks[name];
    own = slot.lock();
    if (!own) slot = own = std::make_shared<std::mutex>();
  }
  return RequestLock(std::move(own));
}

Draft::~Draft() {
  std::error_code ec;
  fs::remove_all(uploads(), ec);
  if (!stays_) fs::remove_all(site_.records.code_dir(request_), ec);
}

Result<Prepared> prepare(Site& site, rest::ExecRequest request, const Upload& upload,
                         const Draft& draft, const std::string& out_file) {
  request.plan = rest::plan_of(request.plan, site.conf.name);
  WM_TRY(auto known, known_frameworks(site));
  WM_TRY(auto framework, rest::find_framework(known, request.framework));
  WM_TRY(resolve_names(site, request));
  WM_TRY(resolve_assets(site, request));
  WM_TRY(auto place, place_of(site, out_file));
  WM_TRY(rest::check_fit(request, framework, place));
  WM_TRY(check_image(site, request));
  WM_TRY(find_conda_for(request, framework));
  WM_TRY(check_environment(request, framework));
  auto code_dir = site.records.code_dir(draft.request());
  WM_TRY(lay_out(upload, code_dir, request.conda_package));
  WM_TRY(auto folder, find_script(code_dir, request));
  auto inside = folder == code_dir ? "" : folder.substr(code_dir.size() + 1);
  WM_TRY(place_file("--conda-env-yaml", request.conda_yaml, code_dir, inside));
  WM_TRY(place_file("--conda-package", request.conda_package, code_dir, inside));
  auto script = text_of(folder + "/" + request.main);
  if (!request.user_cmd) WM_TRY(rest::check_code(framework, request.main, script));
  rest::give_worker_words(script, framework, request);
  WM_TRY(rest::job_request(request, framework, place));  // before anything is begun
  WM_TRY(auto staged, stage_data(site, request, draft.request()));
  WM_TRY(auto job, rest::job_request(request, framework, place));
  WM_TRY(auto groups, rest::task_groups(request, framework, place));
  job.depend = staged.depend;
  job.orphan_kill = !staged.depend.empty();
  if (groups.empty()) job.command = staged.prelude + job.command;
  for (auto& group : groups) group.command = staged.prelude + group.command;
  return Prepared{std::move(job), execution_of(request, framework, draft.request(), inside),
                  std::move(groups)};
}

}  // namespace wm::user

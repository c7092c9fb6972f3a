#include "libwm/rest/exec_words.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "libwm/base/joined.h"
#include "libwm/base/json.h"
#include "libwm/base/single_quoted.h"

namespace wm::rest {
namespace {

// Names the run that another goes on from: no variable of its own, but -resume of bsub.
constexpr const char* kResumeFrom = "WM_RESUME_FROM";

// One that leads out of its folder would be read from anywhere.
bool stays_inside(std::string_view path) {
  if (path.starts_with('/')) return false;
  return ("/" + std::string(path) + "/").find("/../") == std::string::npos;
}

// What the request says of conda goes before the framework's own.
Framework with_conda(const ExecRequest& request, Framework framework) {
  if (!request.conda_env.empty()) framework.conda_env = request.conda_env;
  if (!request.conda_home.empty()) framework.conda_home = request.conda_home;
  return framework;
}

// The first task makes the environment, in the job's results; the others wait for it.
std::string made_once(const std::string& make) {
  return R"({ flock 9; [ -e "$RESULT_DIR/conda/.made" ] || { )" + make +
         R"( >&2 && : >"$RESULT_DIR/conda/.made"; }; } 9>"$RESULT_DIR/.conda.lock" && )";
}

std::string yaml_prelude(const ExecRequest& request, const std::string& home) {
  return ". " + shell_quoted(home + "/etc/profile.d/conda.sh") + " && " +
         made_once(R"(conda env create -q -p "$RESULT_DIR/conda" -f )" +
                   shell_quoted(request.conda_yaml)) +
         R"(conda activate "$RESULT_DIR/conda" && )";
}

// As conda-pack makes one, with a program that mends the paths in its files. Its own bin/activate
// wants bash.
std::string package_prelude(const ExecRequest& request) {
  return R"(export CONDA_PREFIX="$RESULT_DIR/conda" PATH="$RESULT_DIR/conda/bin:$PATH" && )" +
         made_once(R"(mkdir -p "$CONDA_PREFIX" && tar -xf )" + shell_quoted(request.conda_package) +
                   R"( -C "$CONDA_PREFIX" && { [ ! -e "$CONDA_PREFIX/bin/conda-unpack" ] || )"
                   R"(conda-unpack; })");
}

Result<std::string> command_of(const ExecRequest& request, const Framework& framework) {
  std::vector<std::string> words;
  if (!request.prebuilt.empty()) {
    words = {"python3", "-m", "wm_prebuilt", shell_quoted(request.prebuilt)};
  } else if (!request.user_cmd) {
    if (request.main.empty())
      return fail(Code::BadArgument, "--model-main: which script is to run?");
    if (!stays_inside(request.main))
      return fail(Code::BadArgument, "--model-main " + request.main + ": leads out of the code");
    bool python = request.main.ends_with(".py");
    words = {python ? "python3" : "bash", shell_quoted(request.main)};
  }
  for (const auto& word : request.words) words.push_back(shell_quoted(word));
  auto own = with_conda(request, framework);
  if (!request.conda_package.empty()) own.conda_env.clear();
  if (!own.conda_env.empty() && own.conda_home.empty())
    return fail(Code::BadArgument,
                "--conda-env-name " + own.conda_env + ": --conda-home is wanted");
  if (!request.conda_package.empty())
    return prelude_of(own) + package_prelude(request) + joined(words);
  if (request.conda_yaml.empty()) return prelude_of(own) + joined(words);
  if (own.conda_home.empty())
    return fail(Code::Impossible, "--conda-env-yaml " + request.conda_yaml +
                                      ": there is no conda here; --conda-home names one");
  auto home = std::exchange(own.conda_home, "");
  own.conda_env.clear();
  return prelude_of(own) + yaml_prelude(request, home) + joined(words);
}

std::vector<std::pair<std::string, std::string>> environment_of(const ExecRequest& request,
                                                                const Framework& framework,
                                                                const ExecPlace& place) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [name, value] : framework.exports) all.emplace_back(name, value);
  for (const auto& one : request.env)
    if (one.first != kResumeFrom) all.push_back(one);
  auto root = request.data_root.empty() ? place.data_dir : request.data_root;
  if (!request.data_path.empty()) all.emplace_back("DATA_DIR", root + "/" + request.data_path);
  else if (!request.data_root.empty()) all.emplace_back("DATA_DIR", root);
  if (!request.data_root.empty()) all.emplace_back("DLI_DATA_FS", root);
  return all;
}

// As bsub -env reads them: in quotes a value may hold commas and blanks.
std::string env_option(const JobRequest& job) {
  std::string text = "all";
  for (const auto& [name, value] : job.environment) {
    bool plain = !value.empty() && value.find_first_of(", \t\"'~") == value.npos;
    text += ", " + name + "=" + (plain ? value : "'" + value + "'");
  }
  return text;
}

Result<void> check_env(const ExecRequest& request) {
  for (const auto& [name, value] : request.env)
    if (value.find('\'') != value.npos)
      return fail(Code::BadArgument, "--msd-env " + name + ": a quote in its value");
  if (!request.data_path.empty() && !stays_inside(request.data_path))
    return fail(Code::BadArgument, "data path " + request.data_path + ": leads out of the data");
  return {};
}

void set_size(const ExecRequest& request, const Framework& framework, JobRequest& job) {
  bool one = !framework.distributed && !request.user_cmd;
  job.max_tasks = one ? 1 : request.workers;
  job.min_tasks = framework.elastic ? 1 : job.max_tasks;
}

std::string size_text(const JobRequest& job, bool range) {
  auto most = std::to_string(job.max_tasks);
  return range ? std::to_string(job.min_tasks) + "," + most : most;
}

Result<std::uint32_t> parameter_servers(const ExecRequest& request) {
  std::uint32_t servers = 0;
  const auto& text = request.parameter_servers;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), servers);
  if (!text.empty() && (ec != std::errc() || end != text.data() + text.size() || servers > 1000))
    return fail(Code::BadArgument, "--numPs: '" + text + "': a number up to 1000 is wanted");
  return servers;
}

// What bsub(1) reads with -spec, for a shell that reads it too: the words of no command begin with
// the mark of its end.
std::string spec_document(const std::vector<TaskGroup>& groups) {
  Json list = Json::array();
  for (const auto& group : groups) {
    Json one{{"name", group.name}, {"role", group.role}, {"command", group.command}};
    if (group.elastic) one["elastic"] = true;
    if (group.min_tasks == group.max_tasks) one["tasks"] = group.max_tasks;
    else one["min"] = group.min_tasks, one["max"] = group.max_tasks;
    if (group.restart == Restart::Independent) one["restart"] = "independent";
    if (!group.resreq.empty()) one["resreq"] = group.resreq;
    if (!group.gpu.empty()) one["gpu"] = group.gpu;
    list.push_back(std::move(one));
  }
  return "-spec - <<'GROUPS'\n" + wm::to_text({{"groups", list}}) + "\nGROUPS";
}

// TensorFlow's tasks have roles and addresses, which groups of tasks are told.
bool has_groups(const Framework& framework) {
  return framework.backend == "tensorflow" && framework.distributed && !framework.elastic;
}

// Of FabricModel: the workers come and go, and so may the tasks of servers. Those of a trial, which
// is one group, run beside its workers.
bool has_elastic_servers(const Framework& framework) {
  return framework.backend == "pytorch" && framework.elastic;
}

}  // namespace

Result<JobRequest> job_request(const ExecRequest& request, const Framework& framework,
                               const ExecPlace& place) {
  WM_TRY(check_env(request));
  WM_TRY(auto command, command_of(request, framework));
  JobRequest job;
  job.app = "training";
  job.name = request.name.empty() ? framework.app_name : request.name;
  job.priority = request.priority;
  job.plan = request.plan;
  job.out_file = place.out_file;
  job.environment = environment_of(request, framework, place);
  for (const auto& [name, value] : request.env)
    if (name == kResumeFrom) job.resume = value;
  job.memory = memory_limit_of(request);
  WM_TRY(bool apart, driver_is_apart(request, framework, place));
  if (apart || has_groups(framework)) return job;
  WM_TRY(auto servers, parameter_servers(request));
  if (servers > 0 && has_elastic_servers(framework)) {
    job.environment.emplace_back("WM_PARAMETER_SERVERS", std::to_string(servers));
    if (!request.tasks_alike) return job;
  }
  WM_TRY(auto needs, needs_of(request, place, Whose::Workers));
  set_size(request, framework, job);
  job.elastic = framework.elastic;
  job.gpu = std::move(needs.gpu);
  job.resreqs = std::move(needs.resreqs);
  job.command = std::move(command);
  return job;
}

Result<std::vector<std::string>> bsub_words(const ExecRequest& request, const Framework& framework,
                                            const ExecPlace& place) {
  WM_TRY(auto job, job_request(request, framework, place));
  std::vector<std::string> words{"-app", job.app, "-J", job.name};
  auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  bool range = framework.elastic && (framework.distributed || request.user_cmd);
  if (!job.command.empty()) add("-n", size_text(job, range));
  if (job.elastic) words.emplace_back("-ar");
  add("-gpu", job.gpu);
  for (const auto& part : job.resreqs) add("-R", part);
  add("-M", job.memory);
  if (job.priority > 0) add("-sp", std::to_string(job.priority));
  add("-plan", job.plan);
  add("-o", job.out_file);
  add("-resume", job.resume);
  if (!job.environment.empty()) add("-env", env_option(job));
  WM_TRY(auto groups, task_groups(request, framework, place));
  words.push_back(groups.empty() ? job.command : spec_document(groups));
  return words;
}

Result<std::vector<TaskGroup>> task_groups(const ExecRequest& request, const Framework& framework,
                                           const ExecPlace& place) {
  std::vector<TaskGroup> groups;
  WM_TRY(bool apart, driver_is_apart(request, framework, place));
  WM_TRY(auto servers, parameter_servers(request));
  bool elastic = servers > 0 && has_elastic_servers(framework) && !request.tasks_alike;
  if (!apart && !has_groups(framework) && !elastic) return groups;
  WM_TRY(auto command, command_of(request, framework));
  auto add = [&](const char* name, const char* role, std::uint32_t tasks,
                 Whose whose) -> Result<void> {
    WM_TRY(auto needs, needs_of(request, place, whose));
    TaskGroup group;
    group.name = name;
    group.role = role;
    group.command = command;
    group.elastic = elastic && whose == Whose::Workers;
    group.min_tasks = group.elastic ? 1 : tasks;
    group.max_tasks = tasks;
    // The training goes on without a server that is lost, and has it again later.
    if (elastic && whose == Whose::Servers) group.restart = Restart::Independent;
    group.resreq = joined(needs.resreqs);
    // Parameters are kept in memory; only workers compute.
    if (whose != Whose::Servers) group.gpu = needs.gpu;
    groups.push_back(group);
    return {};
  };
  // The end of the first role is the job's: servers serve on.
  if (apart) {
    WM_TRY(add("driver", "worker", 1, Whose::Driver));
    WM_TRY(add("worker", "worker", request.workers - 1, Whose::Others));
  } else {
    WM_TRY(add("worker", "worker", request.workers, Whose::Workers));
  }
  if (servers > 0) WM_TRY(add("ps", "ps", servers, Whose::Servers));
  return groups;
}

Result<void> check_fit(const ExecRequest& request, const Framework& framework,
                       const ExecPlace& place) {
  auto refuse = [&](const std::string& why) {
    return fail(Code::Impossible, "framework " + framework.name + ": " + why);
  };
  if (!framework.refusal.empty()) return refuse(framework.refusal);
  bool gpus = on_gpus(request, place) && request.driver.device != Device::Cpu;
  if (framework.device == "gpu" && !gpus) return refuse("it runs on GPUs only");
  if (framework.device == "cpu" && request.device == Device::Gpu)
    return refuse("it runs on CPUs only");
  if (framework.distributed && request.workers > framework.most_workers)
    return refuse("--numWorker " + std::to_string(request.workers) + ": at most " +
                  std::to_string(framework.most_workers));
  bool takes_servers = has_groups(framework) || has_elastic_servers(framework);
  if (!request.parameter_servers.empty() && !takes_servers)
    return refuse("--numPs is for disttensorflow and edtPyTorch");
  if (request.prebuilt.empty()) return {};
  auto models = prebuilt_models();
  if (framework.backend != "pytorch" || framework.distributed)
    return refuse("--pbmodel-name: prebuilt models are for PyTorch");
  if (std::find(models.begin(), models.end(), request.prebuilt) != models.end()) return {};
  return fail(Code::BadArgument,
              "--pbmodel-name " + request.prebuilt + ": " +
                  joined(std::vector<std::string>(models.begin(), models.end()), ", ") +
                  " are there");
}

void use_hardware(const HardwareSpec& spec, ExecRequest& request) {
  request.device = spec.gpus > 0 ? Device::Gpu : Device::Cpu;
  request.devices = spec.gpus > 0 ? spec.gpus : spec.cpus;
  if (request.memory.empty()) request.memory = spec.memory;
  request.gpu_kind = spec.kind;
  request.mig = spec.mig;
}

void give_worker_words(std::string_view script, const Framework& framework, ExecRequest& request) {
  if (!framework.elastic) return;
  auto give = [&](const char* option, std::uint32_t value) {
    if (script.find(option) == script.npos) return;
    request.words.insert(request.words.end(), {option, std::to_string(value)});
  };
  give("--numWorker", request.workers);
  give("--gpuPerWorker", request.devices);
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kSafe) == word.npos) return std::string(word);
  return single_quoted(word);
}

std::string shell_line(const std::vector<std::string>& bsub_words) {
  std::string line = "bsub";
  for (std::size_t i = 0; i + 1 < bsub_words.size(); ++i) line += " " + shell_quoted(bsub_words[i]);
  if (!bsub_words.empty()) line += " " + bsub_words.back();
  return line;
}

}  // namespace wm::rest

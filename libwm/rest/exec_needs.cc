#include "libwm/rest/exec_needs.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "libwm/base/joined.h"
#include "libwm/base/single_quoted.h"
#include "libwm/model/training_launcher.h"

namespace wm::rest {
namespace {

constexpr std::string_view kHost = "hname";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "kubernetes.io/hostname", "topology.kubernetes.io/zone": a resource of hosts.conf has the last
// part's name.
Result<std::string> resource_of(std::string_view key) {
  auto name = std::string(key.substr(key.rfind('/') + 1));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_letter(c); }, '_');
  if (name.empty() || (name.front() >= '0' && name.front() <= '9'))
    return fail(Code::BadArgument, "'" + std::string(key) + "': a name is wanted");
  return name == "hostname" ? std::string(kHost) : name;
}

bool is_number(std::string_view text) {
  double value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  return ec == std::errc() && end == text.data() + text.size();
}

Result<std::string> term_of(std::string_view part) {
  auto equals = part.find('=');
  auto value = equals == part.npos ? std::string_view() : part.substr(equals + 1);
  if (value.starts_with('=')) value.remove_prefix(1);
  if (equals == part.npos || value.empty() || value.find_first_of("'\"[]") != value.npos)
    return fail(Code::BadArgument, "'" + std::string(part) + "': NAME=VALUE is wanted");
  WM_TRY(auto name, resource_of(part.substr(0, equals)));
  if (value == "true") return "(" + name + ")";
  if (value == "false") return "(!" + name + ")";
  return "(" + name + "==" + (is_number(value) ? std::string(value) : single_quoted(value)) + ")";
}

std::uint64_t megabytes(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "512M" and the like, as the reader of options has made them.
const std::string& larger(const std::string& a, const std::string& b) {
  return megabytes(b) > megabytes(a) ? b : a;
}

/// What is said of a kind of tasks.
struct Said {
  std::uint32_t devices = 0;
  std::string memory;
  TaskLimits limits;
  std::string selector;
  bool gpus = false;
  std::string_view who = "--worker";  ///< how its options begin
};

Said worker_of(const ExecRequest& r, bool gpus) {
  return {r.devices, r.memory, r.worker_limits, r.worker_selector, gpus};
}

// What is not said of it is as of the workers, but limits and the selector, which are of one kind
// of tasks each. Of another kind of device than theirs it has one, if it says no more.
Said driver_of(const ExecRequest& r, bool gpus) {
  const auto& own = r.driver;
  bool on_gpus = own.device == Device::Unsaid ? gpus : own.device == Device::Gpu;
  auto devices = on_gpus == gpus ? r.devices : 1;
  return {own.devices > 0 ? own.devices : devices,
          own.memory.empty() ? r.memory : own.memory,
          own.limits,
          own.selector,
          on_gpus,
          "--driver"};
}

// Tasks are alike, and the first is the driver as well: the larger amounts, and both selectors'
// hosts where it is alone, else the workers', which most of them follow.
Said first_of(const ExecRequest& r, bool gpus) {
  auto said = worker_of(r, gpus);
  const auto& own = r.driver;
  bool same_device = own.device == Device::Unsaid || own.device == r.device;
  if (same_device) said.devices = std::max(said.devices, own.devices);
  said.memory = larger(said.memory, own.memory);
  said.limits.cpus = std::max(said.limits.cpus, own.limits.cpus);
  said.limits.gpus = std::max(said.limits.gpus, own.limits.gpus);
  said.limits.memory = larger(said.limits.memory, own.limits.memory);
  if (said.selector.empty() || r.workers == 1)
    said.selector += (said.selector.empty() || own.selector.empty() ? "" : ",") + own.selector;
  return said;
}

Said said_of(const ExecRequest& request, Whose whose, bool gpus) {
  if (whose == Whose::Driver) return driver_of(request, gpus);
  return whose == Whose::Workers ? first_of(request, gpus) : worker_of(request, gpus);
}

Result<void> check_limits(const ExecRequest& request, const Said& said) {
  auto option = [&](const char* rest) { return std::string(said.who) + rest; };
  auto refuse = [](const std::string& what, const std::string& limit, const std::string& asked) {
    return fail(Code::BadArgument, what + " " + limit + ": less than the " + asked + " asked for");
  };
  const auto& limits = said.limits;
  if (!limits.memory.empty() && megabytes(limits.memory) < megabytes(said.memory))
    return refuse(option("MemoryLimit"), limits.memory, said.memory);
  auto most = said.gpus ? limits.gpus : limits.cpus;
  if (most > 0 && most < said.devices && request.gpu_syntax.empty())
    return refuse(option(said.gpus ? "GPULimit" : "CPULimit"), std::to_string(most),
                  std::to_string(said.devices));
  return {};
}

// Where pods have to be together: on one host, or on hosts with one value of the key.
Result<std::string> together(const ExecRequest& request) {
  if (request.affinity_rule != "required") return std::string();
  if (request.affinity_key.empty())
    return fail(Code::BadArgument,
                "--msd-podaffinity-rule required: --msd-podaffinity-topology-key is wanted");
  auto key = resource_of(request.affinity_key);
  if (!key) return key.error().within("--msd-podaffinity-topology-key");
  return *key == kHost ? "span[hosts=1]" : "same[" + *key + "]";
}

std::string gpu_option(const ExecRequest& request, std::uint32_t devices) {
  if (!request.gpu_syntax.empty()) return request.gpu_syntax;
  auto text = "num=" + std::to_string(devices);
  return request.mig.empty() ? text : text + ":mig=" + request.mig;
}

std::string why_unused(std::string_view option) {
  constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
      {"--submit-user", "a job is that of the account that sends it"},
      {"--cs-rmq-meta", "metrics stay with the execution and are forwarded nowhere"},
      {"--cs-url-meta", "metrics stay with the execution and are forwarded nowhere"},
      {"--cs-url-bearer", "metrics stay with the execution and are forwarded nowhere"},
      {"--msd-attr", "tasks are no pods that have attributes; --msd-label is kept"},
      {"--msd-pack-id", "tasks share a GPU by --lsf-gpu-syntax, not by packs"},
      {"--sc-runasuser", "a job runs as its owner"},
      {"--sc-runasgroup", "a job runs as its owner"},
      {"--sc-fsgroup", "a job runs as its owner"},
      {"--ig", "there are no instance groups; --consumer names a resource plan"},
      {"--python-version", "the framework's environment, or --conda-env-name, says which"},
      {"--exclusive", "GPUs are a task's own unless --lsf-gpu-syntax shares them"},
      {"--mpiarg", "ranks are not started by mpirun"},
      {"--accelerators", "--workerDeviceNum says how many GPUs a worker has"},
      {"--numDriver", "the first task is the driver, the only one"}};
  for (const auto& [name, why] : kReasons)
    if (name == option) return std::string(why);
  return "without effect";
}

}  // namespace

bool on_gpus(const ExecRequest& request, const ExecPlace& place) {
  return request.device == Device::Gpu || (request.device == Device::Unsaid && place.gpus);
}

Result<std::string> select_of(std::string_view selector) {
  std::vector<std::string> terms;
  while (!selector.empty()) {
    auto comma = std::min(selector.find(','), selector.size());
    auto part = selector.substr(0, comma);
    selector.remove_prefix(std::min(comma + 1, selector.size()));
    WM_TRY(auto term, term_of(part));
    terms.push_back(std::move(term));
  }
  return joined(terms, " && ");
}

Result<TaskNeeds> needs_of(const ExecRequest& request, const ExecPlace& place, Whose whose) {
  auto said = said_of(request, whose, on_gpus(request, place));
  WM_TRY(check_limits(request, said));
  auto select = select_of(said.selector);
  if (!select) return select.error().within("node selector");
  WM_TRY(auto near, together(request));
  TaskNeeds needs;
  auto add = [&](const std::string& part) {
    if (!part.empty()) needs.resreqs.push_back(part);
  };
  if (!select->empty()) add("select[" + *select + "]");
  auto cores = std::max(said.gpus ? 1 : said.devices, said.limits.cpus);
  if (cores > 1) add("affinity[core(" + std::to_string(cores) + ")]");
  if (!said.memory.empty()) add("rusage[mem=" + said.memory + "]");
  add(near);
  if (said.gpus) needs.gpu = gpu_option(request, said.devices);
  return needs;
}

namespace {

// A command that is started once for all tasks would be started once for each group.
bool starts_once(const ExecRequest& request) {
  if (!request.user_cmd) return false;
  const auto command = joined(request.words);
  const auto found = training_launcher_of(command);
  return found.launcher == TrainingLauncher::DeepSpeed && !found.has_option("--no_ssh");
}

}  // namespace

Result<bool> driver_is_apart(const ExecRequest& request, const Framework& framework,
                             const ExecPlace& place) {
  bool several = request.workers > 1 && (framework.distributed || request.user_cmd);
  bool alike = framework.elastic || request.tasks_alike || starts_once(request) ||
               request.affinity_rule == "required";
  if (!several || alike || request.driver == DriverWish()) return false;
  WM_TRY(auto own, needs_of(request, place, Whose::Driver));
  WM_TRY(auto others, needs_of(request, place, Whose::Others));
  return own != others;
}

std::string memory_limit_of(const ExecRequest& request) {
  auto limit = larger(request.worker_limits.memory, request.driver.limits.memory);
  return limit.empty() ? limit : larger(limit, larger(request.memory, request.driver.memory));
}

namespace {

// What of the driver's could not be had for itself; empty: all could.
std::string driver_warning(const ExecRequest& request, bool apart) {
  const auto& own = request.driver;
  if (own == DriverWish() || request.workers == 1) return "";
  if (apart && own.limits.memory == request.worker_limits.memory) return "";
  if (apart)
    return "--driverMemoryLimit, --workerMemoryLimit: a job has one limit of memory for all of its "
           "tasks; it is the larger one, " +
           memory_limit_of(request);
  const auto said = first_of(request, false), workers = worker_of(request, false);
  bool changes = own.selector != request.worker_selector || said.devices != workers.devices ||
                 said.memory != workers.memory || said.limits != workers.limits;
  if (!changes) return "";
  return "--driver…, --msd-task0-…: the first task is one of " + std::to_string(request.workers) +
         " workers, which are alike (elastic, started together, or a trial); the larger "
         "amounts are asked for of each";
}

}  // namespace

std::vector<std::string> warnings_of(const ExecRequest& request, bool driver_apart) {
  std::vector<std::string> all;
  for (const auto& option : request.unused) all.push_back(option + ": " + why_unused(option));
  if (request.affinity_rule == "preferred")
    all.emplace_back(
        "--msd-podaffinity-rule preferred: nothing is required; the profile's placement "
        "says which hosts are taken first");
  else if (!request.affinity_key.empty() && request.affinity_rule.empty())
    all.emplace_back("--msd-podaffinity-topology-key: without --msd-podaffinity-rule required");
  if (auto warning = driver_warning(request, driver_apart); !warning.empty())
    all.push_back(std::move(warning));
  return all;
}

}  // namespace wm::rest

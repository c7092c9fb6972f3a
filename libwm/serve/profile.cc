#include "libwm/serve/profile.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "libwm/base/json.h"
#include "libwm/serve/callers.h"
#include "libwm/serve/model.h"
#include "libwm/serve/peers.h"

namespace wm::serve {
namespace {

constexpr std::int64_t kLongest = 365 * 24 * 3600;  // seconds
constexpr std::uint32_t kMostWarm = 64;

// As WMLA writes them; what names a folder of its containers means our own.
Json defaults(const std::string& name, const std::string& when) {
  const std::string kTop = "${REDHARE_TOP}";
  return {
      {"schema_version", "1.2"},
      {"type", "inference"},
      {"name", name},
      {"create_time", when},
      {"last_update_time", when},
      {"replica", 1},
      {"callers", Json::array()},
      {"policy",
       {{"name", "capacity"},
        {"schedule_interval", 3},
        {"kernel_min", 1},
        {"kernel_max", 100},
        {"kernel_delay_release_time", 60},
        {"task_execution_timeout", 60},
        {"task_batch_size", 1},
        {"task_pipe_size", 1},
        {"task_parallel_size", 1},
        {"kernel_warm", 0},
        {"task_once", false},
        {"stream_number_per_group", 0},
        {"stream_discard_slow_tasks", true}}},
      {"security",
       {{"ssl",
         {{"enable", true},
          {"server_crt", kTop + "/security/tls.crt"},
          {"server_key", kTop + "/security/tls.key"}}}}},
      {"resource_allocation",
       {{"service",
         {{"type", "k8s"}, {"namespace", ""}, {"image_name", ""}, {"node_selector", ""}}},
        {"kernel",
         {{"type", "msd"},
          {"namespace", ""},
          {"image_name", ""},
          {"resource_plan", ""},
          {"resources", "ncpus=0.5,ncpus_limit=2,mem=1024,mem_limit=4096"},
          {"accelerator_resources", ""},
          {"gpu_pack_id", ""},
          {"node_selector", ""},
          {"scheduler", ""}}}}},
      {"kernel",
       {{"working_directory", kTop + "/work"},
        {"connection_timeout", 90},
        {"log_directory", kTop + "/logs"},
        {"run_as", ""},
        {"umask", "022"},
        {"gpu", "no"},
        {"envs", Json::array({{{"name", "DLIM_MK_LOG_LEVEL"}, {"value", "INFO"}}})}}},
  };
}

Error bad_profile(std::string_view key, std::string_view rule) {
  return fail(Code::BadArgument, "profile: " + std::string(key) + ": " + std::string(rule));
}

/// Reads one value after another; the first that is wrong is told in the end.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  std::int64_t number(const char* pointer, std::int64_t least, bool or_minus_one = false) {
    const auto& value = at(pointer);
    std::int64_t n = least;
    if (!value.is_number_integer()) {
      refuse(pointer, "a whole number is wanted");
      return n;
    }
    n = value.get<std::int64_t>();
    bool fits = (n >= least && n <= kLongest) || (or_minus_one && n == -1);
    if (!fits)
      refuse(pointer, std::to_string(n) + ": " + (or_minus_one ? "-1, or " : "") + "at least " +
                          std::to_string(least) + " is wanted");
    return n;
  }
  std::string text(const char* pointer) {
    const auto& value = at(pointer);
    if (value.is_string()) return value.get<std::string>();
    refuse(pointer, "a text is wanted");
    return {};
  }
  bool flag(const char* pointer) {
    const auto& value = at(pointer);
    if (value.is_boolean()) return value.get<bool>();
    refuse(pointer, "true or false is wanted");
    return false;
  }
  const Json& at(const char* pointer) {
    static const Json none;
    Json::json_pointer where(pointer);
    return json_.contains(where) ? json_.at(where) : none;
  }
  void refuse(std::string_view pointer, std::string_view rule) {
    if (pointer.starts_with('/')) pointer.remove_prefix(1);
    if (!bad_) bad_ = bad_profile(pointer, rule);
  }
  Result<void> outcome() const { return bad_ ? Result<void>(*bad_) : Result<void>(); }

 private:
  const Json& json_;
  std::optional<Error> bad_;
};

std::uint32_t count(std::int64_t n) { return static_cast<std::uint32_t>(n); }

Policy read_policy(Reader& in) {
  Policy p;
  p.schedule_interval = std::chrono::seconds(in.number("/policy/schedule_interval", 1));
  p.kernel_min = count(in.number("/policy/kernel_min", 0));
  auto most = in.number("/policy/kernel_max", 1, true);
  p.kernel_max = most < 0 || most > kMostKernels ? kMostKernels : count(most);
  if (p.kernel_max < p.kernel_min)
    in.refuse("/policy/kernel_max",
              std::to_string(most) + ": less than kernel_min, " + std::to_string(p.kernel_min));
  p.delay_release = std::chrono::seconds(in.number("/policy/kernel_delay_release_time", 1));
  auto limit = in.number("/policy/task_execution_timeout", 1, true);
  p.execution_timeout = std::chrono::seconds(limit < 0 ? 0 : limit);
  p.batch_size = count(in.number("/policy/task_batch_size", 1));
  p.pipe_size = count(in.number("/policy/task_pipe_size", 1));
  p.parallel_size = count(in.number("/policy/task_parallel_size", 1));
  if (p.batch_size > 4096) in.refuse("/policy/task_batch_size", "at most 4096");
  if (p.pipe_size > 64) in.refuse("/policy/task_pipe_size", "at most 64");
  if (p.parallel_size > 256) in.refuse("/policy/task_parallel_size", "at most 256");
  p.once = in.flag("/policy/task_once");
  p.warm = count(in.number("/policy/kernel_warm", 0));
  if (p.warm > kMostWarm) in.refuse("/policy/kernel_warm", "at most " + std::to_string(kMostWarm));
  p.stream_group = count(in.number("/policy/stream_number_per_group", 0));
  if (p.stream_group > 4096) in.refuse("/policy/stream_number_per_group", "at most 4096");
  p.stream_discards = in.flag("/policy/stream_discard_slow_tasks");
  return p;
}

// One of "ncpus=0.5,ncpus_limit=2,mem=1024,mem_limit=4096".
bool read_amount(std::string_view part, bool shared, Amounts& amounts) {
  auto equals = part.find('=');
  if (equals == part.npos) return false;
  auto name = part.substr(0, equals), value = part.substr(equals + 1);
  double n = 0;
  auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), n);
  if (ec != std::errc() || end != value.data() + value.size()) return false;
  if (!(n >= 0 && n <= 1e6)) return false;
  bool limit = name.ends_with("_limit");
  if (limit) name.remove_suffix(6);
  // A kernel that shares its GPU may go up to the limits; one that has it alone is given the rest.
  if (name == "ncpus" && limit == shared) amounts.milli_cpus = count(std::llround(n * 1000));
  if (name == "mem" && limit) amounts.memory_limit_mb = count(std::llround(n));
  if (name == "mem" && limit == shared) amounts.memory_mb = count(std::llround(n));
  return name == "ncpus" || name == "mem";
}

Amounts read_amounts(Reader& in, bool shared) {
  constexpr const char* kKey = "/resource_allocation/kernel/resources";
  Amounts amounts;
  auto text = in.text(kKey);
  bool has_limits = shared && text.find("_limit") != text.npos;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find(',', at), text.size());
    if (!read_amount(std::string_view(text).substr(at, end - at), has_limits, amounts))
      in.refuse(kKey, "'" + text + "': ncpus=N,ncpus_limit=N,mem=MB,mem_limit=MB is wanted");
    at = end + 1;
  }
  return amounts;
}

GpuUse read_gpu(Reader& in) {
  auto word = in.text("/kernel/gpu");
  if (word == "shared") return GpuUse::Shared;
  if (word == "exclusive") return GpuUse::Exclusive;
  if (word != "no") in.refuse("/kernel/gpu", "'" + word + "': no, shared or exclusive is wanted");
  return GpuUse::None;
}

void read_envs(Reader& in, Profile& profile) {
  for (const auto& entry : in.at("/kernel/envs")) {
    auto variable = read_variable(to_text(entry));
    if (variable) profile.envs.push_back(std::move(*variable));
    else in.refuse("/kernel/envs", variable.error().text);
  }
}

void read_callers(Reader& in, Profile& profile) {
  const auto& list = in.at("/callers");
  bool texts = list.is_array() && std::all_of(list.begin(), list.end(),
                                              [](const Json& name) { return name.is_string(); });
  if (!texts) return in.refuse("/callers", "a list of users, @groups or * is wanted");
  profile.callers = list.get<std::vector<std::string>>();
  if (auto checked = check_callers(profile.callers); !checked)
    in.refuse("/callers", checked.error().text.substr(std::string_view("callers: ").size()));
}

std::uint32_t read_umask(Reader& in) {
  auto text = in.text("/kernel/umask");
  std::uint32_t mask = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), mask, 8);
  if (ec != std::errc() || end != text.data() + text.size() || mask > 0777)
    in.refuse("/kernel/umask", "'" + text + "': three octal digits are wanted");
  return mask;
}

// WMLA's own profiles name folders of its containers, which there are not here.
std::string read_folder(Reader& in, const char* key) {
  auto text = in.text(key);
  if (text.find("${REDHARE_TOP}") != text.npos) return "";
  if (!text.empty() && !text.starts_with('/'))
    in.refuse(key, "'" + text + "': a whole path is wanted");
  return text;
}

// What is not there is refused, never passed over.
void refuse_absent(Reader& in, const std::string& owner) {
  for (const char* key :
       {"/resource_allocation/service/image_name", "/resource_allocation/service/node_selector",
        "/resource_allocation/kernel/node_selector",
        "/resource_allocation/kernel/accelerator_resources",
        "/resource_allocation/kernel/gpu_pack_id"})
    if (!in.text(key).empty()) in.refuse(key, "not supported: leave it empty");
  auto as = in.text("/kernel/run_as");
  if (!as.empty() && as != owner) in.refuse("/kernel/run_as", "kernels run as the owner, " + owner);
}

}  // namespace

namespace {

// Keys of older schemas, which are read or have no meaning here.
Json known_keys() {
  auto known = defaults("", "");
  known["policy"]["schedule_intervel"] = 0;
  for (const char* who : {"service", "kernel"})
    for (const char* old : {"resource_group", "consumer", "resreq"})
      known["resource_allocation"][who][old] = "";
  return known;
}

// Of the first key that `known` has not; none: all are.
std::optional<Error> unknown_key(const Json& given, const Json& known, const std::string& above) {
  for (const auto& [name, value] : given.items()) {
    auto found = known.find(name);
    if (found == known.end()) {
      std::string there;
      for (const auto& [one, unused] : known.items()) there += (there.empty() ? "" : ", ") + one;
      return bad_profile(above + name, "no such key; there are " + there);
    }
    if (!found->is_object() || !value.is_object()) continue;
    if (auto below = unknown_key(value, *found, above + name + "/")) return below;
  }
  return {};
}

}  // namespace

Result<void> check_keys(std::string_view given) {
  auto json = json_or_null(given);
  if (!json.is_object()) return {};  // read_profile says so
  if (auto wrong = unknown_key(json, known_keys(), "")) return *wrong;
  return {};
}

Result<void> check_live(const Profile& running, const Profile& wanted) {
  auto stop_first = [](const char* key, const std::string& why) {
    return fail(Code::Conflict, std::string("profile: ") + key + ": " + why + ": stop it first");
  };
  const char* fixed = nullptr;
  if (running.policy.parallel_size != wanted.policy.parallel_size)
    fixed = "policy/task_parallel_size";
  if (running.replica != wanted.replica) fixed = "replica";
  if (running.policy.warm != wanted.policy.warm) fixed = "policy/kernel_warm";
  if (running.image != wanted.image) fixed = "resource_allocation/kernel/image_name";
  if (running.plan != wanted.plan) fixed = "resource_allocation/kernel/resource_plan";
  if (running.amounts != wanted.amounts) fixed = "resource_allocation/kernel/resources";
  if (running.gpu != wanted.gpu) fixed = "kernel/gpu";
  if (running.umask != wanted.umask) fixed = "kernel/umask";
  if (running.envs != wanted.envs) fixed = "kernel/envs";
  if (running.working_directory != wanted.working_directory) fixed = "kernel/working_directory";
  if (running.log_directory != wanted.log_directory) fixed = "kernel/log_directory";
  if (fixed) return stop_first(fixed, "kernels that run have it already");
  auto signed_for = [](std::uint32_t n) { return "it was started with " + std::to_string(n); };
  if (wanted.policy.kernel_max > running.policy.kernel_max)
    return stop_first("policy/kernel_max", signed_for(running.policy.kernel_max));
  if (wanted.policy.kernel_min < running.policy.kernel_min)
    return stop_first("policy/kernel_min", signed_for(running.policy.kernel_min));
  return {};
}

std::string with_warm(std::string_view given, std::uint32_t hosts) {
  auto json = given.empty() ? Json::object() : json_or_null(given);
  bool fits = json.is_object() && (!json.contains("policy") || json["policy"].is_object());
  if (!fits) return std::string(given);
  json["policy"].emplace("kernel_warm", hosts);
  return to_text(json);
}

std::uint32_t warm_hosts(std::string_view profile) {
  auto json = json_or_null(profile);
  Json::json_pointer where("/policy/kernel_warm");
  bool says = json.is_object() && json.contains(where) && json.at(where).is_number_unsigned();
  return says ? std::min(json.at(where).get<std::uint32_t>(), kMostWarm) : 0;
}

std::string gpu_request(GpuUse use) {
  switch (use) {
    case GpuUse::None: return "";
    case GpuUse::Shared: return "num=0.25:mode=shared";
    case GpuUse::Exclusive: return "num=1";
  }
  return "";
}

Result<Profile> read_profile(const std::string& name, const std::string& owner,
                             std::string_view given, WallTime now) {
  auto when = date_text(now);
  Json json = defaults(name, when);
  if (!given.empty()) {
    auto own = json_or_null(given);
    if (!own.is_object()) return fail(Code::BadArgument, "profile: a JSON object is wanted");
    if (auto policy = own.find("policy"); policy != own.end() && policy->is_object())
      if (auto old = policy->find("schedule_intervel"); old != policy->end()) {
        (*policy)["schedule_interval"] = *old;  // as an older schema has it
        policy->erase("schedule_intervel");
      }
    json.merge_patch(own);
  }
  json["name"] = name;
  json["last_update_time"] = when;
  Reader in(json);
  Profile profile;
  profile.name = name;
  profile.replica = count(in.number("/replica", 1));
  if (profile.replica > kMostRouters)
    in.refuse("/replica", "at most " + std::to_string(kMostRouters));
  profile.policy = read_policy(in);
  profile.connection_timeout = std::chrono::seconds(in.number("/kernel/connection_timeout", 1));
  profile.image = in.text("/resource_allocation/kernel/image_name");
  profile.plan = in.text("/resource_allocation/kernel/resource_plan");
  if (!profile.plan.empty() && profile.plan.front() != '/') profile.plan.insert(0, "/");
  profile.gpu = read_gpu(in);
  profile.amounts = read_amounts(in, profile.gpu == GpuUse::Shared);
  profile.umask = read_umask(in);
  profile.working_directory = read_folder(in, "/kernel/working_directory");
  profile.log_directory = read_folder(in, "/kernel/log_directory");
  read_envs(in, profile);
  read_callers(in, profile);
  refuse_absent(in, owner);
  WM_TRY(in.outcome());
  profile.text = to_text(json, 2);
  return profile;
}

}  // namespace wm::serve

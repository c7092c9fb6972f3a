#include "libwm/conf/catalog_conf.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "libwm/base/nearest.h"
#include "libwm/conf/ini.h"

namespace wm::conf {
namespace {

constexpr std::string_view kDevices[] = {"any", "cpu", "gpu"};
constexpr std::string_view kGpuKinds[] = {"full", "generic", "slice"};
constexpr std::int64_t kMost = 100000;

using F = Framework;
constexpr Key<F> kFrameworkKeys[] = {
    {"summary", [](F& f) -> Field { return &f.summary; }, kAny, Effect::Reconfig,
     "One sentence for lists."},
    {"version", [](F& f) -> Field { return &f.version; }, kAny, Effect::Reconfig,
     "As lists show it. Empty: that of the module, where it is there."},
    {"app_name", [](F& f) -> Field { return &f.app_name; }, kAny, Effect::Reconfig,
     "Name of executions that bring none."},
    {"backend", [](F& f) -> Field { return &f.backend; }, kAny, Effect::Reconfig,
     "pytorch, tensorflow or another word; code that imports only the other of the two is "
     "refused."},
    {"memory", [](F& f) -> Field { return &f.memory; }, kAny, Effect::Reconfig,
     "What lists show as memory of a worker. Executions ask for their own."},
    {"distributed", [](F& f) -> Field { return &f.distributed; }, kAny, Effect::Reconfig,
     "Several workers, all at once."},
    {"elastic", [](F& f) -> Field { return &f.elastic; }, kAny, Effect::Reconfig,
     "Workers come and go."},
    {"module", [](F& f) -> Field { return &f.module; }, kAny, Effect::Reconfig,
     "Python module without which a start is refused. Empty: none."},
    {"aliases", [](F& f) -> Field { return &f.aliases; }, kAny, Effect::Reconfig,
     "Other names, without their versions."},
    {"device",
     [](F& f) -> Field {
       return Choice{&f.device, kDevices};
     },
     kAny, Effect::Reconfig, "What it runs on; a start on the other is refused."},
    {"max_workers",
     [](F& f) -> Field { return &f.most_workers; },
     {1, kMost},
     Effect::Reconfig,
     "Most workers of a distributed one."},
    {"env_modules", [](F& f) -> Field { return &f.env_modules; }, kAny, Effect::Reconfig,
     "Environment modules that each task loads first."},
    {"venv", [](F& f) -> Field { return &f.venv; }, kAny, Effect::Reconfig,
     "Folder of a Python virtual environment, seen by all hosts, that tasks run in."},
    {"conda_home", [](F& f) -> Field { return &f.conda_home; }, kAny, Effect::Reconfig,
     "Folder of conda, seen by all hosts."},
    {"conda_env", [](F& f) -> Field { return &f.conda_env; }, kAny, Effect::Reconfig,
     "Environment of conda that tasks run in."},
    {"exports", [](F& f) -> Field { return &f.exports; }, kAny, Effect::Reconfig,
     "Environment variables of every task, NAME=VALUE."},
    {"refusal", [](F& f) -> Field { return &f.refusal; }, kAny, Effect::Reconfig,
     "Why nothing of it can be started here; shown as it stands. Empty: it can."},
};

using V = Volume;
constexpr Key<V> kVolumeKeys[] = {
    {"path", [](V& v) -> Field { return &v.path; }, kAny, Effect::Reconfig,
     "Folder, seen by all hosts under this path."},
    {"description", [](V& v) -> Field { return &v.description; }, kAny, Effect::Reconfig,
     "One sentence for lists."},
    {"groups", [](V& v) -> Field { return &v.groups; }, kAny, Effect::Reconfig,
     "Groups of accounts that it is shown to. Empty: all. What files may be read is up to their "
     "permissions."},
    {"read_only", [](V& v) -> Field { return &v.read_only; }, kAny, Effect::Reconfig,
     "Nothing is downloaded to it."},
};

using Spec = HardwareSpec;
constexpr Key<Spec> kHardwareKeys[] = {
    {"description", [](Spec& s) -> Field { return &s.description; }, kAny, Effect::Reconfig,
     "One sentence for lists."},
    {"cpus",
     [](Spec& s) -> Field { return &s.cpus; },
     {1, kMost},
     Effect::Reconfig,
     "CPUs of a worker."},
    {"memory", [](Spec& s) -> Field { return &s.memory; }, kAny, Effect::Reconfig,
     "Memory of a worker, 16G. Empty: what the queue gives."},
    {"gpus",
     [](Spec& s) -> Field { return &s.gpus; },
     {0, kMost},
     Effect::Reconfig,
     "GPUs of a worker. 0: none."},
    {"gpu_kind",
     [](Spec& s) -> Field {
       return Choice{&s.kind, kGpuKinds};
     },
     kAny, Effect::Reconfig, "full or generic: whole GPUs; slice: a MIG slice of each."},
    {"mig", [](Spec& s) -> Field { return &s.mig; }, kAny, Effect::Reconfig,
     "MIG profile of a slice, 1g.10gb."},
};

template <class T>
void read_entry(const std::string& file, std::span<const Key<T>> keys, const Entry& entry, T& value,
                Problems& problems) {
  std::vector<std::string_view> names;
  for (const auto& key : keys) names.push_back(key.name);
  auto key =
      std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.name == entry.key; });
  if (key == keys.end()) {
    auto near = nearest(entry.key, names);
    problems.add({file, entry.line},
                 "unknown key '" + entry.key + "'" +
                     (near.empty() ? "" : " (nearest: " + std::string(near) + ")"));
  } else if (auto done = set_field(key->field(value), entry.value, key->range); !done) {
    problems.add({file, entry.line}, entry.key + ": " + done.error().text);
  }
}

template <class T>
Result<std::vector<T>> parse_sections(const std::string& file, const std::string& text,
                                      std::span<const Key<T>> keys) {
  Problems problems;
  auto ini = read_ini(file, text, problems);
  std::vector<T> all;
  for (const auto& section : ini.sections) {
    if (section.name.empty() && !section.entries.empty())
      problems.add({file, section.entries.front().line}, "a [section] is wanted before it");
    if (section.name.empty()) continue;
    T value;
    value.name = section.name;
    for (const auto& entry : section.entries) read_entry(file, keys, entry, value, problems);
    all.push_back(std::move(value));
  }
  if (!problems.empty()) return problems.error();
  return all;
}

const Framework* find(const std::vector<Framework>& known, const std::string& name) {
  auto found =
      std::find_if(known.begin(), known.end(), [&](const Framework& f) { return f.name == name; });
  return found == known.end() ? nullptr : &*found;
}

// What a section begins from: the one of its name, the one that it is like, or nothing.
Framework start_of(const Section& section, const std::vector<Framework>& known,
                   Problems& problems) {
  Framework start;
  if (const auto* same = find(known, section.name)) start = *same;
  for (const auto& entry : section.entries) {
    if (entry.key != "like") continue;
    const auto* other = find(known, entry.value);
    if (other == nullptr)
      problems.add({"frameworks.conf", entry.line}, "like: no framework '" + entry.value + "'");
    else start = *other;
    if (other != nullptr && other->name != section.name) start.aliases.clear();
  }
  start.name = section.name;
  return start;
}

}  // namespace

std::span<const Key<Framework>> framework_keys() { return kFrameworkKeys; }
std::span<const Key<Volume>> volume_keys() { return kVolumeKeys; }
std::span<const Key<HardwareSpec>> hardware_keys() { return kHardwareKeys; }

Result<void> add_frameworks(const std::string& text, const std::string& origin,
                            std::vector<Framework>& known) {
  Problems problems;
  auto ini = read_ini("frameworks.conf", text, problems);
  for (const auto& section : ini.sections) {
    if (section.name.empty()) continue;
    auto framework = start_of(section, known, problems);
    framework.origin = origin;
    for (const auto& entry : section.entries)
      if (entry.key != "like")
        read_entry("frameworks.conf", framework_keys(), entry, framework, problems);
    if (framework.app_name.empty()) framework.app_name = framework.name;
    framework.distributed = framework.distributed || framework.elastic;
    std::erase_if(known, [&](const Framework& f) { return f.name == framework.name; });
    known.push_back(std::move(framework));
  }
  if (!problems.empty()) return problems.error();
  return {};
}

Result<std::vector<Volume>> parse_volumes(const std::string& text) {
  WM_TRY(auto all, parse_sections<Volume>("volumes.conf", text, volume_keys()));
  for (const auto& volume : all)
    if (!volume.path.starts_with('/'))
      return fail(Code::BadArgument, "volumes.conf: " + volume.name + ": path: a folder is wanted");
  return all;
}

Result<std::vector<HardwareSpec>> parse_hardware(const std::string& text) {
  WM_TRY(auto all, parse_sections<HardwareSpec>("hwspecs.conf", text, hardware_keys()));
  for (const auto& spec : all)
    if ((spec.kind == "slice") != !spec.mig.empty())
      return fail(Code::BadArgument,
                  "hwspecs.conf: " + spec.name + ": gpu_kind = slice and mig go together");
  return all;
}

Result<std::string> to_section(const Framework& framework) {
  auto copy = framework;
  std::string text = "[" + framework.name + "]\n";
  for (const auto& key : kFrameworkKeys) {
    auto value = show_field(key.field(copy));
    if (value.find_first_of("\r\n#") != value.npos)
      return fail(Code::BadArgument, std::string(key.name) + ": '#' and line ends cannot be kept");
    if (!value.empty()) text += std::string(key.name) + " = " + value + "\n";
  }
  return text;
}

Result<std::string> text_of_file(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0 && errno == ENOENT) return std::string();
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad() || !in.is_open()) return fail(Code::System, path + ": " + std::strerror(errno));
  return text;
}

}  // namespace wm::conf

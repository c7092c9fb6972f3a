// Names of LSF over what the model knows of a host.
#include "libwm/expr/value.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "libwm/model/machine_words.h"

namespace wm::expr {
namespace {

double megabytes(Bytes bytes) { return static_cast<double>(bytes.value) / (1 << 20); }

std::optional<Value> capacity_value(const Host& host, std::string_view name) {
  const auto& c = host.capacity;
  if (name == "ncpus" || name == "ncores" || name == "nprocs" || name == "nthreads")
    return Value(c.milli_cpus / 1000.0);
  if (name == "slots") return Value(double(c.slots) - host.used_slots);
  if (name == "maxslots") return Value(double(c.slots));
  if (name == "mem") return Value(megabytes(c.mem - host.used_mem));
  if (name == "maxmem") return Value(megabytes(c.mem));
  if (name == "gpu" && !c.gpus.empty()) return Value(1.0);
  if (name == "ngpus" || name == "ngpus_physical") return Value(double(c.gpus.size()));
  if (name == "gpu_model" && !c.gpus.empty()) return Value(gpu_model_word(c.gpus.front().model));
  return std::nullopt;
}

// Load that is not measured: an idle host with room without end.
std::optional<Value> load_value(std::string_view name) {
  for (auto idle : {"r15s", "r1m", "r15m", "ut", "pg", "io", "ls"})
    if (name == idle) return Value(0.0);
  for (auto endless : {"it", "tmp", "swp", "maxtmp", "maxswp"})
    if (name == endless) return Value(std::numeric_limits<double>::infinity());
  return std::nullopt;
}

// "ssd" is a Boolean, "500" a number, anything else a text.
Value site_value(const std::string& text) {
  if (text.empty()) return 1.0;
  double number = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec == std::errc() && end == text.data() + text.size()) return number;
  return text;
}

}  // namespace

std::optional<Value> host_value(const Host& host, const HostConf* conf, std::string_view name) {
  if (conf) {
    auto own = conf->resources.find(std::string(name));
    if (own != conf->resources.end()) return site_value(own->second);
    if (std::find(conf->groups.begin(), conf->groups.end(), name) != conf->groups.end())
      return Value(1.0);
  }
  if (name == "hname") return Value(host.name);
  if (name == "type") return Value(host_type_word(host.type));
  if (name == "model") return Value(host_model_word(host.model));
  if (name == "cpuf" || name == "server") return Value(1.0);
  if (auto value = capacity_value(host, name)) return value;
  return load_value(name);
}

}  // namespace wm::expr

// Words of the configuration's enumerations, and look-up by name.
#include "libwm/model/config/config.h"

#include <algorithm>
#include <array>

namespace wm {
namespace {

template <std::size_t N, class Enum>
std::string_view word(const std::array<std::string_view, N>& words, Enum value) {
  auto i = static_cast<std::size_t>(value);
  return i < N ? words[i] : "unknown";
}

template <class T>
const T* find(const std::vector<T>& sorted, std::string T::*key, std::string_view name) {
  auto at = std::lower_bound(sorted.begin(), sorted.end(), name,
                             [&](const T& e, std::string_view n) { return e.*key < n; });
  return at != sorted.end() && (*at).*key == name ? &*at : nullptr;
}

Bytes unit_of(std::string_view unit, Bytes usual) {
  constexpr std::array<std::string_view, 5> kUnits = {"KB", "MB", "GB", "TB", "PB"};
  auto at = std::find(kUnits.begin(), kUnits.end(), unit);
  return at == kUnits.end() ? usual : Bytes{std::int64_t{1} << (10 * (at - kUnits.begin() + 1))};
}

}  // namespace

Bytes LsfConf::limit_unit() const { return unit_of(unit, Bytes{1 << 10}); }
Bytes LsfConf::mem_unit() const { return unit_of(unit, Bytes{1 << 20}); }

std::string_view to_string(AppType type) {
  return word(std::array<std::string_view, 4>{"batch", "training", "notebook", "inference"}, type);
}
std::string_view to_string(ResizeMode mode) {
  return word(std::array<std::string_view, 5>{"auto", "inplace", "restart", "tasks", "notify"},
              mode);
}
std::string_view to_string(GpuMode mode) {
  return word(std::array<std::string_view, 2>{"exclusive", "shared"}, mode);
}
std::string_view to_string(PlanPolicy policy) {
  return word(std::array<std::string_view, 2>{"fairshare", "priority"}, policy);
}
std::string_view to_string(Borrow borrow) {
  return word(std::array<std::string_view, 3>{"any", "none", "listed"}, borrow);
}
std::string_view to_string(Interactive interactive) {
  return word(std::array<std::string_view, 3>{"yes", "no", "only"}, interactive);
}

std::string_view to_string(Backfill backfill) {
  return word(std::array<std::string_view, 3>{"none", "easy", "conservative"}, backfill);
}
std::string_view to_string(JobOrder order) {
  return word(std::array<std::string_view, 3>{"fcfs", "fairshare", "slowdown"}, order);
}

std::string_view to_string(PlaceBy place) {
  return word(std::array<std::string_view, 3>{"pack", "spread", "topology"}, place);
}
std::string_view to_string(PreemptBy preempt_by) {
  return word(std::array<std::string_view, 4>{"shrink", "requeue", "suspend", "kill"}, preempt_by);
}
std::string_view to_string(SizeBy size_by) {
  return word(std::array<std::string_view, 2>{"fairshare", "goodput"}, size_by);
}
std::string_view to_string(JobInfo info) {
  return word(std::array<std::string_view, 3>{"all", "summary", "none"}, info);
}

const QueueConf* Config::queue(std::string_view name) const {
  return find(queues, &QueueConf::name, name);
}
const HostConf* Config::host(std::string_view name) const {
  return find(hosts, &HostConf::name, name);
}
const PlanConf* Config::plan(std::string_view path) const {
  return find(plans, &PlanConf::path, path);
}
const AppConf* Config::app(std::string_view name) const { return find(apps, &AppConf::name, name); }
const UserConf* Config::user(std::string_view name) const {
  return find(users, &UserConf::name, name);
}

const ServiceClass* Config::service_class(std::string_view name) const {
  return find(classes, &ServiceClass::name, name);
}

}  // namespace wm

#include "daemons/wuserd/cluster/host_list.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/view/gpu_fields.h"

namespace wm::user {
namespace {

// A reader has got all of its parts by then; one that is slower reads newer hosts.
constexpr auto kPartsCome = std::chrono::seconds(20);

bool is_usable(const HostView& view) {
  return view.connected && view.host.state == HostState::Ok && !view.host.closed;
}

}  // namespace

Result<HostPart> host_part(const rest::Target& target) {
  HostPart part;
  part.after = target.value("after");
  auto out = target.value("out");
  if (!out.empty() && out != "yes")
    return fail(Code::BadArgument, "out: yes is wanted, or nothing");
  part.out = !out.empty();
  auto text = target.value("limit");
  if (text.empty()) return part;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), part.limit);
  bool whole = ec == std::errc() && end == text.data() + text.size();
  if (whole && part.limit >= 1 && part.limit <= kMostHostsInPart) return part;
  return fail(Code::BadArgument,
              "limit: a number from 1 to " + std::to_string(kMostHostsInPart) + " is wanted");
}

std::vector<HostView> hosts_of(std::span<const HostView> all, const HostPart& part) {
  auto name = [](const HostView& view) -> const std::string& { return view.host.name; };
  auto from =
      part.after.empty() ? all.begin() : std::ranges::upper_bound(all, part.after, {}, name);
  std::vector<HostView> found;
  for (auto at = from; at != all.end(); ++at) {
    if (part.out && is_usable(*at)) continue;
    if (part.limit != 0 && found.size() == part.limit) break;
    found.push_back(*at);
  }
  return found;
}

std::string capacity_json(std::span<const HostView> all) {
  std::int64_t usable = 0, slots = 0, used = 0, gpus = 0, gpus_used = 0, gpus_all = 0;
  for (const auto& view : all) {
    auto devices = static_cast<std::int64_t>(view.host.capacity.gpus.size());
    gpus_all += devices;
    if (!is_usable(view)) continue;
    ++usable;
    slots += view.host.capacity.slots;
    used += view.host.used_slots;
    gpus += devices;
    gpus_used += static_cast<std::int64_t>(view::gpus_held(view.host));
  }
  return to_text(Json{{"hosts", all.size()},
                      {"usable", usable},
                      {"slots", slots},
                      {"slots_used", used},
                      {"gpus", gpus},
                      {"gpus_used", gpus_used},
                      {"gpus_all", gpus_all}});
}

HostList::Hosts HostList::recent(TimePoint now) const {
  std::lock_guard guard(mutex_);
  return hosts_ && now - told_ <= kPartsCome ? hosts_ : nullptr;
}

HostList::Hosts HostList::keep(std::vector<HostView> hosts, TimePoint now) {
  auto kept = std::make_shared<const std::vector<HostView>>(std::move(hosts));
  std::lock_guard guard(mutex_);
  hosts_ = kept;
  told_ = now;
  return kept;
}

}  // namespace wm::user

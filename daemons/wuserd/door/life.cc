#include "daemons/wuserd/door/life.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "libwm/base/clock.h"
#include "libwm/base/log.h"
#include "libwm/proc/accounts.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLongestIdle = 1h, kQuiet = 2s;
constexpr auto kBetweenLooks = 1s;
constexpr int kLooksALife = 30;

// The kernel says of a file that another has replaced that it is deleted.
bool is_replaced() {
  std::array<char, 4096> path{};
  auto size = ::readlink("/proc/self/exe", path.data(), path.size());
  return size > 0 &&
         std::string_view(path.data(), static_cast<std::size_t>(size)).ends_with(" (deleted)");
}

std::vector<gid_t> groups_of_account() {
  auto own = proc::account(::getuid());
  return own ? proc::groups_of(*own) : std::vector<gid_t>();
}

LifeFacts facts_of(const Site& site, const std::vector<gid_t>& then) {
  LifeFacts facts{site.open.idle(steady_now()), is_replaced(), true, then, then};
  auto own = proc::account(::getuid());
  if (own) facts.groups_now = proc::groups_of(*own);
  else facts.account = own.error().code != Code::NotFound;  // a sick name service ends nobody
  return facts;
}

void watch(Site& site, const std::vector<gid_t>& then) {
  for (int looks = 1;; ++looks) {
    std::this_thread::sleep_for(kBetweenLooks);
    site.open.look();
    if (looks % kLooksALife != 0) continue;
    auto why = why_to_end(facts_of(site, then));
    if (!why) continue;
    log::info("wuserd_ends", {{"why", *why}});
    std::_Exit(0);
  }
}

}  // namespace

std::optional<std::string> why_to_end(const LifeFacts& facts) {
  if (!facts.account) return "the account is gone";
  bool lost = std::ranges::any_of(facts.groups_then, [&](gid_t group) {
    return std::ranges::find(facts.groups_now, group) == facts.groups_now.end();
  });
  if (lost) return "the account has lost a group";
  if (facts.replaced && facts.idle >= kQuiet) return "its program was replaced";
  if (facts.idle >= kLongestIdle) return "nobody has asked anything for an hour";
  return std::nullopt;
}

void watch_life(Site& site) {
  std::thread([&site, then = groups_of_account()] { watch(site, then); }).detach();
}

}  // namespace wm::user

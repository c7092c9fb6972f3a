#include "libwm/kernel/routers.h"

#include <algorithm>
#include <cstdlib>

#include "libwm/base/backoff.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/serve/peers.h"

namespace wm::kernel {
namespace {

using namespace std::chrono_literals;
constexpr Duration kFirstRoundPause = 50ms, kLongestRoundPause = 500ms;

std::uint32_t count_of_routers() {
  const char* told = std::getenv("WM_SERVICE_REPLICA");
  int count = told == nullptr ? 1 : std::atoi(told);
  return static_cast<std::uint32_t>(std::clamp(count, 1, static_cast<int>(serve::kMostRouters)));
}

}  // namespace

Result<std::unique_ptr<Routers>> Routers::open(const Place& place) {
  auto count = count_of_routers();
  std::unique_ptr<Routers> routers(new Routers(count));
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    WM_TRY(auto link, RouterLink::make(place, serve::router_name(rank), routers->inbox_));
    routers->links_.push_back(std::move(link));
  }
  WM_TRY(routers->connect_any(place.patience));
  for (auto& link : routers->links_) link->start();
  return routers;
}

// All that are there; one at least.
Result<void> Routers::connect_any(Duration patience) {
  auto end = steady_now() + patience;
  for (Backoff tries(kFirstRoundPause, kLongestRoundPause, random_number());; tries.sleep()) {
    Result<void> connected;
    bool any = false;
    for (auto& link : links_) {
      auto made = link->connect();
      any = any || made;
      if (!made) connected = made;
    }
    if (any) return {};
    if (steady_now() > end) return connected;
  }
}

void Routers::leave() {
  for (auto& link : links_) link->leave();
}

std::uint32_t Routers::workers() const {
  std::uint32_t most = 1;
  for (const auto& link : links_) most = std::max(most, link->workers());
  return most;
}

}  // namespace wm::kernel

#include "daemons/wuserd/site/open_requests.h"

#include <sys/socket.h>

#include <utility>
#include <vector>

#include "libwm/base/clock.h"

namespace wm::user {

OpenRequests::Entry::Entry(OpenRequests& all, int fd, Still still) : all_(all) {
  std::lock_guard hold(all_.mutex_);
  number_ = all_.next_++;
  all_.requests_.emplace(number_, Request{fd, std::move(still)});
}

OpenRequests::Entry::~Entry() {
  std::lock_guard hold(all_.mutex_);
  all_.requests_.erase(number_);
  all_.last_ = steady_now();
}

// Asked without the lock, since an answer may take a while; cut under it, so that the descriptor is
// still the request's own.
void OpenRequests::look() {
  std::vector<std::pair<std::uint64_t, Still>> all;
  {
    std::lock_guard hold(mutex_);
    for (const auto& [number, request] : requests_) all.emplace_back(number, request.still);
  }
  for (const auto& [number, still] : all) {
    if (still()) continue;
    std::lock_guard hold(mutex_);
    auto found = requests_.find(number);
    if (found != requests_.end()) (void)::shutdown(found->second.fd, SHUT_RDWR);
  }
}

Duration OpenRequests::idle(TimePoint now) const {
  std::lock_guard hold(mutex_);
  return requests_.empty() ? now - last_ : Duration::zero();
}

}  // namespace wm::user

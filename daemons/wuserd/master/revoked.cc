#include "daemons/wuserd/master/revoked.h"

#include <algorithm>

#include "libwm/base/clock.h"

namespace wm::user {
namespace {

constexpr auto kFresh = std::chrono::seconds(2), kAway = std::chrono::seconds(5);
constexpr Duration kRevokedPatience = std::chrono::milliseconds(500);

}  // namespace

void Revoked::ask() {
  if (!master_) {
    if (auto made = client::Master::of(conf_, kRevokedPatience)) master_.emplace(*std::move(made));
  }
  RevokedRequest request;
  auto reply =
      master_ ? master_->ask(request) : Result<RevokedReply>(fail(Code::Unavailable, "no master"));
  std::lock_guard lock(mutex_);
  next_ = steady_now() + (reply ? kFresh : kAway);
  if (reply) told_ = std::move(reply->revoked);
}

bool Revoked::hold(const rest::Claims& claims) {
  bool late = false, never = false;
  {
    std::lock_guard lock(mutex_);
    late = steady_now() >= next_;
    never = next_ == std::chrono::steady_clock::time_point{};
  }
  if (late) {
    std::unique_lock asking(asking_, std::defer_lock);
    if (never) asking.lock();
    else (void)asking.try_lock();
    if (asking.owns_lock()) ask();
  }
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(rest::ids_of(claims.id), [&](const auto& id) {
    return told_.hold(id, claims.user, claims.issued);
  });
}

}  // namespace wm::user

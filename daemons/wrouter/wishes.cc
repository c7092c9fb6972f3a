#include "daemons/wrouter/wishes.h"

#include "libwm/base/backoff.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/client/master.h"

namespace wm::router {
namespace {

constexpr Duration kFirstPause = std::chrono::seconds(1), kLongestPause = std::chrono::seconds(10);

}  // namespace

Wishes::Wishes(ClusterConf conf, JobId job) : conf_(std::move(conf)), job_(job) {
  std::thread([this] { run(); }).detach();
}

void Wishes::set(Wish wish, bool again) {
  std::lock_guard hold(lock_);
  if (again) said_.reset();
  wanted_ = std::move(wish);
  any_ = true;
  news_.notify_one();
}

void Wishes::run() {
  for (Backoff tries(kFirstPause, kLongestPause, random_number());;) {
    Wish wanted;
    {
      std::unique_lock hold(lock_);
      news_.wait(hold, [this] { return any_ && said_ != wanted_; });
      wanted = wanted_;
    }
    auto said = say(wanted);
    if (!said) {
      log::warn("resize_failed", {{"kernels", wanted.kernels}, {"why", said.error().text}});
      tries.sleep();
      continue;
    }
    tries.reset();
    std::lock_guard hold(lock_);
    if (wanted == wanted_) said_ = wanted;
  }
}

Result<void> Wishes::say(const Wish& wish) {
  WM_TRY(auto master, client::Master::of(conf_, std::chrono::seconds(10)));
  ResizeRequest request{
      .job = job_, .kind = ResizeRequest::Kind::Set, .tasks = wish.kernels, .group = "kernel"};
  request.serving = wish.serving;
  auto reply = master.ask(request);
  return reply ? Result<void>() : Result<void>(reply.error());
}

}  // namespace wm::router

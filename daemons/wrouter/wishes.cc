#include "daemons/wrouter/wishes.h"

#include "libwm/base/backoff.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/client/master.h"

namespace wm::router {
namespace {

constexpr Duration kFirstPause = std::chrono::seconds(1), kLongestPause = std::chrono::seconds(10);

Result<void> say_to_master(const ClusterConf& conf, JobId job, const Wish& wish) {
  WM_TRY(auto master, client::Master::of(conf, std::chrono::seconds(10)));
  ResizeRequest request{
      .job = job, .kind = ResizeRequest::Kind::Set, .tasks = wish.kernels, .group = "kernel"};
  request.serving = wish.serving;
  auto reply = master.ask(request);
  return reply ? Result<void>() : Result<void>(reply.error());
}

}  // namespace

Wishes::Wishes(const ClusterConf& conf, JobId job)
    : Wishes([conf, job](const Wish& wish) { return say_to_master(conf, job, wish); },
             kFirstPause) {}

Wishes::Wishes(Say say, Duration pause) : say_(std::move(say)), pause_(pause) {
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
  for (Backoff tries(pause_, kLongestPause, random_number());;) {
    Wish wanted;
    {
      std::unique_lock hold(lock_);
      news_.wait(hold, [this] { return any_ && said_ != wanted_; });
      said_ = wanted = wanted_;  // what is wished meanwhile, or again, is said as well
    }
    if (auto said = say_(wanted); !said) {
      log::warn("resize_failed", {{"kernels", wanted.kernels}, {"why", said.error().text}});
      set_unsaid();
      tries.sleep();
      continue;
    }
    tries.reset();
  }
}

void Wishes::set_unsaid() {
  std::lock_guard hold(lock_);
  said_.reset();
}

}  // namespace wm::router

#include "daemons/wuserd/masters.h"

namespace wm::user {
namespace {

constexpr std::size_t kKept = 8;
constexpr Duration kPatience = std::chrono::seconds(5);  // while the master is away

}  // namespace

Result<Masters::Lease> Masters::take() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto master = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(master));
    }
  }
  WM_TRY(auto master, client::Master::of(conf_, kPatience));
  return Lease(*this, std::make_unique<client::Master>(std::move(master)));
}

void Masters::give_back(std::unique_ptr<client::Master> master) {
  std::lock_guard lock(mutex_);
  if (idle_.size() < kKept) idle_.push_back(std::move(master));
}

}  // namespace wm::user

#include "daemons/wuserd/master/masters.h"

namespace wm::user {
namespace {

constexpr std::size_t kKeptMasters = 8;
constexpr Duration kMasterPatience = std::chrono::seconds(5);  // while the master is away

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
  WM_TRY(auto master, client::Master::of(conf_, kMasterPatience));
  return Lease(*this, std::make_unique<client::Master>(std::move(master)));
}

void Masters::give_back(std::unique_ptr<client::Master> master) {
  std::lock_guard lock(mutex_);
  if (idle_.size() < kKeptMasters) idle_.push_back(std::move(master));
}

}  // namespace wm::user

// How many kernels a router wants reaches the master: once, again where that failed, the newest
// alone.
#include "daemons/wrouter/wishes.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace wm::router {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLong = 20s;      // of what comes in milliseconds
constexpr Duration kMoment = 100ms;  // something that is not to happen would have by then

/// A master that keeps what it is told, and fails or waits as long as the test wants it to.
class PlayedMaster {
 public:
  Result<void> hear(const Wish& wish) {
    std::unique_lock hold(lock_);
    said_.push_back(wish.kernels);
    news_.notify_all();
    news_.wait(hold, [&] { return open_; });
    if (failures_ == 0) return {};
    --failures_;
    return fail(Code::Unavailable, "it is away");
  }
  void fails(int times) {
    std::lock_guard hold(lock_);
    failures_ = times;
  }
  void answers(bool open) {
    std::lock_guard hold(lock_);
    open_ = open;
    news_.notify_all();
  }
  /// Has it been told these and nothing else, by now or within `time`?
  bool heard(const std::vector<std::uint32_t>& wanted, Duration time = kLong) {
    std::unique_lock hold(lock_);
    news_.wait_for(hold, time, [&] { return said_.size() > wanted.size(); });
    return said_ == wanted;
  }
  bool hears(std::size_t times) {
    std::unique_lock hold(lock_);
    return news_.wait_for(hold, kLong, [&] { return said_.size() >= times; });
  }

 private:
  std::mutex lock_;
  std::condition_variable news_;
  std::vector<std::uint32_t> said_;  // Guarded by lock_.
  int failures_ = 0;                 // Guarded by lock_.
  bool open_ = true;                 // Guarded by lock_.
};

class wishes : public ::testing::Test {
 protected:
  // What says them goes on as long as the process.
  wishes()
      : all(new Wishes([master = master](const Wish& wish) { return master->hear(wish); }, 1ms)) {}
  void set(std::uint32_t kernels, bool again = false) { all->set({kernels, {}}, again); }
  /// These, and nothing more a moment later.
  bool heard(const std::vector<std::uint32_t>& wanted) {
    return master->hears(wanted.size()) && master->heard(wanted, kMoment);
  }

  std::shared_ptr<PlayedMaster> master = std::make_shared<PlayedMaster>();
  Wishes* all;
};

TEST_F(wishes, nothing_is_said_before_there_is_one) { EXPECT_TRUE(heard({})); }

TEST_F(wishes, one_is_said_once_and_again_on_demand) {
  set(3);
  EXPECT_TRUE(heard({3}));
  set(3);
  EXPECT_TRUE(heard({3}));
  set(3, true);
  EXPECT_TRUE(heard({3, 3}));
}

TEST_F(wishes, no_kernel_is_a_wish_too) {
  set(0);
  EXPECT_TRUE(heard({0}));
}

TEST_F(wishes, one_that_was_not_heard_is_said_again_until_it_is) {
  master->fails(3);
  set(2);
  EXPECT_TRUE(heard({2, 2, 2, 2}));
}

TEST_F(wishes, one_that_is_wished_again_while_it_is_said_is_said_again) {
  master->answers(false);
  set(3);
  ASSERT_TRUE(master->hears(1));
  set(3, true);
  master->answers(true);
  EXPECT_TRUE(heard({3, 3})) << "others may have said something else in between";
}

TEST_F(wishes, while_the_master_takes_its_time_the_newest_alone_counts) {
  master->answers(false);
  set(1);
  ASSERT_TRUE(master->hears(1));
  for (std::uint32_t kernels : {4u, 9u, 6u}) set(kernels);
  master->answers(true);
  EXPECT_TRUE(heard({1, 6}));
  set(1);
  EXPECT_TRUE(heard({1, 6, 1}));
}

}  // namespace
}  // namespace wm::router

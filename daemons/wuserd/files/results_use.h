// Role: how much a user's results take up, counted in the background, and what that means where the
// site has set a limit. Every answer is of the last count: nobody waits for a walk through files.
//
//   use() ── too old ──► thread: walk ──► .used beside the results ──► the next use()
//
// A count is a hint to its owner, no lock: programs may write beyond the limit, which quotas of the
// file system alone prevent.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::user {

/// What was counted. @units bytes: on disk; counted: seconds since 1970, 0: never yet
struct ResultsUse {
  std::uint64_t bytes = 0, files = 0;
  std::int64_t counted = 0;
  bool operator==(const ResultsUse&) const = default;
};

/// All regular files below a folder, a file with several names once; links are not followed. Ends
/// early once `stop` is set: then what it says is too little. @cost a stat a file
ResultsUse count_results(const std::string& root, const std::atomic<bool>& stop);

/// How a use stands to a limit.
enum class ResultsRoom : std::uint8_t { Enough, Scarce, None };

/// `quota` 0: there is no limit. Scarce from nine tenths of it on. What was never counted is
/// enough.
/// @cost O(1)
ResultsRoom room_for(const ResultsUse& use, Bytes quota);
/// Why there is no room, or little, in words with both amounts. @cost O(1)
std::string room_words(const ResultsUse& use, Bytes quota);

/// Counts of one user's folder. @thread any   @owns a thread while it counts
class ResultsCount {
 public:
  explicit ResultsCount(std::string root);
  /// Ends a count under way.
  ~ResultsCount();
  ResultsCount(const ResultsCount&) = delete;
  ResultsCount& operator=(const ResultsCount&) = delete;

  /// The newest count. Where it is older than ten minutes, or files were removed since, a new one
  /// begins. @cost O(1)
  ResultsUse use();
  /// Files were removed: what is known is too much.
  void removed() { removed_ = true; }
  /// Is a count under way? @cost O(1)
  bool is_counting() const { return counting_; }
  /// Until no count is under way.
  void wait();

 private:
  void begin();
  void count();

  const std::string root_;
  std::mutex mutex_;
  ResultsUse known_;  // guarded by mutex_, as is thread_
  std::thread thread_;
  std::atomic<bool> counting_{false}, removed_{false}, stop_{false};
};

}  // namespace wm::user

// Role: takes what hosts tell of running tasks' GPUs into meter.db, on a thread of its own. Lossy:
// what does not fit into its queue, or cannot be written, is forgotten; reports tell how much was
// looked at.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "libwm/store/meter_db.h"

namespace wm::master {

/// @thread take: the loop's; it never waits
class Meters {
 public:
  /// `keep`: hours older than that are dropped. @errors as MeterDb::open
  static Result<std::unique_ptr<Meters>> open(const std::string& dir, Duration keep);
  ~Meters();

  /// What a host tells at `now`. @cost O(tasks)
  void take(const std::string& host, const HostMeter& words, WallTime now);

 private:
  Meters(std::unique_ptr<store::MeterDb> db, Duration keep);
  void run();

  std::unique_ptr<store::MeterDb> db_;
  Duration keep_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<store::MeterRow> waiting_;
  std::int64_t newest_ = 0;
  bool ending_ = false, failing_ = false;
  std::thread thread_;
};

}  // namespace wm::master

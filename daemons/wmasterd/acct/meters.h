// Role: takes what hosts tell of running tasks' GPUs, and what plans ask for, into meter.db, on a
// thread of its own. Lossy: what does not fit into its queue, or cannot be written, is forgotten;
// reports tell how much was looked at.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "libwm/model/event.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/store/report/meter_db.h"

namespace wm::master {

/// @thread take: the loop's; it never waits
class Meters {
 public:
  /// `keep`: hours older than that are dropped. @errors as MeterDb::open
  static Result<std::unique_ptr<Meters>> open(const std::string& dir, Duration keep);
  ~Meters();

  /// What a host tells at `now`. @cost O(tasks)
  void take(const std::string& host, const HostMeter& words, WallTime now);
  /// What plans ask for, and deserve, at `now`; it was so since the last such call, if that is not
  /// long ago. @cost O(plans)
  void take(const std::vector<PlanView>& plans, WallTime now);
  /// The wall clock was set, and was `before` by then. @cost O(1)
  void take(const ClockStepped& step, WallTime before);

 private:
  Meters(std::unique_ptr<store::MeterDb> db, Duration keep);
  void run();
  bool is_anything_waiting() const;

  std::unique_ptr<store::MeterDb> db_;
  Duration keep_;
  std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  std::vector<store::MeterRow> waiting_;
  std::vector<store::PlanMeterRow> waiting_plans_;
  WallTime plans_at_{};
  std::vector<store::ClockStep> waiting_steps_;
  std::vector<store::HostMeterRow> waiting_hosts_;
  std::int64_t newest_ = 0;  // when the newest of them was taken, seconds
  bool ending_ = false;

  bool failing_ = false;  // the last rows could not be kept; of thread_ alone
  std::thread thread_;
};

}  // namespace wm::master

// Role: what a pass knows of the speed of elastic jobs, and what it does with it: the part of
// SchedPolicy that speeds.cc reads. Curves are made from reports by goodput.h. Values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/sched/plan/goodput.h"

namespace wm::sched {

/// How fast each job is, as far as it is known.
using Speeds = std::map<JobId, Curve>;

/// How elastic jobs of one user share what is left beyond their minimums.
enum class ElasticShare : std::uint8_t {
  Equal,  ///< max-min by tasks
  Gain,   ///< where speed rises most (goodput)
};

/// The use that is made of curves. @units shares of 1 where nothing else is said
struct SpeedPolicy {
  std::shared_ptr<const Speeds> speeds;  ///< null: sizes are not compared by speed
  ElasticShare share = ElasticShare::Equal;
  Duration cost{};  ///< time that a job loses by a change of its size
};

}  // namespace wm::sched

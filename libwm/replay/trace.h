// Role: a workload as the simulator sees it: who asks when for how much, and how fast each
// job is on what it gets. Made by the readers (read.h), run by the engine (engine.h). Values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/replay/work.h"

namespace wm::replay {

/// The job lists that can be read.
enum class Format : std::uint8_t { Pollux, Sia, Swf, Philly, Gavel, Alibaba, Tiresias, Snapshot };

/// "pollux", "sia" … @cost O(1)
std::string_view format_name(Format format);

/// How many kernels a service wants: a day's wave between its least and its most.
struct Wave {
  std::uint32_t low = 1, high = 1;  ///< kernels; low at the start
  double period_s = 86400;
  /// At an instant, rounded up. @units seconds   @cost O(1)
  std::uint32_t wanted(double at_s) const;
};

/// One job of a list. @units seconds; tasks; milli_gpus per task: 1000 = one GPU
struct TraceJob {
  std::string name;
  std::string user = "user";
  std::string queue, plan;  ///< empty, or not configured: the default ones
  std::string program;      ///< jobs of one program are equally fast; empty: not known
  double submit_s = 0;
  std::uint32_t tasks = 1;                     ///< asked for
  std::uint32_t min_tasks = 1, max_tasks = 1;  ///< equal: rigid
  std::uint32_t milli_cpus = 1000;             ///< per task
  std::int64_t mem = 0;                        ///< per task, bytes
  std::uint32_t milli_gpus = 0;                ///< per task
  double estimate_s = 0;                       ///< run time the user states; 0: none
  std::shared_ptr<const Work> work;
  std::optional<Wave> wave;  ///< a service: it wants so many tasks, and ends when all others have
  bool elastic() const { return min_tasks < max_tasks; }
};

/// A list, by rising time of submission.
struct Workload {
  std::vector<TraceJob> jobs;
};

/// Puts services in front of the jobs of a list: they are there from the start.
/// @cost O(jobs)
void add_services(Workload& workload, std::vector<TraceJob> services);

/// Texts of a folder of tables, by path within it: "cifar10/placements.csv".
using TableTexts = std::map<std::string, std::string>;

}  // namespace wm::replay

// Role: a workload as the simulator sees it: who asks when for how much, and how fast each
// job is on what it gets. Made by the readers (read.h), run by the engine (engine.h). Values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/replay/work.h"

namespace wm::replay {

/// The job lists that can be read.
enum class Format : std::uint8_t { Pollux, Sia, Swf, Philly, Gavel, Alibaba, Tiresias, Snapshot };

/// "pollux", "sia" … @cost O(1)
std::string_view format_name(Format format);

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
  bool elastic() const { return min_tasks < max_tasks; }
};

/// A list, by rising time of submission.
struct Workload {
  std::vector<TraceJob> jobs;
};

/// Texts of a folder of tables, by path within it: "cifar10/placements.csv".
using TableTexts = std::map<std::string, std::string>;

}  // namespace wm::replay

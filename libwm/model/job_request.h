// Role: what a program wants run, as a value: what a person says to bsub in words. Made by
// libwm/rest and by daemons, turned into a job's specification by libwm/submit.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libwm/base/units.h"

namespace wm {

/// One job. Texts are read as bsub reads the option of that name; empty: it is not said.
struct JobRequest {
  std::string app;          ///< profile of apps.conf
  std::string name;         ///< -J: "name", "name[1-10]%2"
  std::string queue, plan;  ///< -q, -plan
  std::string cwd;          ///< -cwd: from the submitter's folder
  std::string out_file;     ///< -o
  std::string command;      ///< for a shell; empty: its groups of tasks have their own
  std::uint32_t min_tasks = 1, max_tasks = 1;
  bool elastic = false, rerunnable = false, hold = false;
  std::string gpu;                   ///< -gpu
  std::vector<std::string> resreqs;  ///< each an -R
  std::uint32_t priority = 0;        ///< 0: not said
  std::string memory;                ///< -M
  Duration run_limit{};              ///< 0: its profile's or queue's
  std::string depend;                ///< -w
  bool orphan_kill = false;          ///< -ti
  std::string resume;                ///< -resume: a job's number
  /// Variables besides the submitter's, in order.
  std::vector<std::pair<std::string, std::string>> environment;
  bool operator==(const JobRequest&) const = default;
};

}  // namespace wm

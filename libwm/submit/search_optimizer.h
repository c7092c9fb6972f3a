// Role: the job that decides what a plugin's search tries: which plugins a user has, what the job
// takes with it, and the job that runs it. The same from a shell and through the web door.
//
//   <results>/<user>/plugins/NAME/{plugin.json, code/optimizer.py …}  ─copy─► the job's bundle
//   {plugin/optimizer.py …, optimizer.json} ─► wm_optimizer.py ─► bgive
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/model/job_request.h"

namespace wm::cmd {

/// A search algorithm of a user's.
struct Plugin {
  std::string code;      ///< the folder that holds optimizer.py
  std::string manifest;  ///< plugin.json
};

/// The plugins' folder below a user's results. @cost O(1)
std::string plugins_folder(const std::string& results);
/// One that was installed there. @errors NotFound
Result<Plugin> installed_plugin(const std::string& results, const std::string& name);
/// One that lies in a folder. @errors BadArgument: no optimizer.py there, a name that is none
Result<Plugin> plugin_in(const std::string& folder, const std::string& name);

/// Copies the plugin, with what it is to look for, into `bundle`, which is made.
/// @errors BadArgument: damaged, or cannot be copied; System
Result<void> lay_out_optimizer(const Plugin& plugin, const std::string& search,
                               std::uint32_t at_once, const std::string& bundle);
/// The job that runs it. @cost O(1)
JobRequest optimizer_request(JobId search, const std::string& results);

}  // namespace wm::cmd

// Role: makes a package (dlim(1)) of what a training run left behind.
//
//   <result_dir>/model/…            ─► package/model/…     its only file of weights, or the one
//   named <result_dir>/_submitted_code/…  ─► package/code/…      for classes, factories, kernels
#pragma once

#include <string>

#include "daemons/wuserd/site/site.h"
#include "libwm/serve/package.h"

namespace wm::user {

/// Fills the empty folder `into`. Links of the run are not followed.
/// @errors NotFound: no result, or not that file; BadArgument: which of several files is meant?;
///   System
Result<void> make_package(const JobView& run, serve::Wanted wanted, const std::string& into);

/// Where the code of a run lies: the folder that its script was in. @cost O(1)
std::string code_folder(const JobView& run);

/// A number that changes with any file below a folder; "" where it has none.
/// @cost reads them all
std::string tree_hash(const std::string& folder);

/// The whole folder. Links stay behind. @errors System
Result<void> copy_folder(const std::string& from, const std::string& to);

}  // namespace wm::user

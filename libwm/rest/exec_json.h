// Role: executions, frameworks and errors as clients of WMLA read them. Pure: texts of JSON.
// @source wmla-surface 1.4, 1.5, 8
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/model/config/catalog.h"
#include "libwm/model/exec_id.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::rest {

/// Was the job begun as an execution, rather than by bsub? @cost O(1)
bool is_execution(const JobView& view);
/// Is its first task a group of its own, as --driver… asked? @cost O(1)
bool has_driver(const JobView& view);

/// The job that an exec id names (model/exec_id.h); a job's number alone does as well.
/// @errors NotFound: not of this cluster, or no id
Result<JobId> parse_exec_id(std::string_view cluster, std::string_view text);

/// One execution; `cause`: why it is ERROR, where more is known than its job says. @shape values
/// are scalars, since clients make a table's row of it, but for dataSource and warnings, which are
/// there only where there are any
std::string exec_json(const JobView& view, std::string_view cluster, const std::string& cause = "");

/// What clients of the first generation call the one instance that there is; a uuid. @cost O(1)
std::string instance_id(std::string_view cluster);
/// The list of it.
std::string instances_json(std::string_view cluster);
/// "[…]" of such texts. @cost O(length)
std::string list_json(const std::vector<std::string>& items);

/// One framework; `why_not`: why it cannot be started here, empty: it can. @cost O(length)
std::string framework_json(const Framework& framework, const std::string& why_not);
std::string volume_json(const Volume& volume, const std::string& why_not);
std::string hardware_json(const HardwareSpec& spec);

/// "2021-03-08T03:24:40Z"; empty for a time that is not set. @units UTC
std::string iso_time(WallTime time);

/// A text as JSON has it, with its quotes; bytes that are no UTF-8 are replaced. @cost O(length)
std::string json_text(std::string_view text);

/// What an error is to HTTP. @cost O(1)
int http_status(Code code);

}  // namespace wm::rest

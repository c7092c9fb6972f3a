// Role: which applications a client of the scheduler's rows asks for, and in which order. Pure.
//
//   ?search=&state=&applicationid=&applicationname=&driverid=&sort=&order=&start=&length=
//
// @source wmla-surface 1.2: GET /scheduler/applications
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/rest/url.h"

namespace wm::rest {

/// What is asked for; an empty text asks for any.
struct AppQuery {
  std::string id, name;  ///< exactly so
  std::string search;    ///< stands, in any case, in the id, name, user, plan, type or state
  std::string states;    ///< "RUNNING,FINISHED"
  std::string sort = "submit_time";
  bool descending = true;
  std::size_t start = 0, length = 10000;
};

/// @errors BadArgument: no number, no field to sort by, an order that is none
Result<AppQuery> read_app_query(const Target& target);

/// Is it asked for? @cost O(length)
bool is_found(const AppQuery& query, const JobView& view, std::string_view cluster);
/// Do these states, "RUNNING,…" (empty: any), leave out all that is over? Of that the archive has
/// very much, which need not be looked at then. @cost O(length)
bool is_of_live_alone(const std::string& states);

/// Those that are asked for, in order, whatever start and length say. @cost O(n log n)
std::vector<const JobView*> found(const AppQuery& query, const std::vector<JobView>& views,
                                  std::string_view cluster);

}  // namespace wm::rest

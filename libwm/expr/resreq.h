// Role: resource-requirement strings (bsub -R, RES_REQ of queues and applications) as a
// value.
//
//   [select[…]] [order[…]] [rusage[…]] [span[…]] [same[…]] [cu[…]] [affinity[…]]
//
// What stands before the first section name is a select expression. Alternatives ("{…}||{…}") are
// alternatives.h; compound requirements ("2*{…}+{…}") are refused.
// @source LSF resource requirement strings (lsf-surface 1.5)
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::expr {

/// What an amount counts for.
enum class Per : std::uint8_t { Unsaid = 0, Task = 1, Job = 2, Host = 3 };

/// A term of order[]: hosts with little (or, descending, much) of it first.
struct OrderTerm {
  std::string resource;
  bool descending = false;
  bool operator==(const OrderTerm&) const = default;
};

/// A term of rusage[]. @units amount: MB for mem, swp and tmp, else a count
struct RusageTerm {
  std::string resource;
  double amount = 0;
  Per per = Per::Unsaid;
  Duration duration{};  ///< reserved so long after the start; 0: always
  bool decay = false;   ///< shrinks to nothing over `duration`
  bool operator==(const RusageTerm&) const = default;
};

/// span[]. 0 = not said.
struct SpanReq {
  std::int32_t hosts = 0;   ///< 1: all on one host; -1: takes back a span of a lower level
  std::uint32_t ptile = 0;  ///< exactly so many tasks a host
  bool ptile_all = false;   ///< ptile='!': as many as the host has slots
  std::uint32_t block = 0, stride = 0, gtile = 0;
  bool operator==(const SpanReq&) const = default;
};

/// A requirement taken apart; sections that are absent are empty.
struct ResReq {
  std::string select;  ///< one expression, known to parse
  std::vector<OrderTerm> order;
  std::vector<RusageTerm> rusage;
  SpanReq span;
  std::vector<std::string> same;
  std::map<std::string, std::string> cu;
  std::string affinity;  ///< as given
  bool operator==(const ResReq&) const = default;

  /// The term of this resource, or null. @cost O(terms)
  const RusageTerm* usage_of(std::string_view resource) const;
};

/// Takes one string apart. `unit`: 1 of memory, swap space or temporary files in rusage[] that is
/// written without one.
/// @errors BadArgument: "Error in rusage section near …", "duplicate section", "… cannot be
///   used in the resource requirement section …", each followed by "Bad resource
///   requirement syntax" as LSF's reason
/// @cost O(length)   @thread any
Result<ResReq> parse_resreq(std::string_view text, Bytes unit = Bytes{1 << 20});

/// Several -R of one submission: selects are ANDed, rusage, order and same are joined, a
/// later span, cu or affinity replaces an earlier one.
/// @errors as parse_resreq
Result<ResReq> parse_resreqs(std::span<const std::string> texts, Bytes unit = Bytes{1 << 20});

/// `over` (a job's) on top of `base` (its application's or queue's): selects are ANDed, a
/// resource of over's rusage replaces base's, other sections replace base's where given.
/// @cost O(terms²)
ResReq merge(const ResReq& base, const ResReq& over);

/// Does rusage[] name only what can be reserved (mem, ngpus_physical), or what LSF's users write
/// and nothing here is reserved of (tmp, swp)?
/// @errors BadArgument: "lic: Bad resource name, …"   @cost O(terms)
Result<void> check_usage(const ResReq& req);

/// The requirement as one string; parses to the same value. @cost O(length)
std::string to_string(const ResReq& req);

}  // namespace wm::expr

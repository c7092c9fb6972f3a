// Role: what ended jobs used, by names and by days, as pages read it: /api/v1/usage. Pure: sums of
// accounting in, texts of JSON out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/verbs/acct_sum.h"
#include "libwm/rest/url.h"

namespace wm::rest {

/// The longest range. @units days
inline constexpr unsigned kMostUsageDays = 366;

/// What a target asks for. `by`: User, Plan, Project, Queue or App
struct UsageAsked {
  AcctBy by = AcctBy::User;
  std::string word = "user";
  unsigned days = 30;
};
/// @errors BadArgument: by: none of these words; days: not from 1 to kMostUsageDays
Result<UsageAsked> usage_asked(const Target& target);

/// Beginnings of so many days, rising; in the last of them, a day of UTC, is `now`. @cost O(days)
std::vector<WallTime> usage_days(unsigned days, WallTime now);

/// What is answered: {"now","from","by","rows":[{"name","jobs",…}],"days":[{"t","user",…}]}; times
/// and amounts in seconds; slot_s, gpu_s: slots or GPUs times seconds. `names`: sums by `asked.by`;
/// `by_day`: sums by AcctBy::Month with `days` for months. @cost O(sums log sums)
std::string usage_json(const UsageAsked& asked, std::span<const WallTime> days, WallTime now,
                       std::span<const AcctSumRow> names, std::span<const AcctSumRow> by_day);

}  // namespace wm::rest

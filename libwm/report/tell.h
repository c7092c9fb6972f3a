// Role: a report as people and programs read it: text for mail, JSON, the last line for cron.
// Pure. The page is page.h's.
#pragma once

#include <string>

#include "libwm/report/facts.h"

namespace wm::report {

/// Plain text, 78 columns wide at the most but for long names. @cost O(facts)
std::string text_of(const Facts& facts);
/// {"schema": "wm.report/1", …}; seconds with at most three decimals, unknown = null.
std::string json_of(const Facts& facts);

/// How a run went, for its last line.
struct Run {
  std::size_t mails = 0, wanted_mails = 0, warnings = 0;
  double took_s = 0;
  bool dry = false;
};
/// "wmreport day 2026-10-25 ok jobs=7 failed=0 slots=8.8% …" @cost O(1)
std::string summary_of(const Facts& facts, const Run& run);
/// Of the subject of its mail: "WM clusterA: day 2026-10-25, GPUs 10.3 %, …".
std::string subject_of(const Facts& facts);

/// GPUs (as whole ones) or, where there are none, slots: one number of some amounts.
/// @units milli-GPU·ms or 1000 slot·ms
std::int64_t main_amount(const Facts& facts, const Amounts& amounts);
/// What its hours are called: "GPU h" or "slot h".
std::string main_unit(const Facts& facts);

}  // namespace wm::report

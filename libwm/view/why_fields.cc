// One row per field; why_text() says the same in sentences.
#include "libwm/view/why_fields.h"

#include "libwm/view/growth.h"
#include "libwm/view/priority.h"

namespace wm::view {
namespace {

constexpr Field<ShownReason> kReasonFields[] = {
    {{"jobid", "id", 8}, kFull, [](const ShownReason& r) { return to_string(r.job); }},
    {{"code", "", 14}, kBrief, [](const ShownReason& r) { return pend_code_name(r.reason.code); }},
    {{"text", "reason", 50}, kBrief | kPrivate, [](const ShownReason& r) { return r.reason.text; }},
    {{"hosts_removed", "", 13},
     kBrief,
     [](const ShownReason& r) { return r.reason.hosts_removed; }},
    {{"fix", "", 50}, kBrief | kPrivate, [](const ShownReason& r) { return r.reason.fix; }},
};

// What stands behind the state when there is no reason to tell.
std::string without_reason(const JobView& view) {
  const Job& job = *view.job;
  if (is_over(job.state))
    return job.outcome.text.empty() ? "  it has ended and waits for nothing\n"
                                    : "  it has ended: " + job.outcome.text + "\n";
  if (job.state == JobState::Unknown)
    return "  a host of it does not answer, bhosts shows which: it goes on or ends when that host\n"
           "  is heard again, or declared dead (badmin hdead)\n";
  if (!view.meeting.empty()) return "  it waits for others to come: " + view.meeting + "\n";
  if (auto why = growth_text(view); !why.empty()) return "  it does not grow: " + why + "\n";
  auto has = tasks_wanted(job), most = task_cap(job);
  if (!job.spec().elastic || has >= most) return "  nothing keeps it\n";
  return "  it has " + std::to_string(has) + " of at most " + std::to_string(most) +
         " tasks; more come when fair share and free hosts allow\n";
}

}  // namespace

std::vector<ShownReason> reasons_of(std::span<const JobView> jobs) {
  std::vector<ShownReason> rows;
  for (const auto& view : jobs)
    for (const auto& reason : view.reasons) rows.push_back({view.id, reason});
  return rows;
}

std::span<const Field<ShownReason>> reason_fields() { return kReasonFields; }

std::string why_text(const JobView& view) {
  std::string text =
      "Job <" + to_string(view.id) + "> is " + std::string(state_name(view.job->state)) + "\n";
  if (view.reasons.empty()) return text + without_reason(view);
  for (const auto& reason : view.reasons) {
    text += "  " + reason.text + "\n";
    if (!reason.fix.empty()) text += "    to change that: " + reason.fix + "\n";
  }
  if (auto estimate = estimate_text(view); !estimate.empty()) text += "  " + estimate + "\n";
  if (auto priority = priority_text(view); !priority.empty()) {
    text += "its place in the order:\n" + priority;
  }
  return text;
}

}  // namespace wm::view

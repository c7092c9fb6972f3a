// One row per field; the paragraph is made of the same values.
#include "libwm/view/sla_fields.h"

namespace wm::view {
namespace {

using S = SlaRow;

template <std::uint32_t SlaJobs::*kOf>
std::optional<std::uint32_t> of_jobs(const S& row) {
  return row.jobs ? std::optional((*row.jobs).*kOf) : std::nullopt;
}

template <std::uint32_t PlanView::*kOf>
std::optional<std::uint32_t> of_plan(const S& row) {
  return row.plan ? std::optional((*row.plan).*kOf) : std::nullopt;
}

constexpr Field<S> kSlaFields[] = {
    {{"name", "sla", 20}, kBrief, [](const S& s) { return s.name; }},
    {{"plan", "", 20}, kBrief, [](const S& s) { return s.plan ? s.plan->path : std::string(); }},
    {{"goal", "", 20}, kBrief, [](const S& s) { return s.goal; }},
    {{"status", "", 15}, kBrief, [](const S& s) { return s.status; }},
    {{"priority", "", 8}, kBrief, [](const S& s) { return s.priority; }},
    {{"windows", "", 20}, kBrief, [](const S& s) { return s.windows; }},
    {{"njobs", "", 6}, kBrief, [](const S& s) { return of_jobs<&SlaJobs::jobs>(s); }},
    {{"pend", "", 6}, kBrief, [](const S& s) { return of_jobs<&SlaJobs::pending>(s); }},
    {{"run", "", 6}, kBrief, [](const S& s) { return of_jobs<&SlaJobs::running>(s); }},
    {{"ssusp", "", 6}, kBrief, [](const S& s) { return of_jobs<&SlaJobs::parked>(s); }},
    {{"ususp", "", 6}, kBrief, [](const S& s) { return of_jobs<&SlaJobs::stopped>(s); }},
    {{"finish", "", 6}, kBrief, [](const S& s) { return of_jobs<&SlaJobs::finished>(s); }},
    {{"owns", "", 7}, kBrief, [](const S& s) { return of_plan<&PlanView::owns>(s); }},
    {{"used", "", 7}, kBrief, [](const S& s) { return of_plan<&PlanView::used>(s); }},
    {{"demand", "", 7}, kBrief, [](const S& s) { return of_plan<&PlanView::demand>(s); }},
    {{"lent", "", 7}, kBrief, [](const S& s) { return of_plan<&PlanView::lent>(s); }},
    {{"borrowed", "", 8}, kBrief, [](const S& s) { return of_plan<&PlanView::borrowed>(s); }},
    {{"users", "", 30}, kBrief, [](const S& s) { return s.users; }},
    {{"description", "desc", 50}, kBrief, [](const S& s) { return s.description; }},
};

std::string padded_number(std::uint32_t value, int width) {
  return fit(std::to_string(value), width, true);
}

}  // namespace

std::span<const Field<SlaRow>> sla_fields() { return kSlaFields; }

std::string sla_text(const SlaRow& row) {
  std::string users;
  for (const auto& user : row.users) users += (users.empty() ? "" : " ") + user;
  std::string text = "SERVICE CLASS NAME:  " + row.name + "\n -- " +
                     (row.description.empty() ? "No description provided." : row.description);
  if (row.priority) text += "\nPRIORITY:  " + std::to_string(*row.priority);
  text += "\nACCESS_CONTROL:  " + (users.empty() ? "all users" : "USERS[" + users + "]") +
          "\n\nGOAL:  " + row.goal;
  if (row.jobs) text += "\nACTIVE WINDOW:  " + (row.windows.empty() ? "Always Open" : row.windows);
  text += "\nSTATUS:  " + row.status + "\n\n";
  if (const auto& plan = row.plan)
    text += "GUARANTEED  USED  DEMAND  LENT\n" + padded_number(plan->owns, 10) +
            padded_number(plan->used, 6) + padded_number(plan->demand, 8) +
            padded_number(plan->lent, 6) + "\n";
  if (!row.jobs) return text;
  const SlaJobs& jobs = *row.jobs;
  text += " NJOBS   PEND    RUN     SSUSP   USUSP   FINISH\n";
  for (auto n : {jobs.jobs, jobs.pending, jobs.running, jobs.parked, jobs.stopped, jobs.finished})
    text += padded_number(n, 6) + "  ";
  return text + "\n";
}

}  // namespace wm::view

// One row per field; the paragraph is made of the same values.
#include "libwm/view/sla_fields.h"

namespace wm::view {
namespace {

using R = SlaRow;

template <std::uint32_t SlaJobs::*kOf>
std::optional<std::uint32_t> of_jobs(const R& row) {
  return row.jobs ? std::optional((*row.jobs).*kOf) : std::nullopt;
}

template <std::uint32_t PlanView::*kOf>
std::optional<std::uint32_t> of_plan(const R& row) {
  return row.plan ? std::optional((*row.plan).*kOf) : std::nullopt;
}

constexpr Field<R> kFields[] = {
    {{"name", "sla", 20}, kBrief, [](const R& r) { return r.name; }},
    {{"plan", "", 20}, kBrief, [](const R& r) { return r.plan ? r.plan->path : std::string(); }},
    {{"goal", "", 20}, kBrief, [](const R& r) { return r.goal; }},
    {{"status", "", 15}, kBrief, [](const R& r) { return r.status; }},
    {{"priority", "", 8}, kBrief, [](const R& r) { return r.priority; }},
    {{"windows", "", 20}, kBrief, [](const R& r) { return r.windows; }},
    {{"njobs", "", 6}, kBrief, [](const R& r) { return of_jobs<&SlaJobs::jobs>(r); }},
    {{"pend", "", 6}, kBrief, [](const R& r) { return of_jobs<&SlaJobs::pending>(r); }},
    {{"run", "", 6}, kBrief, [](const R& r) { return of_jobs<&SlaJobs::running>(r); }},
    {{"ssusp", "", 6}, kBrief, [](const R& r) { return of_jobs<&SlaJobs::parked>(r); }},
    {{"ususp", "", 6}, kBrief, [](const R& r) { return of_jobs<&SlaJobs::stopped>(r); }},
    {{"finish", "", 6}, kBrief, [](const R& r) { return of_jobs<&SlaJobs::finished>(r); }},
    {{"owns", "", 7}, kBrief, [](const R& r) { return of_plan<&PlanView::owns>(r); }},
    {{"used", "", 7}, kBrief, [](const R& r) { return of_plan<&PlanView::used>(r); }},
    {{"demand", "", 7}, kBrief, [](const R& r) { return of_plan<&PlanView::demand>(r); }},
    {{"lent", "", 7}, kBrief, [](const R& r) { return of_plan<&PlanView::lent>(r); }},
    {{"borrowed", "", 8}, kBrief, [](const R& r) { return of_plan<&PlanView::borrowed>(r); }},
    {{"users", "", 30}, kBrief, [](const R& r) { return r.users; }},
    {{"description", "desc", 50}, kBrief, [](const R& r) { return r.description; }},
};

std::string number(std::uint32_t value, int width) {
  return fit(std::to_string(value), width, true);
}

}  // namespace

std::span<const Field<SlaRow>> sla_fields() { return kFields; }

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
    text += "GUARANTEED  USED  DEMAND  LENT\n" + number(plan->owns, 10) + number(plan->used, 6) +
            number(plan->demand, 8) + number(plan->lent, 6) + "\n";
  if (!row.jobs) return text;
  const SlaJobs& jobs = *row.jobs;
  text += " NJOBS   PEND    RUN     SSUSP   USUSP   FINISH\n";
  for (auto n : {jobs.jobs, jobs.pending, jobs.running, jobs.parked, jobs.stopped, jobs.finished})
    text += number(n, 6) + "  ";
  return text + "\n";
}

}  // namespace wm::view

// The verb Budgets: how budgets stand, and what a job that is not submitted yet would draw.
#include "libwm/sched/amounts/budgets.h"

#include "daemons/wmasterd/verbs/admission.h"
#include "daemons/wmasterd/verbs/verbs.h"
#include "libwm/model/elements.h"

namespace wm::master::verbs {
namespace {

BudgetsReply every(const Cluster& state, WallTime now) {
  BudgetsReply reply;
  sched::BudgetBook book(state, now);
  for (const auto& budget : book.all()) reply.budgets.push_back(book.view(budget));
  return reply;
}

// All its elements, each with its least tasks.
Result<BudgetsReply> of_job(const Cluster& state, JobSpec spec, WallTime now) {
  WM_TRY(auto made, master::admit(state, std::move(spec), now));
  WM_TRY(sched::budget_warnings(state, made.spec, now));
  BudgetsReply reply;
  sched::BudgetBook book(state, now);
  auto times = made.spec.array.empty() ? 1u : element_count(made.spec);
  auto tasks = std::max(1u, made.spec.min_tasks);
  for (auto* budget : book.of(made.spec)) {
    auto view = book.view(*budget);
    view.cost = book.cost(made.spec, tasks, budget->period) * times;
    if (!budget->fits(view.cost)) view.text = book.text(*budget, made.spec, tasks);
    reply.budgets.push_back(std::move(view));
  }
  return reply;
}

}  // namespace

// The walk over what runs is a worker's: the loop does not wait.
void budgets(Service& service, const Call& call, const BudgetsRequest& request) {
  JobSpec spec;
  if (!request.spec.empty()) {
    auto read = codec::decode<JobSpec>(request.spec);
    if (!read) return call.refuse(read.error());
    spec = std::move(*read);
    spec.owner = call.caller();
  }
  auto reply = std::make_shared<Result<BudgetsReply>>(BudgetsReply{});
  service.env.workers.read_store(
      [reply, spec = std::move(spec), asked = !request.spec.empty(),
       state = service.journal.published_ptr(), now = service.env.clock.wall()]() mutable {
        *reply = asked ? of_job(*state, std::move(spec), now) : every(*state, now);
      },
      [call, reply] {
        if (*reply) call.reply(**reply);
        else call.refuse(reply->error());
      });
}

}  // namespace wm::master::verbs

// Role: see tell.h: a report as JSON.
#include "libwm/base/json.h"

#include <nlohmann/json.hpp>

#include "libwm/report/tell.h"
#include "libwm/report/words.h"

namespace wm::report {
namespace {

using nlohmann::ordered_json;

double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000; }
double units(std::int64_t mms) { return static_cast<double>((mms + 500) / 1000) / 1000; }

// Of nothing to divide by, nothing is known.
ordered_json ratio(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return nullptr;
  return static_cast<double>(part) / static_cast<double>(whole);
}

ordered_json amounts(const Amounts& a) {
  return {{"slot_s", seconds(a.slot_ms)},
          {"cpu_s", units(a.cpu_mms)},
          {"gpu_s", units(a.gpu_mms)},
          {"gpueq_s", units(a.gpueq_mms)},
          {"mem_mib_s", a.mem_mib_s}};
}

ordered_json total(const Facts& f, std::int64_t Amounts::*of, bool whole_units) {
  auto value = [&](std::int64_t n) { return whole_units ? seconds(n) : units(n); };
  ordered_json classes;
  for (std::size_t i = 0; i < kUses - 1; ++i)
    classes[std::string(use_name(static_cast<Use>(i)))] = value(f.total.of[i].*of);
  auto allocated = f.total.allocated().*of, refunded = f.refunded.*of;
  return {{"capacity_s", value(f.total.capacity().*of)},
          {"over_s", value(f.total[Use::Over].*of)},
          {"classes", classes},
          {"allocated_s", value(allocated)},
          {"refund_s", value(refunded)},
          {"charged_s", value(allocated - refunded)}};
}

ordered_json asked(const std::optional<PlanAsk>& a) {
  if (!a) return nullptr;
  return {{"unit", a->gpus ? "gpu" : "slot"},
          {"demand_s", seconds(a->demand)},
          {"deserved_s", seconds(a->deserved)},
          {"unmet_s", seconds(a->unmet)},
          {"coverage", a->covered / 100}};
}

ordered_json plan(const PlanFacts& p) {
  return {{"plan", plain(p.path)},           {"owned_s", seconds(p.slots.owned)},
          {"used_s", seconds(p.slots.used)}, {"borrowed_s", seconds(p.slots.borrowed)},
          {"lent_s", seconds(p.slots.lent)}, {"allocated", amounts(p.allocated)},
          {"refunded", amounts(p.refunded)}, {"asked", asked(p.asked)}};
}

ordered_json budget_of(const std::optional<BudgetAmounts>& a) {
  if (!a) return nullptr;
  return {{"granted_s", units(a->granted)},
          {"carried_s", units(a->carried)},
          {"used_s", units(a->used)},
          {"left_s", units(a->granted + a->carried - a->used)}};
}

ordered_json use(const UseFacts& u) {
  return {{"name", plain(u.name)},
          {"allocated", amounts(u.allocated)},
          {"refunded", amounts(u.refunded)},
          {"ended", u.ended},
          {"failed", u.failed},
          {"cpu_used_s", static_cast<double>(u.cpu_us) / 1e6},
          {"cpu_efficiency", ratio(u.cpu_us, u.cpu_mms)},
          {"mem_used", ratio(u.mem_peak_mib_s, u.mem_mib_s)}};
}

ordered_json elastic_job(const ElasticFacts& e) {
  ordered_json resizes = ordered_json::array();
  for (const auto& r : e.resizes)
    resizes.push_back({{"at", r.at}, {"from", r.from}, {"to", r.to}, {"cause", plain(r.cause)}});
  return {{"job", e.id},         {"name", plain(e.name)}, {"user", plain(e.user)},
          {"mean_size", e.mean}, {"cost_slot_s", e.cost}, {"cost_part", e.cost_part},
          {"resizes", resizes}};
}

template <class Rows, class Make>
ordered_json list(const Rows& rows, Make make) {
  ordered_json made = ordered_json::array();
  for (const auto& row : rows) made.push_back(make(row));
  return made;
}

void add_lists(ordered_json& made, const Facts& f) {
  made["refunds"] = ordered_json::object();
  for (const auto& [kind, amount] : f.refunds) made["refunds"][kind] = amounts(amount);
  made["waits"] = list(f.waits, [](const Waits& w) {
    return ordered_json{{"queue", plain(w.queue)}, {"size", w.size}, {"n", w.n},
                        {"p50_s", w.p50},          {"p90_s", w.p90}, {"p99_s", w.p99},
                        {"max_s", w.most}};
  });
  made["plans"] = list(f.plans, plan);
  made["queues"] = list(f.queues, use);
  made["users"] = list(f.users, use);
  made["hosts"] = list(f.hosts, [](const HostFacts& h) {
    return ordered_json{{"host", plain(h.name)},
                        {"allocated", amounts(h.uses.allocated())},
                        {"capacity", amounts(h.uses.capacity())}};
  });
  made["troubles"] = list(f.troubles, [](const Trouble& t) {
    return ordered_json{{"what", plain(t.what)},
                        {"state", t.state},
                        {"why", plain(t.why)},
                        {"since", t.since},
                        {"until", t.until ? ordered_json(t.until) : ordered_json(nullptr)}};
  });
  made["failures"] = list(f.failures, [](const Failures& r) {
    return ordered_json{{"host", plain(r.host)}, {"term", r.term}, {"attempts", r.n}};
  });
  made["elastic"] = list(f.elastic, elastic_job);
  made["advice"] = list(f.advice, [](const Advice& a) {
    return ordered_json{{"rule", a.rule}, {"text", plain(a.text, kSentence)}};
  });
  made["budgets"] = list(f.budgets, [](const BudgetFacts& b) {
    return ordered_json{{"budget", plain(b.name)}, {"period", b.period},
                        {"from", b.from},          {"to", b.to},
                        {"percent", b.percent},    {"at_end", b.at_end},
                        {"gpu", budget_of(b.gpu)}, {"cpu", budget_of(b.cpu)}};
  });
  made["promises"] = ordered_json::object();
  for (const auto& [bin, n] : promise_bins(f.promise_errors)) made["promises"][bin] = n;
}

}  // namespace

std::string json_of(const Facts& f) {
  ordered_json made = {
      {"schema", "wm.report/1"},
      {"report", kind_name(f.period.kind)},
      {"cluster", plain(f.cluster)},
      {"about", f.about.empty() ? ordered_json(nullptr) : ordered_json(plain(f.about))}};
  made["period"] = {{"name", f.period.name},
                    {"from", f.period.from},
                    {"to", f.period.to},
                    {"tz", f.zone.name},
                    {"len_s", f.period.to - f.period.from},
                    {"final", f.final},
                    {"horizon", f.horizon}};
  made["made_at"] = f.made_at;
  made["notes"] = list(f.notes, [](const Note& n) {
    return ordered_json{{"code", n.code}, {"text", plain(n.text, kSentence)}};
  });
  made["totals"] = {{"slots", total(f, &Amounts::slot_ms, true)},
                    {"cpus", total(f, &Amounts::cpu_mms, false)},
                    {"gpus", total(f, &Amounts::gpu_mms, false)},
                    {"gpueq", total(f, &Amounts::gpueq_mms, false)}};
  auto covered = gpu_coverage(f);
  bool known = covered >= 0 && f.gpu_use.seen_us > 0;
  auto s = [&](std::int64_t us) { return known ? ordered_json(us / 1'000'000) : ordered_json(); };
  made["coverage"] = {{"gpu", known ? ordered_json(covered) : ordered_json()}};
  made["gpu_use"] = {{"seen_s", s(f.gpu_use.seen_us)},
                     {"busy_s", s(f.gpu_use.busy_us)},
                     {"idle_s", s(f.gpu_use.idle_us)},
                     {"energy_j", f.gpu_use.energy_mj > 0 ? ordered_json(f.gpu_use.energy_mj / 1000)
                                                          : ordered_json()}};
  made["host_energy_j"] =
      f.gpu_use.host_energy_mj > 0 ? ordered_json(f.gpu_use.host_energy_mj / 1000) : ordered_json();
  const auto& c = f.counts;
  made["counts"] = {{"submitted", c.submitted}, {"dispatched", c.dispatched},
                    {"ended", c.ended},         {"failed", c.failed},
                    {"killed", c.killed},       {"lost_attempts", c.lost},
                    {"waiting", c.waiting},     {"waiting_median_age_s", c.waiting_age_s}};
  auto day = [](std::int64_t n) {
    return n ? ordered_json(date_text(date_of(n))) : ordered_json();
  };
  const auto& t = f.forecast;
  if (t.days > 0)
    made["forecast"] = {{"days", t.days},         {"trend", t.trend},
                        {"ratio", t.ratio},       {"per_day", t.per_day},
                        {"low", t.low},           {"high", t.high},
                        {"full", day(t.full)},    {"earliest", day(t.earliest)},
                        {"latest", day(t.latest)}};
  add_lists(made, f);
  return to_text(made, 1) + "\n";
}

}  // namespace wm::report

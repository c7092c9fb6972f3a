#include "libwm/report/tell.h"

#include <algorithm>

#include "libwm/report/words.h"
#include "libwm/view/table.h"

namespace wm::report {
namespace {

/// Columns of text: the first to the left, numbers to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }
  std::string text() const {
    std::string made;
    for (const auto& line : view::lines_of(rows_, true, "  ")) made += "  " + line + "\n";
    return made;
  }

 private:
  std::vector<view::Cells> rows_;
};

constexpr std::size_t kRows = 15, kJobs = 25;  // of a table in mail

std::string hours_of(const Facts& facts, const Amounts& amounts) {
  return unit_hours(main_amount(facts, amounts));
}

std::string heading(const Facts& f) {
  auto name =
      f.about.empty() ? "WM " + plain(f.cluster) : plain(f.about) + " on " + plain(f.cluster);
  return name + "  " + period_words(f.period, f.zone) + " (" + length_words(f.period, f.zone) +
         ")\n" + (f.final ? "final" : "provisional") + ", made " + stamp(f.zone, f.made_at) + "\n";
}

std::string use_words(const Facts& f, std::string_view name, std::int64_t Amounts::*of) {
  auto whole = f.total.capacity().*of, used = f.total.allocated().*of;
  auto gone = f.total[Use::Down].*of + f.total[Use::Drained].*of + f.total[Use::Aside].*of;
  return std::string(name) + " " + percent(to_double(used), to_double(whole)) + " [" +
         percent(to_double(used), to_double(whole - gone)) + " of available]";
}

const Waits* all_waits(const Facts& f) { return f.waits.empty() ? nullptr : &f.waits.front(); }

std::string wait_line(const Facts& f) {
  const auto* waits = all_waits(f);
  if (!waits || waits->n == 0) return "nothing was dispatched";
  return "wait in queue p50 " + wait_words(waits->p50) + ", p90 " + wait_words(waits->p90);
}

std::string head_lines(const Facts& f) {
  std::string text = "\n";
  if (f.has_gpus()) text += use_words(f, "GPUs", &Amounts::gpueq_mms) + "   ";
  text += use_words(f, "slots", &Amounts::slot_ms) + "\n";
  text += std::to_string(f.counts.ended) + " ended, " + std::to_string(f.counts.failed) +
          " failed, " + std::to_string(f.counts.waiting) + " waiting; " + wait_line(f) + "\n";
  return text;
}

std::string needs_you(const Facts& f) {
  std::string text = f.names ? "\nNEEDS YOU\n" : "\nTO KNOW\n";
  if (f.notes.empty()) return text + "  nothing\n";
  for (const auto& note : f.notes)
    text += "  - " + wrapped(plain(note.text, kSentence), "    ", 4) + "\n";
  return text;
}

std::string plan_rows(const Facts& f) {
  TextTable table({"plan", "owned", "used", "borrowed", "lent", main_unit(f)});
  for (const auto& plan : f.plans)
    table.add({plain(plan.path), slot_hours(plan.slots.owned), slot_hours(plan.slots.used),
               slot_hours(plan.slots.borrowed), slot_hours(plan.slots.lent),
               hours_of(f, plan.allocated)});
  return table.empty() ? "" : "\nPLANS (slot hours)\n" + table.text();
}

std::string budget_rows(const Facts& f) {
  TextTable table({"budget", "period", "of", "granted", "used", "left", "part"});
  for (const auto& b : f.budgets)
    for (const auto& [unit, amounts] : {std::pair("GPU h", b.gpu), std::pair("CPU h", b.cpu)})
      if (amounts) {
        auto whole = amounts->granted + amounts->carried;
        table.add({plain(b.name), b.period, unit, unit_hours(whole), unit_hours(amounts->used),
                   unit_hours(whole - amounts->used),
                   percent(to_double(amounts->used), to_double(whole))});
      }
  return table.empty() ? "" : "\nBUDGETS\n" + table.text();
}

std::string user_rows(const Facts& f) {
  TextTable table({"user", main_unit(f), "of all", "CPU eff", "memory", "jobs", "failed"});
  auto all = to_double(main_amount(f, f.total.allocated()));
  for (const auto& user : f.users) {
    if (table.text().empty()) break;
    table.add({plain(user.name), hours_of(f, user.allocated),
               percent(to_double(main_amount(f, user.allocated)), all),
               percent(to_double(user.cpu_us), to_double(user.cpu_mms)),
               percent(to_double(user.mem_peak_mib_s), to_double(user.mem_mib_s)),
               std::to_string(user.ended), std::to_string(user.failed)});
    if (&user - f.users.data() + 1 == static_cast<std::ptrdiff_t>(kRows)) break;
  }
  if (table.empty()) return "";
  auto text = "\nUSERS\n" + table.text();
  if (f.users.size() > kRows) text += "  and " + std::to_string(f.users.size() - kRows) + " more\n";
  return text;
}

std::string wait_rows(const Facts& f) {
  TextTable table({"queue", "tasks", "starts", "p50", "p90", "p99", "longest"});
  for (const auto& w : f.waits)
    if (!w.size.empty())
      table.add({plain(w.queue), w.size, std::to_string(w.n), wait_words(w.p50), wait_words(w.p90),
                 wait_words(w.p99), wait_words(w.most)});
  return table.empty() ? "" : "\nWAITS IN QUEUE\n" + table.text();
}

std::string host_rows(const Facts& f) {
  TextTable table({"host or GPU", "was", "from", "to", "why"});
  for (const auto& t : f.troubles)
    table.add({plain(t.what), t.state, stamp(f.zone, t.since).substr(0, 16),
               t.until ? stamp(f.zone, t.until).substr(0, 16) : "now", plain(t.why)});
  return table.empty() ? "" : "\nHOSTS AND GPUS\n" + table.text();
}

std::string failure_rows(const Facts& f) {
  TextTable table({"host", "why", "attempts"});
  for (const auto& row : f.failures)
    table.add({plain(row.host.empty() ? "-" : row.host), row.term, std::to_string(row.n)});
  return table.empty() ? "" : "\nFAILED ATTEMPTS\n" + table.text();
}

std::string job_rows(const Facts& f) {
  TextTable table({"job", "name", "state", "ran", main_unit(f), "queue wait", "own wait"});
  auto shown = newest_jobs(f);
  if (shown.size() > kJobs) shown = shown.last(kJobs);
  for (const auto& job : shown)
    table.add({job.id, data_word(job.name), job.state, wait_words(job.run_s),
               hours_of(f, job.allocated), wait_words(job.queue_s), wait_words(job.own_s)});
  auto left = f.jobs.size() - shown.size();
  auto more = left ? "  and " + std::to_string(left) + " earlier ones: bacct -l\n" : "";
  return table.empty() ? "" : "\nYOUR JOBS\n" + table.text() + more;
}

// How it greets a user.
std::string user_lines(const Facts& f) {
  const auto& charged = f.users.empty() ? UseFacts{} : f.users.front();
  std::string text = "\nYou used " + hours_of(f, charged.allocated) + " " + main_unit(f) + " in " +
                     std::to_string(charged.ended) +
                     " jobs: " + std::to_string(charged.ended - charged.failed) + " done, " +
                     std::to_string(charged.failed) + " failed.\n";
  const auto* waits = all_waits(f);
  if (waits && waits->n > 0)
    text += "Waited in queue: half no longer than " + wait_words(waits->p50) +
            ", 9 of 10 no longer than " + wait_words(waits->p90) + ".\n";
  if (main_amount(f, charged.refunded) > 0)
    text += "Lost to the system, not charged: " + hours_of(f, charged.refunded) + " " +
            main_unit(f) + ".\n";
  if (charged.cpu_mms > 0)
    text += "Your tasks used " + percent(to_double(charged.cpu_us), to_double(charged.cpu_mms)) +
            " of the CPU time they held.\n";
  return text;
}

std::string advice_lines(const Facts& f) {
  std::string text;
  for (const auto& advice : f.advice)
    text += "\n" +
            wrapped((text.empty() ? "One thing to change: " : "And: ") +
                    plain(advice.text, kSentence)) +
            "\n";
  if (text.empty()) return text;
  return text + "If this is as you want it, nothing needs doing.\n";
}

// How it greets a plan's owners.
std::string plan_lines(const Facts& f) {
  if (f.plans.empty()) return "";
  const auto& s = f.plans.front().slots;
  std::string text = "Used " + slot_hours(s.used) + " of " + slot_hours(s.owned) +
                     " owned slot hours (" + percent(to_double(s.used), to_double(s.owned)) +
                     "), lent " + slot_hours(s.lent) + ", borrowed " + slot_hours(s.borrowed) +
                     ", balance " + (s.lent >= s.borrowed ? "+" : "") +
                     slot_hours(s.lent - s.borrowed) + ".";
  text = "\n" + wrapped(text) + "\n";
  if (const auto& asked = f.plans.front().asked; asked && asked->unmet > 0)
    text += wrapped("Asked for, deserved and could not get: " + slot_hours(asked->unmet) +
                    (asked->gpus ? " GPU hours" : " slot hours") + " (looked at " +
                    number(asked->covered, 0) + " % of the time).") +
            "\n";
  return text;
}

}  // namespace

std::int64_t main_amount(const Facts& facts, const Amounts& amounts) {
  return facts.has_gpus() ? amounts.gpueq_mms : amounts.slot_ms * 1000;
}

std::string main_unit(const Facts& facts) { return facts.has_gpus() ? "GPU h" : "slot h"; }

std::string text_of(const Facts& f) {
  std::string text = heading(f);
  bool of_user = !f.about.empty() && f.about[0] != '/';
  if (of_user)
    return text + user_lines(f) + advice_lines(f) + budget_rows(f) + job_rows(f) + wait_rows(f);
  if (!f.about.empty()) text += plan_lines(f);
  else text += head_lines(f) + needs_you(f);
  return text + plan_rows(f) + budget_rows(f) + user_rows(f) + wait_rows(f) + host_rows(f) +
         failure_rows(f);
}

std::string subject_of(const Facts& f) {
  std::string text = plain(f.cluster) + ": ";
  bool of_user = !f.about.empty() && f.about[0] != '/';
  if (of_user) return text + "your week " + period_words(f.period, f.zone);
  if (!f.about.empty()) return text + plain(f.about) + " in " + period_words(f.period, f.zone);
  auto whole = f.total.capacity(), used = f.total.allocated();
  text += std::string(kind_name(f.period.kind)) + " " + f.period.name + ", ";
  text += f.has_gpus() ? "GPUs " + percent(to_double(used.gpueq_mms), to_double(whole.gpueq_mms))
                       : "slots " + percent(to_double(used.slot_ms), to_double(whole.slot_ms));
  return text + ", " + std::to_string(f.counts.failed) + " failed" +
         (f.notes.empty() ? "" : ", " + std::to_string(f.notes.size()) + " need you");
}

std::string summary_of(const Facts& f, const Run& run) {
  auto joined = [](std::string text) {
    std::erase(text, ' ');
    return text == "n/a" ? std::string("-") : text;
  };
  auto whole = f.total.capacity(), used = f.total.allocated();
  auto part = [&](std::int64_t Amounts::*of, std::int64_t less = 0) {
    return joined(percent(to_double(used.*of), to_double(whole.*of - less)));
  };
  auto gone = f.total[Use::Down].gpueq_mms + f.total[Use::Drained].gpueq_mms +
              f.total[Use::Aside].gpueq_mms;
  std::string text =
      "wmreport " + std::string(kind_name(f.period.kind)) + " " + f.period.name + " " +
      (run.warnings ? "warn" : "ok") + " jobs=" + std::to_string(f.counts.ended) +
      " failed=" + std::to_string(f.counts.failed) + " slots=" + part(&Amounts::slot_ms);
  if (f.has_gpus())
    text += " gpus=" + part(&Amounts::gpueq_mms) +
            " gpus_avail=" + part(&Amounts::gpueq_mms, gone) + " gpus_down=" +
            joined(percent(to_double(f.total[Use::Down].gpueq_mms), to_double(whole.gpueq_mms)));
  const auto* waits = all_waits(f);
  if (waits && waits->n > 0)
    text += " wait_p50=" + joined(wait_words(waits->p50)) +
            " wait_p90=" + joined(wait_words(waits->p90));
  text += " mails=" + std::to_string(run.mails) + "/" + std::to_string(run.wanted_mails) +
          " warnings=" + std::to_string(run.warnings) + " took=" + number(run.took_s, 1) + "s";
  return text + (run.dry ? " dry-run\n" : "\n");
}

}  // namespace wm::report

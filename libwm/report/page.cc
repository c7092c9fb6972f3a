#include "libwm/report/page.h"

#include <algorithm>

#include "libwm/report/tell.h"
#include "libwm/report/words.h"

namespace wm::report {
namespace {

constexpr const char* kStyle = R"(
:root{--fg:#1b1f24;--bg:#fff;--soft:#59636e;--line:#d1d9e0;--card:#f6f8fa;--bad:#b3261e;--good:#1a7f37}
@media (prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--soft:#9198a1;--line:#3d444d;
--card:#151b23;--bad:#ff8a80;--good:#56d364}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:24px 20px 60px;background:var(--bg);color:var(--fg);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:26px;line-height:1.2;margin:0 0 4px}h2{font-size:18px;margin:34px 0 8px}
p{margin:6px 0}.soft{color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:20px 0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.tile b{display:block;font-size:24px;line-height:1.25;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);font-size:13px}
.needs{border:1px solid var(--line);border-left:5px solid var(--bad);border-radius:8px;padding:8px 16px}
.needs.none{border-left-color:var(--good)}.needs h2{margin:4px 0}.needs ul{margin:4px 0;padding-left:20px}
figure{margin:14px 0 0;break-inside:avoid}figure svg{display:block;width:100%;height:auto;max-width:100%}
svg text{fill:var(--fg)}svg [color=black],svg [color="#000000"]{color:var(--fg)}
figcaption{font-weight:600;font-size:18px;margin-bottom:4px}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:5px 10px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}th{color:var(--soft);font-weight:600}
th:first-child,td:first-child,td.w,th.w{text-align:left}td.w{white-space:normal;max-width:26em;overflow-wrap:break-word}
details{margin-top:6px}summary{cursor:pointer;color:var(--soft);font-size:13px}
footer{margin-top:40px;color:var(--soft);font-size:13px}
@media (max-width:500px){body{padding:14px 12px 40px;font-size:14px}h1{font-size:21px}
.tile b{font-size:19px}.tiles{grid-template-columns:repeat(2,1fr)}
figure svg{min-width:560px}figure{overflow-x:auto}td.w{max-width:16em}th,td{padding:5px 7px}}
@media print{:root{--fg:#000;--bg:#fff;--soft:#444;--line:#bbb;--card:#fff;--bad:#b3261e;--good:#1a7f37}
body{max-width:none;padding:0;font-size:10.5pt}details{display:none}h2{break-after:avoid}
tr,.tile,.needs{break-inside:avoid}figure svg{min-width:0}.scroll{overflow:visible}
table{font-size:9pt}th,td{padding:3px 6px}@page{size:A4;margin:14mm}}
)";

/// A table; columns named with a leading ' ' hold words.
class HtmlTable {
 public:
  explicit HtmlTable(std::vector<std::string> head) : head_(std::move(head)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::string text(const std::string& title, const std::string& says = "") const {
    if (rows_.empty()) return "";
    std::string made = "<h2>" + title + "</h2>\n";
    if (!says.empty()) made += "<p class=\"soft\">" + html(says, kSentence) + "</p>\n";
    made += "<div class=\"scroll\"><table><thead><tr>";
    for (const auto& cell : head_) made += cell_of(cell, cell, "th");
    made += "</tr></thead><tbody>\n";
    for (const auto& row : rows_) {
      made += "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) made += cell_of(head_[i], html(row[i]), "td");
      made += "</tr>\n";
    }
    return made + "</tbody></table></div>\n";
  }

 private:
  static std::string cell_of(const std::string& head, const std::string& text, const char* tag) {
    bool words = head.starts_with(' ');
    return "<" + std::string(tag) + (words ? " class=\"w\">" : ">") + text + "</" + tag + ">";
  }
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
};

std::string tile(const std::string& big, const std::string& small) {
  return "<div class=\"tile\"><b>" + html(big) + "</b><span>" + html(small) + "</span></div>\n";
}

std::string count(std::int64_t n) { return number(to_double(n), 0); }
std::string hours(const Facts& f, const Amounts& a) { return unit_hours(main_amount(f, a)); }

std::string use_tile(const Facts& f, const char* name, std::int64_t Amounts::*of) {
  auto whole = to_double(f.total.capacity().*of), used = to_double(f.total.allocated().*of);
  auto gone =
      to_double(f.total[Use::Down].*of + f.total[Use::Drained].*of + f.total[Use::Aside].*of);
  return tile(percent(used, whole),
              std::string(name) + " in use; " + percent(used, whole - gone) + " of available");
}

std::string wait_tiles(const Facts& f) {
  if (f.waits.empty() || f.waits.front().n == 0) return "";
  const auto& all = f.waits.front();
  return tile(wait_words(all.p50),
              "half of " + count(static_cast<std::int64_t>(all.n)) + " starts waited no longer") +
         tile(wait_words(all.p90), "9 of 10 waited no longer");
}

// Below nine tenths nobody knows.
std::string busy_tile(const Facts& f) {
  auto covered = gpu_coverage(f);
  if (covered < 0 || f.gpu_use.seen_us == 0) return "";
  auto looked = "coverage " + number(std::min(100.0, covered), 0) + " %";
  if (covered < 90) return tile("n/a", "GPUs busy (" + looked + ")");
  return tile(percent(to_double(f.gpu_use.busy_us), to_double(f.gpu_use.seen_us)),
              "of the GPU time held a kernel ran (" + looked + ")");
}

// Of what is counted: GPUs that were held, and processors.
std::string energy_tile(const Facts& f) {
  auto gpus = to_double(f.gpu_use.energy_mj) / 3.6e9,
       hosts = to_double(f.gpu_use.host_energy_mj) / 3.6e9;
  if (gpus + hosts <= 0) return "";
  std::string of = gpus <= 0    ? "by processors"
                   : hosts <= 0 ? "by GPUs held"
                                : "by GPUs held and processors";
  return tile(number(gpus + hosts, 1) + " kWh", of + ", as far as it was counted");
}

std::string cluster_tiles(const Facts& f) {
  std::string made;
  if (f.has_gpus()) made += use_tile(f, "GPUs", &Amounts::gpueq_mms);
  made += use_tile(f, "slots", &Amounts::slot_ms);
  made += tile(count(f.counts.ended), "jobs ended, " + count(f.counts.failed) + " failed");
  made += wait_tiles(f) + busy_tile(f) + energy_tile(f);
  if (f.counts.waiting > 0)
    made += tile(std::to_string(f.counts.waiting),
                 "waiting, half longer than " + wait_words(f.counts.waiting_age_s));
  return made;
}

std::string plan_tiles(const Facts& f) {
  if (f.plans.empty()) return "";
  const auto& s = f.plans.front().slots;
  return tile(percent(to_double(s.used), to_double(s.owned)),
              slot_hours(s.used) + " of " + slot_hours(s.owned) + " owned slot hours used") +
         tile(slot_hours(s.lent), "slot hours lent") +
         tile(slot_hours(s.borrowed), "slot hours borrowed") +
         tile((s.lent >= s.borrowed ? "+" : "") + slot_hours(s.lent - s.borrowed), "balance");
}

std::string user_tiles(const Facts& f) {
  auto user = f.users.empty() ? UseFacts{} : f.users.front();
  std::string made = tile(hours(f, user.allocated), main_unit(f) + " used");
  made +=
      tile(std::to_string(user.ended), "jobs ended, " + std::to_string(user.failed) + " failed");
  made += wait_tiles(f) + busy_tile(f);
  if (user.cpu_mms > 0)
    made += tile(percent(to_double(user.cpu_us), to_double(user.cpu_mms)),
                 "of the CPU time held was used");
  if (main_amount(f, user.refunded) > 0)
    made += tile(hours(f, user.refunded), main_unit(f) + " lost to the system, not charged");
  return made;
}

std::string needs(const Facts& f) {
  if (!f.about.empty() && f.notes.empty()) return "";
  std::string made = "<section class=\"needs" + std::string(f.notes.empty() ? " none" : "") +
                     "\"><h2>" + (f.about.empty() && f.names ? "Needs you" : "To know") + "</h2>\n";
  if (f.notes.empty()) return made + "<p>Nothing.</p></section>\n";
  made += "<ul>";
  for (const auto& note : f.notes) made += "<li>" + html(note.text, kSentence) + "</li>";
  return made + "</ul></section>\n";
}

std::string advice(const Facts& f) {
  if (f.advice.empty()) return "";
  std::string made = "<section class=\"needs none\"><h2>" +
                     std::string(f.advice.size() > 1 ? "Things" : "One thing") +
                     " to change</h2><ul>";
  for (const auto& one : f.advice) made += "<li>" + html(one.text, kSentence) + "</li>";
  return made +
         "</ul><p class=\"soft\">If this is as you want it, nothing needs doing.</p></section>\n";
}

// What a figure is drawn of, for who wants the numbers.
std::string figure(const Figure& f) {
  std::string made = "<figure><figcaption>" + html(f.title) + "</figcaption>\n";
  made += f.svg.empty()
              ? "<p class=\"soft\">" + html(f.says) + " (no gnuplot here: see the tables)</p>\n"
              : f.svg;
  std::string rows;
  std::size_t count = 0;
  for (std::size_t at = 0; at < f.csv.size() && count++ < 400;) {
    auto end = std::min(f.csv.find("\r\n", at), f.csv.size());
    rows += html(f.csv.substr(at, end - at), kSentence) + "\n";
    at = end + 2;
  }
  return made + "<details><summary>The numbers</summary><pre class=\"scroll\">" + rows +
         "</pre></details></figure>\n";
}

std::string plan_table(const Facts& f) {
  std::vector<std::string> head = {" plan", "owned slot h", "used",       "borrowed",
                                   "lent",  "beyond",       main_unit(f), "refunded"};
  bool any_asked = std::any_of(f.plans.begin(), f.plans.end(), [](auto& p) { return !!p.asked; });
  bool of_gpus = any_asked && std::any_of(f.plans.begin(), f.plans.end(),
                                          [](auto& p) { return p.asked && p.asked->gpus; });
  auto what = std::string(of_gpus ? "GPU h" : "slot h");
  if (any_asked) head.insert(head.end(), {"deserved " + what, "could not get"});
  HtmlTable table(head);
  for (const auto& p : f.plans) {
    std::vector<std::string> row = {p.path,
                                    slot_hours(p.slots.owned),
                                    slot_hours(p.slots.used),
                                    slot_hours(p.slots.borrowed),
                                    slot_hours(p.slots.lent),
                                    slot_hours(p.slots.beyond),
                                    hours(f, p.allocated),
                                    hours(f, p.refunded)};
    bool told = p.asked && p.asked->gpus == of_gpus;
    if (any_asked) row.push_back(told ? slot_hours(p.asked->deserved) : "n/a");
    if (any_asked) row.push_back(told ? slot_hours(p.asked->unmet) : "n/a");
    table.add(row);
  }
  return table.text("Plans",
                    "Borrowed: slots that siblings own and left idle; lent: own ones that siblings "
                    "used; beyond: those that nobody owns." +
                        std::string(any_asked ? " Could not get: of what a plan asked for and "
                                                "deserved, what it did not have."
                                              : ""));
}

std::string budget_table(const Facts& f) {
  HtmlTable table(
      {" budget", " period", " hours of", "granted", "carried", "used", "left", "part used"});
  for (const auto& b : f.budgets)
    for (const auto& [unit, amounts] : {std::pair("GPUs", b.gpu), std::pair("CPUs", b.cpu)})
      if (amounts)
        table.add(
            {b.name, b.period, unit, unit_hours(amounts->granted), unit_hours(amounts->carried),
             unit_hours(amounts->used),
             unit_hours(amounts->granted + amounts->carried - amounts->used),
             percent(to_double(amounts->used), to_double(amounts->granted + amounts->carried))});
  return table.text("Budgets");
}

std::string use_table(const Facts& f, const std::vector<UseFacts>& uses, const std::string& title,
                      const char* what) {
  HtmlTable table({std::string(" ") + what, main_unit(f), "of all", "slot h", "refunded",
                   "CPU used", "memory used", "jobs", "failed"});
  auto all = to_double(main_amount(f, f.total.allocated()));
  for (const auto& u : uses) {
    table.add({u.name, hours(f, u.allocated), percent(to_double(main_amount(f, u.allocated)), all),
               slot_hours(u.allocated.slot_ms), hours(f, u.refunded),
               percent(to_double(u.cpu_us), to_double(u.cpu_mms)),
               percent(to_double(u.mem_peak_mib_s), to_double(u.mem_mib_s)),
               std::to_string(u.ended), std::to_string(u.failed)});
  }
  return table.text(title);
}

std::string wait_table(const Facts& f) {
  HtmlTable table({" queue", " tasks", "starts", "p50", "p90", "p99", "longest"});
  for (const auto& w : f.waits)
    if (!w.size.empty())
      table.add({w.queue, w.size, std::to_string(w.n), wait_words(w.p50), wait_words(w.p90),
                 wait_words(w.p99), wait_words(w.most)});
  return table.text("Waits in queue");
}

std::string host_tables(const Facts& f) {
  HtmlTable troubles({" host or GPU", " was", " from", " to", " why"});
  for (const auto& t : f.troubles)
    troubles.add(
        {t.what, t.state, stamp(f.zone, t.since), t.until ? stamp(f.zone, t.until) : "now", t.why});
  HtmlTable table({" host", "slot h", "in use", "down", "drained", "GPU h", "in use "});
  for (const auto& h : f.hosts) {
    auto whole = h.uses.capacity(), used = h.uses.allocated();
    table.add({h.name, slot_hours(whole.slot_ms),
               percent(to_double(used.slot_ms), to_double(whole.slot_ms)),
               percent(to_double(h.uses[Use::Down].slot_ms), to_double(whole.slot_ms)),
               percent(to_double(h.uses[Use::Drained].slot_ms), to_double(whole.slot_ms)),
               unit_hours(whole.gpu_mms),
               percent(to_double(used.gpu_mms), to_double(whole.gpu_mms))});
  }
  return troubles.text("Hosts and GPUs that were not well") + table.text("Hosts");
}

std::string elastic_table(const Facts& f) {
  HtmlTable table({" job", " name", " user", "mean size", "resizes", "cost slot s", "of its time"});
  for (const auto& e : f.elastic)
    table.add({e.id, e.name, e.user, number(e.mean, 2), std::to_string(e.resizes.size()),
               number(e.cost, 1), number(100 * e.cost_part, 2) + " %"});
  return table.text("Elastic jobs");
}

std::string job_table(const Facts& f) {
  auto jobs = newest_jobs(f);
  bool measured = std::any_of(jobs.begin(), jobs.end(), [](auto& j) { return j.gpu_seen_us > 0; });
  std::vector<std::string> head = {" job",       " name",    " state",           "ran",
                                   main_unit(f), "CPU used", "MiB used / asked", "queue wait",
                                   "own wait"};
  if (measured) head.insert(head.begin() + 5, "GPUs busy");
  HtmlTable table(head);
  for (const auto& j : jobs) {
    std::vector<std::string> row = {j.id,
                                    j.name,
                                    j.state,
                                    wait_words(j.run_s),
                                    hours(f, j.allocated),
                                    percent(to_double(j.cpu_us), to_double(j.cpu_mms)),
                                    number(to_double(j.mem_peak), 0) + " / " +
                                        (j.mem_asked ? number(to_double(j.mem_asked), 0) : "-"),
                                    wait_words(j.queue_s),
                                    wait_words(j.own_s)};
    if (measured)
      row.insert(row.begin() + 5, percent(to_double(j.gpu_busy_us), to_double(j.gpu_seen_us)));
    table.add(row);
  }
  return table.text("Your jobs");
}

std::string refund_table(const Facts& f) {
  HtmlTable table({" not charged, for", "slot h", "GPU h"});
  for (const auto& [kind, a] : f.refunds)
    table.add({kind, slot_hours(a.slot_ms), unit_hours(a.gpueq_mms)});
  return table.text("Refunds");
}

std::string failure_table(const Facts& f) {
  HtmlTable table({" host", " why", "attempts"});
  for (const auto& row : f.failures) table.add({row.host, row.term, std::to_string(row.n)});
  return table.text("Failed attempts");
}

}  // namespace

std::string page_of(const Facts& f, const std::vector<Figure>& figures) {
  bool of_user = !f.about.empty() && f.about[0] != '/', of_plan = !f.about.empty() && !of_user;
  auto title = (f.about.empty() ? "WM " + f.cluster : f.about + " on " + f.cluster) + ", " +
               period_words(f.period, f.zone);
  std::string made =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>" +
      html(title) + "</title>\n<style>" + kStyle + "</style></head><body>\n<header><h1>" +
      html(title) + "</h1>\n<p class=\"soft\">" +
      html(length_words(f.period, f.zone) + "; " + (f.final ? "final" : "provisional") + ", made " +
           stamp(f.zone, f.made_at)) +
      "</p></header>\n";
  made += "<div class=\"tiles\">" +
          (of_user   ? user_tiles(f)
           : of_plan ? plan_tiles(f)
                     : cluster_tiles(f)) +
          "</div>\n";
  made += needs(f) + advice(f);
  for (const auto& one : figures) made += figure(one);
  if (of_user) made += budget_table(f) + job_table(f) + wait_table(f) + refund_table(f);
  else
    made += plan_table(f) + budget_table(f) +
            use_table(f, f.users, of_plan ? "Members" : "Users", "user") +
            use_table(f, f.queues, "Queues", "queue") + wait_table(f) + elastic_table(f) +
            host_tables(f) + failure_table(f) + refund_table(f);
  return made +
         "<footer>Utilisation is what jobs held, as a part of what there was; \"of available\" "
         "leaves out "
         "what was down or drained. Waits leave out holds, begin times, dependencies and array "
         "limits of "
         "users' own. See wmreport(1).</footer>\n</body></html>\n";
}

}  // namespace wm::report

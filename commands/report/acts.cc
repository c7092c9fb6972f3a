// wmreport's acts: roll, day, week, month, show.
#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "commands/common/command.h"
#include "commands/report/old_pages.h"
#include "commands/report/work.h"
#include "libwm/base/clock.h"
#include "libwm/report/page.h"
#include "libwm/report/words.h"

namespace wm::cmd {
namespace {

constexpr const char* kPage = "";  // recipient under which `sent` notes that the page was made

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(steady_now() - begun).count();
}

// How far back a run looks for what was not made or not taken.
int reach(report::Kind kind) { return kind == report::Kind::Day ? 7 : 2; }

/// Makes and delivers the reports of periods, one after the other.
class Courier {
 public:
  Courier(Open& open, const ReportSite& site, const ReportWish& wish)
      : open_(open), site_(site), wish_(wish) {}

  Result<int> each(const std::vector<report::Period>& periods) {
    int code = kDone;
    for (const auto& period : periods) {
      WM_TRY(int one, run(period));
      code = std::max(code, one);
    }
    return code;
  }

  /// Periods without a page so far, or with a mail that was not taken; the newest last.
  Result<std::vector<report::Period>> due() {
    std::vector<report::Period> periods;
    WM_TRY(auto earliest, open_.acct->earliest());
    auto period = report::before(report::period_at(wish_.kind, site_.zone, site_.now), site_.zone);
    for (int i = 0; i < reach(wish_.kind); ++i, period = report::before(period, site_.zone)) {
      bool there = earliest > 0 && period.to * 1'000'000 > earliest;
      WM_TRY(bool made, is_sent(period, kPage));
      WM_TRY(bool mailed, is_mailed(period));
      if (there && (!made || !mailed)) periods.push_back(period);
    }
    std::reverse(periods.begin(), periods.end());
    return periods;
  }

 private:
  Result<bool> is_sent(const report::Period& period, const std::string& recipient) {
    return open_.reports->is_sent(std::string(report::kind_name(period.kind)), period.name,
                                  recipient);
  }
  Result<bool> is_mailed(const report::Period& period) {
    if (!wish_.mail) return true;
    WM_TRY(auto recipients, recipients_of(open_, site_, period));
    for (const auto& to : recipients) {
      WM_TRY(bool sent, is_sent(period, key(to)));
      if (!sent) return false;
    }
    return true;
  }
  static std::string key(const Recipient& to) { return to.address + " " + to.about; }
  bool keeps() const { return wish_.out.empty() && !wish_.dry; }

  Result<void> note(const report::Period& period, const std::string& recipient) {
    if (!keeps()) return {};
    return open_.reports->note_sent(std::string(report::kind_name(period.kind)), period.name,
                                    recipient, site_.now);
  }

  Result<void> note_advice(const report::Period& period, const report::Facts& facts) {
    if (!keeps()) return {};
    for (const auto& advice : facts.advice)
      WM_TRY(open_.reports->note_sent("advice", period.name, facts.about + " " + advice.rule,
                                      site_.now));
    return {};
  }

  Result<int> run(const report::Period& period) {
    auto begun = steady_now();
    report::Run told;
    told.dry = wish_.dry;
    WM_TRY(auto made, make_report(open_, site_, period, ""));
    warnings_ = made.warnings;
    if (wish_.dry) say(made.text + "\n");
    else WM_TRY(write_report(site_, wish_, made));
    if (made.facts.final) WM_TRY(note(period, kPage));
    WM_TRY(deliver(period, made, told));
    told.warnings = warnings_.size();
    told.took_s = seconds_since(begun);
    for (const auto& warning : warnings_) complain("wmreport: " + warning + "\n");
    int code = warnings_.empty() ? kDone : kWarned;
    if (!wish_.quiet || code != kDone) say(report::summary_of(made.facts, told));
    return code;
  }

  // Reports of one user or plan are made for who gets them, and kept.
  Result<void> deliver(const report::Period& period, const Made& cluster, report::Run& told) {
    WM_TRY(auto recipients, recipients_of(open_, site_, period));
    for (const auto& to : recipients) {
      bool wanted = wish_.mail || !wish_.out.empty();
      WM_TRY(bool had, keeps() ? is_sent(period, key(to)) : Result<bool>(false));
      if (had) continue;
      if (wish_.dry) {
        say("would be mailed to " + report::plain(to.address) + "\n");
        continue;
      }
      WM_TRY(auto own, to.about.empty() ? without_names(cluster, to.names)
                                        : make_report(open_, site_, period, to.about));
      if (!to.about.empty()) WM_TRY(write_report(site_, wish_, own));
      for (const auto& advice : own.kept_back)
        kept_back_ += own.facts.about + ": " + advice.text + "\n";
      if (!wanted) continue;
      ++told.wanted_mails;
      auto mailed = mail_report(site_, wish_, to, own);
      told.mails += mailed.sent;
      if (!mailed.sent) warnings_.push_back("no mail to " + to.address + ": " + mailed.why);
      // What is provisional is mailed again when it is final.
      if (!mailed.sent || (!cluster.facts.final && site_.now <= period.to + 86400)) continue;
      WM_TRY(note(period, key(to)));
      WM_TRY(note_advice(period, own.facts));
    }
    return tell_trial(period);
  }

  // Once a period, like every report.
  Result<void> tell_trial(const report::Period& period) {
    if (kept_back_.empty() || (!wish_.mail && wish_.out.empty())) return {};
    WM_TRY(bool had, keeps() ? is_sent(period, "advice on trial") : Result<bool>(false));
    if (had) return {};
    auto mailed = mail_trial(site_, wish_, period, std::exchange(kept_back_, ""));
    if (!mailed.sent) warnings_.push_back("advice on trial was not mailed: " + mailed.why);
    return mailed.sent ? note(period, "advice on trial") : Result<void>();
  }

  static Result<Made> without_names(const Made& cluster, bool names) {
    Made made = cluster;
    if (names) return made;
    made.facts.names = false;
    // What is an administrator's to mend is left out.
    std::erase_if(made.facts.notes, [](const auto& note) {
      return note.code != "forecast" && note.code != "provisional" && note.code != "restated";
    });
    made.facts.troubles.clear();
    made.facts.users.clear();
    made.facts.elastic.clear();
    std::erase_if(made.facts.budgets, [](auto& b) { return b.name.starts_with("user:"); });
    std::erase_if(made.figures,
                  [](const auto& f) { return f.id == "elastic" || f.id == "members"; });
    made.text = report::text_of(made.facts);
    made.page = report::page_of(made.facts, made.figures);
    return made;
  }

  Open& open_;
  const ReportSite& site_;
  const ReportWish& wish_;
  std::vector<std::string> warnings_;
  std::string kept_back_;  // a line for each thing that a user is not told yet
};

}  // namespace

Result<int> do_roll(const ReportSite& site, const ReportWish& wish) {
  auto begun = steady_now();
  auto open = open_rolled(site, wish, Duration{});
  if (!open && open.error().code == Code::Conflict) {
    if (!wish.quiet) say("wmreport roll: " + open.error().text + "\n");
    return kDone;
  }
  if (!open) return open.error();
  if (wish.out.empty())
    remove_old_pages(site.dir, site.now - std::int64_t{86400} * site.conf.keep_pages);
  const auto& done = open->rolled;
  std::vector<std::string> problems;
  if (wish.mail || !wish.out.empty()) {
    WM_TRY(problems, warn_of_budgets(*open, site, wish));
  }
  for (const auto& problem : problems) complain("wmreport: " + problem + "\n");
  bool warned = done.restated > 0 || !problems.empty();
  if (done.restated > 0)
    complain("wmreport: " + std::to_string(done.restated) +
             " final hours have other sums than before; their reports say so\n");
  if (!wish.quiet || warned)
    say("wmreport roll " + std::string(warned ? "warn" : "ok") +
        " hours=" + std::to_string(done.hours) + " final=" + std::to_string(done.finals) +
        " restated=" + std::to_string(done.restated) +
        " until=" + (done.horizon ? report::stamp(site.zone, done.horizon / 1'000'000) : "-") +
        " took=" + report::number(seconds_since(begun), 1) + "s\n");
  return warned ? kWarned : kDone;
}

Result<int> do_report(const ReportSite& site, const ReportWish& wish) {
  WM_TRY(auto asked, asked_period(site, wish));
  WM_TRY(auto open, open_rolled(site, wish, kReportPatience));
  if (open.rolled.horizon == 0)
    return fail(Code::NotFound, "accounting has recorded nothing yet: nothing to report");
  Courier courier(open, site, wish);
  if (asked) return courier.each({*asked});
  if (!wish.out.empty() || wish.dry) {
    auto now = report::period_at(wish.kind, site.zone, site.now);
    return courier.each({report::before(now, site.zone)});
  }
  WM_TRY(auto due, courier.due());
  if (due.empty() && !wish.quiet)
    say("wmreport " + std::string(report::kind_name(wish.kind)) + ": nothing is due\n");
  return courier.each(due);
}

Result<int> do_show(const ReportSite& site, const ReportWish& wish) {
  WM_TRY(auto asked, asked_period(site, wish));
  auto last = report::before(report::period_at(wish.kind, site.zone, site.now), site.zone);
  WM_TRY(auto open, open_rolled(site, wish, kReportPatience));
  WM_TRY(auto facts, store::gather(*open.acct, *open.reports,
                                   {site.cluster.name, asked.value_or(last), site.zone, wish.about,
                                    site.now, open.meter.get()}));
  WM_TRY(add_budgets(open, facts));
  if (wish.format == "json") say(report::json_of(facts));
  else if (wish.format == "csv")
    for (const auto& figure : report::figures_of(facts))
      say("# " + figure.id + "\r\n" + figure.csv + "\r\n");
  else say(report::text_of(facts));
  return kDone;
}

}  // namespace wm::cmd

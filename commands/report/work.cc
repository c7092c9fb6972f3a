// What is common to wmreport's acts: the site, the databases, making one report.
#include "commands/report/work.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "commands/common/command.h"
#include "libwm/base/clock.h"
#include "libwm/conf/folders.h"
#include "libwm/conf/load.h"
#include "libwm/proc/process.h"
#include "libwm/report/page.h"

namespace wm::cmd {
namespace {

constexpr Duration kFigureLimit = std::chrono::seconds(20);
constexpr Bytes kMostFigure{16 << 20};

// Draws what there is data for; the first failure of gnuplot is told, not each.
void draw(std::vector<report::Figure>& figures, std::vector<std::string>& warnings) {
  for (auto& figure : figures) {
    auto drawn = proc::run({{"gnuplot", "-"}, figure.script}, kFigureLimit, kMostFigure);
    if (drawn && drawn->status == 0)
      figure.svg = report::svg_part(figure.id, drawn->out, figure.says);
    if (!figure.svg.empty() || !warnings.empty()) continue;
    warnings.push_back("no figures: " + (drawn
                                             ? "gnuplot ended with " + std::to_string(drawn->status)
                                             : drawn.error().text));
    if (!drawn && drawn.error().code == Code::NotFound) return;
  }
}

// Since reports began nobody but administrators is told for a while.
Result<bool> is_on_trial(store::ReportDb& reports, const ReportSite& site) {
  WM_TRY(auto began, reports.sent_at("advice", "began", ""));
  if (!began) WM_TRY(reports.note_sent("advice", "began", "", site.now));
  return site.now - began.value_or(site.now) < std::int64_t{site.conf.trial} * 86400;
}

// Nothing that was said the period before.
Result<void> add_advice(store::ReportDb& reports, const ReportSite& site, report::Facts& facts) {
  auto before = report::before(facts.period, site.zone).name;
  for (auto& advice : report::advise(facts, site.conf.limits)) {
    WM_TRY(bool told, reports.is_sent("advice", before, facts.about + " " + advice.rule));
    if (!told) facts.advice.push_back(std::move(advice));
  }
  return {};
}

// Started by root it becomes the account that the databases belong to, as the master does: what
// root makes there nobody else could write again.
Result<void> become_owner(const std::string& folder) {
  struct stat st {};
  if (::geteuid() != 0 || ::stat(folder.c_str(), &st) != 0 || st.st_uid == 0) return {};
  if (::setgroups(0, nullptr) == 0 && ::setgid(st.st_gid) == 0 && ::setuid(st.st_uid) == 0)
    return {};
  return fail(Code::System, folder + ": cannot become the account that it belongs to");
}

}  // namespace

Result<ReportSite> report_site(const ReportWish& wish) {
  ReportSite site;
  site.now = now_s();
  WM_TRY(site.cluster, conf::load_cluster(conf_dir()));
  WM_TRY(site.conf, conf::load_report_conf(conf_dir()));
  site.state = conf::master_folders(site.cluster.dirs).state;
  WM_TRY(become_owner(site.state));
  site.dir = site.conf.dir.empty() ? site.state + "/reports" : site.conf.dir;
  if (!wish.out.empty()) site.dir = wish.out;
  WM_TRY(site.zone,
         zone_named(wish.timezone.empty() ? site.conf.timezone : wish.timezone, site.now));
  return site;
}

// Another zone than the site's has hours of its own: they are rolled into a database beside the
// report, which is of no use afterwards.
Result<Open> open_rolled(const ReportSite& site, const ReportWish& wish, Duration patience) {
  Open open;
  bool own_zone = !wish.timezone.empty() && wish.timezone != site.conf.timezone;
  auto folder = site.state;
  if (own_zone) {
    folder = site.state + "/report-" + std::to_string(static_cast<long>(::getuid()));
    ::mkdir(folder.c_str(), 0750);
  }
  WM_TRY(open.acct, store::AcctScan::open({site.state, ""}));
  WM_TRY(open.lock, Lock::take(folder + "/report.lock", patience));
  WM_TRY(open.reports, store::ReportDb::open(folder, site.zone.name));
  if (auto meter = store::MeterDb::read(site.state)) open.meter = *std::move(meter);
  else complain("wmreport: " + meter.error().text + ": reports go without it\n");
  store::RollWish roll{site.zone, {}, site.now};
  if (wish.act == "roll" && !wish.since.empty()) {
    WM_TRY(auto from, report::instant_named(wish.since, site.zone));
    roll.from = from;
  }
  WM_TRY(open.rolled, store::roll(*open.acct, *open.reports, roll));
  WM_TRY(open.trial, is_on_trial(*open.reports, site));
  return open;
}

Result<Made> make_report(Open& open, const ReportSite& site, const report::Period& period,
                         const std::string& about) {
  Made made;
  WM_TRY(made.facts,
         store::gather(*open.acct, *open.reports,
                       {site.cluster.name, period, site.zone, about, site.now, open.meter.get()}));
  WM_TRY(add_budgets(open, made.facts));
  bool of_user = !about.empty() && about[0] != '/';
  if (of_user && site.conf.advice) WM_TRY(add_advice(*open.reports, site, made.facts));
  if (open.trial) made.kept_back = std::exchange(made.facts.advice, {});
  made.figures = report::figures_of(made.facts);
  draw(made.figures, made.warnings);
  if (!made.facts.final) made.warnings.push_back("provisional: accounting has not come to its end");
  made.text = report::text_of(made.facts);
  made.page = report::page_of(made.facts, made.figures);
  made.json = report::json_of(made.facts);
  return made;
}

Result<std::optional<report::Period>> asked_period(const ReportSite& site, const ReportWish& wish) {
  if (wish.since.empty() != wish.until.empty())
    return fail(Code::BadArgument, "--since and --until belong together");
  if (!wish.since.empty()) {
    WM_TRY(auto from, report::instant_named(wish.since, site.zone));
    WM_TRY(auto to, report::instant_named(wish.until, site.zone));
    if (to <= from) return fail(Code::BadArgument, "--until is not after --since");
    auto name = wish.since + ".." + wish.until;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == ':'; }, '_');
    return std::optional(report::Period{wish.kind, name, report::hour_start(site.zone, from), to});
  }
  if (wish.period.empty()) return std::optional<report::Period>();
  WM_TRY(auto period, report::period_named(wish.kind, wish.period, site.zone, site.now));
  return std::optional(period);
}

}  // namespace wm::cmd

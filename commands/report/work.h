// Role: what wmreport does, once its words are understood: rolls up, makes reports, delivers them.
//
//   roll ─► gather ─► figures (gnuplot) ─► page, text, JSON, tables ─► files, mail
//
// Exit codes: 0 done; 1 made, with warnings; 2 usage; 3 not made.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/report/place.h"
#include "libwm/conf/report_conf.h"
#include "libwm/report/figures.h"
#include "libwm/report/tell.h"
#include "libwm/store/report/meter_db.h"
#include "libwm/store/report/report_facts.h"
#include "libwm/store/report/roll.h"

namespace wm::cmd {

inline constexpr int kDone = 0, kWarned = 1, kUsage = 2, kNotMade = 3;

/// What was asked on the command line.
struct ReportWish {
  std::string act;  ///< roll, day, week, month, show, export
  report::Kind kind = report::Kind::Day;
  std::string period;  ///< empty: what is due, or the last
  std::string about;   ///< of show: a plan or a user
  std::string since, until, out, format, by, price, timezone;
  bool quiet = false, mail = false, dry = false;
};

/// The place where it is asked.
struct ReportSite {
  ClusterConf cluster;
  conf::ReportConf conf;
  std::string state, dir;  ///< databases; pages
  report::Zone zone;
  std::int64_t now = 0;
};

/// @errors NotFound, BadArgument: the configuration
Result<ReportSite> report_site(const ReportWish& wish);

/// How long a report waits for another that is at work.
inline constexpr Duration kReportPatience = std::chrono::seconds(120);

/// Both databases, rolled up to what accounting has. Holds the lock as long as it lives.
struct Open {
  std::unique_ptr<Lock> lock;
  std::unique_ptr<store::AcctScan> acct;
  std::unique_ptr<store::ReportDb> reports;
  std::unique_ptr<store::MeterDb> meter;  ///< none: nobody has measured
  store::Rolled rolled;
  bool trial = false;  ///< advice goes to administrators alone
};
/// @errors Conflict: another is at work; as store::roll   @thread blocks
Result<Open> open_rolled(const ReportSite& site, const ReportWish& wish, Duration patience);

/// A report in all its forms.
struct Made {
  report::Facts facts;
  std::vector<report::Figure> figures;
  std::string text, page, json;
  std::vector<std::string> warnings;
  std::vector<report::Advice> kept_back;  ///< from its user, as long as advice is on trial
};
/// @errors as store::gather; a figure that cannot be drawn is a warning
Result<Made> make_report(Open& open, const ReportSite& site, const report::Period& period,
                         const std::string& about);

/// Who gets what.
struct Recipient {
  std::string name, address;
  std::string about;  ///< as Facts::about
  bool names = true;  ///< false: sums without names of users
};
/// Of a report of this kind. @errors Store
Result<std::vector<Recipient>> recipients_of(Open& open, const ReportSite& site,
                                             const report::Period& period);

/// Writes page, text, JSON and the figures' tables; returns the page's path. @errors System
Result<std::string> write_report(const ReportSite& site, const ReportWish& wish, const Made& made);
/// How mail to one recipient went.
struct Mailed {
  bool sent = false;
  std::string why;  ///< when it was not
};
/// A text of its own.
struct Notice {
  std::string address, subject, text, id;
};
Mailed mail_text(const ReportSite& site, const ReportWish& wish, const Notice& notice);
/// How the budgets stood at the end of what a report is about. @errors Store, Damaged
Result<void> add_budgets(Open& open, report::Facts& facts);
/// Mails owners and administrators, once in a budget's period and level; returns what was not
/// taken. @errors Store, Damaged
Result<std::vector<std::string>> warn_of_budgets(Open& open, const ReportSite& site,
                                                 const ReportWish& wish);
Mailed mail_report(const ReportSite& site, const ReportWish& wish, const Recipient& to,
                   const Made& made);

/// To administrators: what users would have been told. @errors none: a mail that is not taken is a
/// warning
Mailed mail_trial(const ReportSite& site, const ReportWish& wish, const report::Period& period,
                  const std::string& text);

/// Each act, returning the exit code. @errors make it kNotMade
Result<int> do_roll(const ReportSite& site, const ReportWish& wish);
Result<int> do_report(const ReportSite& site, const ReportWish& wish);
Result<int> do_show(const ReportSite& site, const ReportWish& wish);
Result<int> do_export(const ReportSite& site, const ReportWish& wish);

/// The period that was asked for: by name, or from --since to --until. @errors BadArgument
Result<std::optional<report::Period>> asked_period(const ReportSite& site, const ReportWish& wish);

}  // namespace wm::cmd

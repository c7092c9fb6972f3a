// Role: report.conf, what wmreport is told: where reports go, to whom, at which place's time. Read
// by wmreport; of the daemons by the master alone, for the calendar of budgets (load.cc).
//
//   key = value                     the reports
//   [/research/vision]              a plan: owners of its monthly report
//   [alice]                         a user: address, or none for no mail
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "libwm/conf/keys.h"
#include "libwm/report/advice.h"

namespace wm::conf {

/// A plan's section, or a user's.
struct ReportTo {
  std::vector<std::string> owners;  ///< of a plan: users or addresses
  std::string mail;                 ///< of a user; "none": no mail
  bool operator==(const ReportTo&) const = default;
};

/// report.conf.
struct ReportConf {
  std::string dir;       ///< pages and tables; empty: reports below the master's state directory
  std::string timezone;  ///< "Europe/Berlin"; empty: the machine's
  std::vector<std::string> admins = {"root"};  ///< users or addresses
  std::vector<std::string> management;         ///< users or addresses; sums without names
  std::string from;                            ///< sender; empty: the account that runs wmreport
  std::string mail_domain;                     ///< of users without an address; empty: local mail
  bool user_mail = true;                       ///< users get their week
  std::uint32_t keep_pages = 400;              ///< days
  bool advice = true;                          ///< a user's week says what to change
  std::uint32_t trial = 28;                    ///< days of advice to administrators alone
  report::AdviceLimits limits;
  std::map<std::string, ReportTo> to;
  bool operator==(const ReportConf&) const = default;
};

/// @cost O(1)
std::span<const Key<ReportConf>> report_keys();

/// What the text of report.conf says. @errors BadArgument: a line per problem
Result<ReportConf> parse_report_conf(const std::string& text);
/// The file in directory `dir`; without it the defaults. @errors System; as parse_report_conf
Result<ReportConf> load_report_conf(const std::string& dir);

/// Where mail for a user, or an address, goes; empty: nowhere. @cost O(log users)
std::string address_of(const ReportConf& conf, const std::string& user);

}  // namespace wm::conf

// Where reports go: files, and mail through sendmail's interface.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "commands/report/work.h"
#include "libwm/proc/process.h"
#include "libwm/report/mail.h"
#include "libwm/report/words.h"

namespace wm::cmd {
namespace {

constexpr Duration kMailLimit = std::chrono::seconds(60);
constexpr Bytes kMostSaid{1 << 20};
constexpr std::size_t kMostAttached = 2 << 20;
constexpr int kTempFail = 75;  // @source sysexits.h EX_TEMPFAIL

// As a part of a file's name: nothing that leads out of the folder.
std::string file_word(const std::string& name) {
  std::string made;
  for (char c : name) {
    bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '-' || c == '_' || c == '.';
    made += fine ? c : '_';
  }
  return made.substr(0, 100);
}

std::string base_name(const report::Facts& facts) {
  auto name =
      std::string(report::kind_name(facts.period.kind)) + "-" + file_word(facts.period.name);
  return facts.about.empty() ? name : name + "-" + file_word(facts.about);
}

bool is_of_user(const report::Facts& facts) {
  return !facts.about.empty() && facts.about[0] != '/';
}

std::string folder_of(const ReportSite& site, const ReportWish& wish, const report::Facts& facts) {
  if (!wish.out.empty()) return site.dir;
  auto date = report::date_text(report::local(site.zone, facts.period.from));
  return site.dir + "/" + date.substr(0, 4) + "/" + date.substr(5, 2);
}

std::string admin_addresses(const ReportSite& site) {
  std::string text;
  for (const auto& admin : site.conf.admins) {
    auto address = conf::address_of(site.conf, admin);
    if (!address.empty()) text += (text.empty() ? "" : ", ") + address;
  }
  return text;
}

// As a file where mails are kept as files.
Mailed send(const ReportSite& site, const ReportWish& wish, const std::string& name,
            const std::string& to, const report::Mail& mail) {
  auto message = report::message_of(mail);
  if (!wish.out.empty()) {
    auto path = site.dir + "/mail-" + file_word(name) + ".eml";
    auto written = write_file(path, message, 0600);
    return {written.has_value(), written ? "" : written.error().text};
  }
  std::vector<std::string> words = {site.cluster.dirs.sendmail, "-oi"};
  if (!site.conf.from.empty()) words.insert(words.end(), {"-f", site.conf.from});
  words.insert(words.end(), {"--", to});
  auto end = proc::run({words, message}, kMailLimit, kMostSaid);
  if (!end) return {false, end.error().text};
  if (end->status == 0) return {true, ""};
  return {false, "sendmail ended with " + std::to_string(end->status) +
                     (end->status == kTempFail ? ", tried again with the next run" : "")};
}

}  // namespace

Result<std::string> write_report(const ReportSite& site, const ReportWish& wish, const Made& made) {
  auto base = folder_of(site, wish, made.facts) + "/" + base_name(made.facts);
  unsigned mode = is_of_user(made.facts) ? 0600 : 0640;
  WM_TRY(write_file(base + ".json", made.json, mode));
  WM_TRY(write_file(base + ".txt", made.text, mode));
  for (const auto& figure : made.figures)
    WM_TRY(write_file(base + "-" + figure.id + ".csv", figure.csv, mode));
  WM_TRY(write_file(base + ".html", made.page, mode));
  return base + ".html";
}

Result<std::vector<Recipient>> recipients_of(Open& open, const ReportSite& site,
                                             const report::Period& period) {
  std::vector<Recipient> found;
  auto add = [&](const std::string& name, const std::string& about, bool names) {
    auto address = conf::address_of(site.conf, name);
    if (!address.empty()) found.push_back({name, address, about, names});
  };
  if (period.kind == report::Kind::Day)
    for (const auto& admin : site.conf.admins) add(admin, "", true);
  if (period.kind == report::Kind::Week && site.conf.user_mail) {
    WM_TRY(auto users, store::users_of(*open.acct, *open.reports, period));
    for (const auto& user : users) add(user, user, true);
  }
  if (period.kind == report::Kind::Month) {
    for (const auto& name : site.conf.management) add(name, "", false);
    for (const auto& [plan, to] : site.conf.to)
      for (const auto& owner : to.owners) add(owner, plan, true);
  }
  return found;
}

Mailed mail_report(const ReportSite& site, const ReportWish& wish, const Recipient& to,
                   const Made& made) {
  report::Mail mail;
  mail.from = site.conf.from, mail.to = to.address, mail.reply_to = admin_addresses(site);
  mail.subject = report::subject_of(made.facts), mail.text = made.text;
  mail.id = base_name(made.facts) + "-" + to.name, mail.host = site.cluster.name;
  mail.page_name = base_name(made.facts) + ".html";
  if (made.page.size() <= kMostAttached) mail.page = made.page;
  else mail.text += "\nThe page is in " + site.dir + "\n";
  return send(site, wish, to.name + "-" + base_name(made.facts), to.address, mail);
}

Mailed mail_text(const ReportSite& site, const ReportWish& wish, const Notice& notice) {
  report::Mail mail;
  mail.from = site.conf.from, mail.to = notice.address, mail.reply_to = admin_addresses(site);
  mail.subject = notice.subject, mail.text = notice.text;
  mail.id = notice.id + "-" + notice.address, mail.host = site.cluster.name;
  return send(site, wish, notice.address + "-" + notice.id, notice.address, mail);
}

Mailed mail_trial(const ReportSite& site, const ReportWish& wish, const report::Period& period,
                  const std::string& text) {
  report::Mail mail;
  mail.from = site.conf.from, mail.to = admin_addresses(site), mail.reply_to = mail.to;
  mail.subject = site.cluster.name + ": what users would be told, " + period.name;
  mail.text = "Users are not told yet: advice is on trial for " + std::to_string(site.conf.trial) +
              " days (advice_trial in report.conf). This is what they would be told:\n\n" + text;
  mail.id = "advice-trial-" + period.name, mail.host = site.cluster.name;
  Mailed all;
  for (const auto& admin : site.conf.admins) {
    auto address = conf::address_of(site.conf, admin);
    if (address.empty()) continue;
    mail.to = address;
    all = send(site, wish, admin + "-advice-trial-" + period.name, address, mail);
    if (!all.sent) return all;
  }
  return all;
}

}  // namespace wm::cmd

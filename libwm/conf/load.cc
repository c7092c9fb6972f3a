// Sections into structs by the tables, built-in entries, order; then the checks.
#include "libwm/conf/load.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "libwm/base/hostlist.h"
#include "libwm/base/nearest.h"
#include "libwm/conf/budgets.h"
#include "libwm/conf/built_in.h"
#include "libwm/conf/check.h"
#include "libwm/conf/files.h"
#include "libwm/conf/ini.h"
#include "libwm/conf/keys.h"
#include "libwm/conf/limits.h"
#include "libwm/conf/report_conf.h"
#include "libwm/conf/zone_file.h"

namespace wm::conf {
namespace {

constexpr std::array<std::string_view, 9> kFiles = {"wm.conf",      "queues.conf", "hosts.conf",
                                                    "plans.conf",   "apps.conf",   "users.conf",
                                                    "budgets.conf", "limits.conf", "slas.conf"};

std::string unknown(std::string_view what, const std::string& name,
                    std::span<const std::string_view> known) {
  auto near = nearest(name, known);
  std::string text = "unknown " + std::string(what) + " '" + name + "'";
  return near.empty() ? text : text + " (nearest: " + std::string(near) + ")";
}

template <class T>
void fill(T& out, const Ini& ini, const Section& section, std::span<const Key<T>> keys,
          Problems& problems) {
  std::vector<std::string_view> names;
  for (const auto& key : keys) names.push_back(key.name);
  for (const auto& entry : section.entries) {
    const Place at = ini.place(section, entry.line);
    auto key = std::find_if(keys.begin(), keys.end(),
                            [&](const Key<T>& k) { return k.name == entry.key; });
    if (key == keys.end()) {
      problems.add(at, unknown("key", entry.key, names));
    } else if (auto set = set_field(key->field(out), entry.value, key->range); !set) {
      problems.add(at, entry.key + ": " + set.error().text);
    }
  }
}

// The sections of a file but the nameless one and [default], which gives `start` its values.
template <class T>
struct Sections {
  const Ini& ini;
  std::span<const Key<T>> keys;
  T start;
  std::vector<const Section*> named;
};

template <class T>
Sections<T> sections_of(const Ini& ini, std::span<const Key<T>> keys, Problems& problems) {
  Sections<T> found{ini, keys, {}, {}};
  for (const auto& section : ini.sections) {
    if (section.name == "default") {
      fill(found.start, ini, section, keys, problems);
    } else if (!section.name.empty()) {
      found.named.push_back(&section);
    } else {
      for (const auto& entry : section.entries)
        problems.add(ini.place(section, entry.line),
                     "key '" + entry.key + "' stands outside any section");
    }
  }
  return found;
}

bool is_name(const Ini& ini, const Section& section, Problems& problems) {
  if (section.name.find_first_of(" \t,<>") == std::string::npos) return true;
  problems.add(ini.place(section, section.line),
               "name '" + section.name + "' holds a blank, ',' or '<>'");
  return false;
}

// One entry per section, starting from the entry of that name in `known`, else [default].
template <class T>
std::vector<T> load_named(const Sections<T>& sections, std::string T::*name, std::vector<T> known,
                          Problems& problems) {
  for (const auto* section : sections.named) {
    if (!is_name(sections.ini, *section, problems)) continue;
    auto at = std::find_if(known.begin(), known.end(),
                           [&](const T& e) { return e.*name == section->name; });
    T& entry = at == known.end() ? known.emplace_back(sections.start) : *at;
    entry.*name = section->name;
    fill(entry, sections.ini, *section, sections.keys, problems);
  }
  return known;
}

std::vector<QueueConf> load_queues(const Ini& ini, Problems& problems) {
  auto sections = sections_of(ini, queue_keys(), problems);
  auto queues = load_named(sections, &QueueConf::name, {}, problems);
  if (queues.empty()) queues.push_back(built_in_queue(sections.start));
  return queues;
}

std::vector<AppConf> load_apps(const Ini& ini, Problems& problems) {
  auto sections = sections_of(ini, app_keys(), problems);
  return load_named(sections, &AppConf::name, built_in_apps(sections.start), problems);
}

// The root is there, as it is without a configuration, when no section is about it: [default] is
// meant for plans below it.
std::vector<PlanConf> load_plans(const Ini& ini, Problems& problems) {
  auto plans = load_named(sections_of(ini, plan_keys(), problems), &PlanConf::path, {}, problems);
  auto is_root = [](const PlanConf& plan) { return plan.path == "/"; };
  if (std::none_of(plans.begin(), plans.end(), is_root)) plans.push_back({});
  return plans;
}

void load_cluster(const Ini& ini, ClusterConf& cluster, Problems& problems) {
  auto headings = cluster_headings();
  std::map<std::string, int> seen;
  for (const auto& section : ini.sections) {
    if (!section.name.empty() &&
        std::find(headings.begin(), headings.end(), section.name) == headings.end())
      problems.add(ini.place(section, section.line), unknown("section", section.name, headings));
    fill(cluster, ini, section, cluster_keys(), problems);
    for (const auto& entry : section.entries)
      if (auto [first, fresh] = seen.emplace(entry.key, entry.line); !fresh)
        problems.add(ini.place(section, entry.line), "key '" + entry.key +
                                                         "' is given twice (first on line " +
                                                         std::to_string(first->second) + ")");
  }
}

// Without any section the master's host is the cluster.
std::vector<HostConf> load_hosts(const Ini& ini, const std::string& master, Problems& problems) {
  auto sections = sections_of(ini, host_keys(), problems);
  std::vector<HostConf> hosts;
  std::map<std::string, int> seen;
  for (const auto* section : sections.named) {
    HostConf pattern = sections.start;
    fill(pattern, ini, *section, host_keys(), problems);
    auto names = expand_hosts(section->name);
    if (!names) problems.add(ini.place(*section, section->line), names.error().text);
    if (!names ||
        !is_name(ini, {.name = names->front(), .line = section->line, .file = section->file},
                 problems))
      continue;
    for (auto& name : *names) {
      auto [first, fresh] = seen.emplace(name, section->line);
      if (!fresh)
        problems.add(ini.place(*section, section->line), "host '" + name +
                                                             "' is given twice (first on line " +
                                                             std::to_string(first->second) + ")");
      pattern.name = std::move(name);
      if (fresh) hosts.push_back(pattern);
    }
  }
  if (!hosts.empty()) return hosts;
  sections.start.name = master;
  return {sections.start};
}

std::vector<UserConf> load_users(const Ini& ini, Problems& problems) {
  auto users = load_named(sections_of(ini, user_keys(), problems), &UserConf::name, {}, problems);
  UserConf others;
  for (const auto& section : ini.sections) {
    if (section.name != "default") continue;
    Problems known_already;
    fill(others, ini, section, user_keys(), known_already);
    others.name = section.name;
    users.push_back(others);
  }
  return users;
}

// What a file includes is read already.
void drop_includes(Ini& ini) {
  for (auto& section : ini.sections)
    if (section.name.empty())
      std::erase_if(section.entries, [](const Entry& entry) { return entry.key == "include"; });
}

// A part's sections behind those that are there; wm.conf's headings are for the reader only.
void add_part(Ini& ini, Ini part, Problems& problems) {
  bool headings_only = ini.file == kFiles[0];
  for (auto& section : part.sections) {
    section.file = part.file;
    auto first = std::find_if(ini.sections.begin(), ini.sections.end(),
                              [&](const Section& s) { return s.name == section.name; });
    bool again = first != ini.sections.end() && !section.name.empty() && !headings_only;
    if (again)
      problems.add({part.file, section.line},
                   "section [" + section.name + "] is given twice (first in " +
                       ini.place(*first, 0).file + " on line " + std::to_string(first->line) + ")");
    else ini.sections.push_back(std::move(section));
  }
}

// A file with its parts.
Ini read_whole(const std::string& file, const Texts& texts, Problems& problems) {
  auto text = texts.find(file);
  Ini ini = read_ini(file, text == texts.end() ? "" : text->second, problems);
  drop_includes(ini);
  const auto prefix = part_key(file, "");
  for (auto at = texts.lower_bound(prefix); at != texts.end() && at->first.starts_with(prefix);
       ++at)
    add_part(ini, read_ini(at->first.substr(prefix.size()), at->second, problems), problems);
  return ini;
}

template <class T>
void sort_by(std::vector<T>& list, std::string T::*key) {
  std::sort(list.begin(), list.end(), [&](const T& a, const T& b) { return a.*key < b.*key; });
}

void sort_lists(Config& c) {
  sort_by(c.queues, &QueueConf::name);
  sort_by(c.hosts, &HostConf::name);
  sort_by(c.plans, &PlanConf::path);
  sort_by(c.apps, &AppConf::name);
  sort_by(c.users, &UserConf::name);
  sort_by(c.budgets.list, &BudgetConf::name);
  sort_by(c.limits, &LimitRule::name);
  sort_by(c.classes, &ServiceClass::name);
}

}  // namespace

std::span<const std::string_view> file_names() { return kFiles; }

Result<Config> parse(const Texts& texts, const std::string& own_host) {
  Problems problems;
  Lines lines;
  std::map<std::string_view, Ini> inis;
  for (auto file : kFiles) {
    auto& ini = inis[file];
    ini = read_whole(std::string(file), texts, problems);
    lines.add(ini);
  }
  Config c;
  load_cluster(inis["wm.conf"], c.cluster, problems);
  c.queues = load_queues(inis["queues.conf"], problems);
  c.hosts =
      load_hosts(inis["hosts.conf"], own_host.empty() ? c.cluster.master_host : own_host, problems);
  c.plans = load_plans(inis["plans.conf"], problems);
  c.apps = load_apps(inis["apps.conf"], problems);
  c.users = load_users(inis["users.conf"], problems);
  c.budgets.list = load_named(sections_of(inis["budgets.conf"], budget_keys(), problems),
                              &BudgetConf::name, {}, problems);
  c.limits = load_named(sections_of(inis["limits.conf"], limit_keys(), problems), &LimitRule::name,
                        {}, problems);
  c.classes = load_named(sections_of(inis["slas.conf"], class_keys(), problems),
                         &ServiceClass::name, {}, problems);
  sort_lists(c);
  set_dates(c.budgets, ::timegm);
  check(c, lines, problems);
  if (!problems.empty()) return problems.error();
  return c;
}

// What is wrong keeps its default.
static Result<ClusterConf> read_cluster(const std::string& dir, Problems& problems) {
  WM_TRY(check_directory(dir));
  Texts texts;
  WM_TRY(read_file(dir, std::string(kFiles[0]), texts));
  ClusterConf cluster;
  load_cluster(read_whole(std::string(kFiles[0]), texts, problems), cluster, problems);
  return cluster;
}

Result<ClusterConf> load_cluster(const std::string& dir) {
  Problems problems;
  WM_TRY(auto cluster, read_cluster(dir, problems));
  if (!problems.empty()) return problems.error();
  return cluster;
}

Result<ClusterConf> load_cluster(const std::string& dir, std::vector<std::string>& wrong) {
  Problems problems;
  WM_TRY(auto cluster, read_cluster(dir, problems));
  wrong = problems.lines();
  return cluster;
}

// Budgets go by the calendar that reports go by.
static Result<Clock> clock_of(const std::string& dir) {
  WM_TRY(auto reports, load_report_conf(dir));
  if (reports.timezone.empty()) return Clock(std::mktime);
  WM_TRY(auto zone, read_zone(reports.timezone));
  return Clock([zone = std::move(zone)](std::tm* date) -> std::time_t {
    auto month = static_cast<unsigned>(date->tm_mon + 1),
         day = static_cast<unsigned>(date->tm_mday);
    return report::instant(zone, {date->tm_year + 1900, month, day});
  });
}

Result<Config> load(const std::string& dir, const std::string& own_host) {
  WM_TRY(check_directory(dir));
  Texts texts;
  for (auto file : kFiles) WM_TRY(read_file(dir, std::string(file), texts));
  WM_TRY(auto config, parse(texts, own_host));
  config.clock = clock_steps(std::mktime);
  if (config.budgets.list.empty()) return config;
  WM_TRY(auto clock, clock_of(dir));
  set_dates(config.budgets, clock);
  return config;
}

std::string this_host() {
  char name[256] = "";
  ::gethostname(name, sizeof(name) - 1);
  std::string text = name;
  return text.substr(0, text.find('.'));
}

}  // namespace wm::conf

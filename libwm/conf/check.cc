// References and contradictions, one function per file of configuration.
#include "libwm/conf/check.h"

#include <algorithm>
#include <set>

#include "libwm/base/nearest.h"
#include "libwm/conf/budgets.h"
#include "libwm/conf/limits.h"
#include "libwm/expr/gpu.h"
#include "libwm/expr/resreq.h"

namespace wm::conf {

void Lines::add(const Ini& ini) {
  bool headings_only = ini.file == "wm.conf";
  for (const auto& section : ini.sections) {
    auto name = headings_only ? std::string() : section.name;
    sections_.emplace(std::pair(ini.file, name), ini.place(section, section.line));
    for (const auto& entry : section.entries)
      keys_[{ini.file, name}].emplace(entry.key, ini.place(section, entry.line));
  }
}

Place Lines::at(const std::string& file, const std::string& section, const std::string& key) const {
  if (auto keys = keys_.find({file, section}); keys != keys_.end())
    if (auto line = keys->second.find(key); line != keys->second.end()) return line->second;
  if (auto keys = keys_.find({file, "default"}); keys != keys_.end())
    if (auto line = keys->second.find(key); line != keys->second.end()) return line->second;
  auto line = sections_.find({file, section});
  return line == sections_.end() ? Place{file, 0} : line->second;
}

namespace {

// One entry under examination: says where its problems belong.
struct Subject {
  const Lines& lines;
  Problems& problems;
  std::string file, section;

  void wrong(const std::string& key, const std::string& text) const {
    problems.add(lines.at(file, section, key), key + ": " + text);
  }
  template <class T>
  void must_exist(const std::string& key, const std::string& name, const char* kind,
                  const std::vector<T>& in, std::string T::*field) const {
    if (name.empty()) return;
    std::vector<std::string_view> known;
    for (const auto& entry : in) known.push_back(entry.*field);
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    auto near = nearest(name, known);
    wrong(key, std::string("no ") + kind + " '" + name + "'" +
                   (near.empty() ? "" : " (nearest: " + std::string(near) + ")"));
  }
  void requirement(const std::string& text) const {
    auto req = expr::parse_resreq(text);
    auto fine = req ? expr::check_usage(*req) : req.error();
    if (!fine) wrong("res_req", fine.error().text);
  }
  void run_limit(const RunLimit& limit) const {
    if (limit.max.count() > 0 && limit.usual > limit.max)
      wrong("run_limit",
            format_duration(limit.usual) + " exceeds run_limit_max " + format_duration(limit.max));
  }
};

// `Conf`: of a queue or a profile.
template <class Conf>
void check_tasks(const Conf& conf, const Subject& s) {
  auto number = [](std::uint32_t n) { return std::to_string(n); };
  if (conf.max_tasks > 0 && conf.min_tasks > conf.max_tasks)
    s.wrong("min_tasks", number(conf.min_tasks) + " exceeds max_tasks " + number(conf.max_tasks));
  if (conf.default_tasks == 0) return;
  if (conf.max_tasks > 0 && conf.default_tasks > conf.max_tasks)
    s.wrong("default_tasks",
            number(conf.default_tasks) + " exceeds max_tasks " + number(conf.max_tasks));
  if (conf.default_tasks < conf.min_tasks)
    s.wrong("default_tasks",
            number(conf.default_tasks) + " is below min_tasks " + number(conf.min_tasks));
}

void check_cluster(const Config& c, Subject s) {
  s.file = "wm.conf";
  const auto& name = c.cluster.name;  // folders and control groups carry it
  bool odd = std::any_of(name.begin(), name.end(),
                         [](unsigned char c) { return c < ' ' || c == 0x7f || c == '/'; });
  constexpr std::size_t kMost = 64;
  if (name.empty() || name.size() > kMost || odd)
    s.wrong("cluster_name",
            "'" + name + "' is not 1 to 64 bytes without '/' and control characters");
  s.must_exist("default_queue", c.cluster.default_queue, "queue", c.queues, &QueueConf::name);
  s.must_exist("default_plan", c.cluster.default_plan, "plan", c.plans, &PlanConf::path);
  s.must_exist("default_app", c.cluster.default_app, "application profile", c.apps, &AppConf::name);
  if (c.cluster.times.silent_after <= c.cluster.times.heartbeat)
    s.wrong("silent_after", format_duration(c.cluster.times.silent_after) +
                                " does not exceed heartbeat " +
                                format_duration(c.cluster.times.heartbeat));
}

std::set<std::string> host_words(const Config& c) {
  std::set<std::string> words;
  for (const auto& host : c.hosts) {
    words.insert(host.name);
    words.insert(host.groups.begin(), host.groups.end());
  }
  return words;
}

void check_queues(const Config& c, Subject s) {
  s.file = "queues.conf";
  const auto hosts = host_words(c);
  for (const auto& queue : c.queues) {
    s.section = queue.name;
    s.must_exist("app", queue.app, "application profile", c.apps, &AppConf::name);
    s.must_exist("plan", queue.plan, "plan", c.plans, &PlanConf::path);
    s.run_limit(queue.run_limit);
    s.requirement(queue.res_req);
    for (const auto& host : queue.hosts)
      if (!hosts.contains(host)) s.wrong("hosts", "no host or host group '" + host + "'");
    for (const auto& name : queue.preempts)
      if (name != "lower") s.must_exist("preempts", name, "queue", c.queues, &QueueConf::name);
    check_tasks(queue, s);
  }
}

bool is_path(const std::string& path) {
  if (path == "/") return true;
  if (path.size() < 2 || path.front() != '/' || path.back() == '/') return false;
  return path.find("//") == std::string::npos && path.find_first_of(" \t,") == std::string::npos;
}

std::string parent_of(const std::string& path) {
  auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Slots owned by the children of each plan.
std::map<std::string, std::uint64_t> owned_below(const Config& c) {
  std::map<std::string, std::uint64_t> sums;
  for (const auto& plan : c.plans)
    if (plan.path != "/" && is_path(plan.path)) sums[parent_of(plan.path)] += plan.owns;
  return sums;
}

void check_amounts(const PlanConf& plan, std::uint64_t children_own, const Subject& s) {
  auto owns = std::to_string(plan.owns);
  if (plan.limit && plan.owns > *plan.limit)
    s.wrong("owns", owns + " exceeds limit " + std::to_string(*plan.limit));
  if (plan.lend && *plan.lend > plan.owns)
    s.wrong("lend", std::to_string(*plan.lend) + " exceeds owns " + owns);
  if (plan.limit && children_own > *plan.limit)
    s.wrong("limit", std::to_string(*plan.limit) + " is below the " + std::to_string(children_own) +
                         " slots that its children own");
}

void check_plans(const Config& c, Subject s) {
  s.file = "plans.conf";
  auto below = owned_below(c);
  for (const auto& plan : c.plans) {
    s.section = plan.path;
    auto at = s.lines.at(s.file, plan.path, "");
    if (!is_path(plan.path)) {
      s.problems.add(at, "'" + plan.path + "' is not a path such as /research/vision");
      continue;
    }
    if (plan.path != "/" && parent_of(plan.path) != "/" && !c.plan(parent_of(plan.path)))
      s.problems.add(at, "plan '" + plan.path + "' has no parent: add a section [" +
                             parent_of(plan.path) + "]");
    check_amounts(plan, below[plan.path], s);
    for (const auto& from : plan.borrow_from)
      s.must_exist("borrow", from, "plan", c.plans, &PlanConf::path);
  }
}

void check_apps(const Config& c, Subject s) {
  s.file = "apps.conf";
  for (const auto& app : c.apps) {
    s.section = app.name;
    s.run_limit(app.run_limit);
    s.requirement(app.res_req);
    if (auto gpu = expr::parse_gpu(app.gpu); !gpu) s.wrong("gpu", gpu.error().text);
    check_tasks(app, s);
    if (app.resize == ResizeMode::Notify && app.resize_command.empty())
      s.wrong("resize", "notify needs resize_command");
  }
}

std::string share_group_of(const UserConf& user) {
  for (const auto& group : user.groups)
    if (group.starts_with('@')) return group;
  return "";
}

// Groups of the share tree exist, and none is above itself.
void check_groups(const Config& c, const UserConf& user, Subject& s) {
  s.must_exist("groups", share_group_of(user), "group", c.users, &UserConf::name);
  const UserConf* at = &user;
  for (std::size_t depth = 0; at; ++depth) {
    if (depth > c.users.size()) {
      s.wrong("groups", "group '" + at->name + "' is above itself");
      return;
    }
    auto group = share_group_of(*at);
    at = group.empty() ? nullptr : c.user(group);
  }
}

void check_users(const Config& c, Subject s) {
  s.file = "users.conf";
  for (const auto& user : c.users) {
    s.section = user.name;
    s.must_exist("plan", user.plan, "plan", c.plans, &PlanConf::path);
    check_groups(c, user, s);
  }
}

}  // namespace

void check(const Config& config, const Lines& lines, Problems& problems) {
  const Subject subject{lines, problems, "", ""};
  check_cluster(config, subject);
  check_queues(config, subject);
  check_plans(config, subject);
  check_apps(config, subject);
  check_users(config, subject);
  check_budgets(config, lines, problems);
  check_limits(config, lines, problems);
}

}  // namespace wm::conf

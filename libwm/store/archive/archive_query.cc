// Role: see archive_db.h: which runs answer to a query, by index. The narrowest of the query's
// conditions that have an index is found by counting a little of each; when it holds few rows they
// are looked through, else rows are walked from the newest on, of the asker where one is named,
// until the page is full. Words are found by an index of all three letters that follow one another.
//
// @source trigram index: SQLite FTS5, tokenize=trigram
#include <algorithm>

#include "libwm/store/archive/archive_columns.h"
#include "libwm/store/archive/archive_db.h"

namespace wm::store {
namespace {

constexpr std::size_t kFewRuns = 2000;

/// A condition, and what finds those that answer to it: an index, or another table.
struct Condition {
  std::string sql;
  const char* index = nullptr;  ///< of run; null: none, or a set
  std::string set = {};         ///< "SELECT job …": the numbers, of another table
  bool in_order = false;        ///< the index gives numbers in order
};

/// A query as SQL has it.
struct Conditions {
  std::vector<Condition> all;
  bool never = false;
};

std::string at_micros(WallTime time) { return std::to_string(stored(time)); }

// The first text behind all that begin so; empty: there is none.
std::string past_beginning(std::string text) {
  while (!text.empty() && text.back() == '\xff') text.pop_back();
  if (!text.empty()) text.back() = static_cast<char>(static_cast<unsigned char>(text.back()) + 1);
  return text;
}

std::string name_condition(const std::string& wanted) {
  bool front = wanted.front() == '*', back = wanted.size() > 1 && wanted.back() == '*';
  auto core = wanted.substr(front, wanted.size() - front - back);
  auto quoted = quoted_sql(core);
  if (front && back) return "instr(name, " + quoted + ") > 0";
  if (front)
    return "substr(name, -" + std::to_string(std::max<std::size_t>(core.size(), 1)) +
           ") = " + quoted;
  return "name = " + quoted;
}

// Trigrams find texts of three letters and more.
std::string with_words(const std::string& words) {
  std::string phrase = "\"";
  for (char c : words) phrase += c == '"' ? std::string("\"\"") : std::string(1, c);
  return "SELECT rowid FROM run_text WHERE run_text MATCH " + quoted_sql(phrase + "\"");
}

// Letters, not bytes: a trigram has three code points.
std::size_t letters_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void add_name(const RunQuery& q, const std::string& user, Conditions& to) {
  if (q.name.empty() || q.name == "*") return;
  bool front = q.name.front() == '*', back = q.name.back() == '*';
  const char* index = user.empty() ? "run_by_name" : "run_by_user_name";
  auto of_user = user.empty() ? "" : "user = " + quoted_sql(user) + " AND ";
  if (!front && back) {
    auto core = q.name.substr(0, q.name.size() - 1);
    auto end = past_beginning(core);
    auto sql = of_user + "name >= " + quoted_sql(core);
    if (!end.empty())
      sql += " AND name < CAST(x'" + [&] {
        static constexpr char kHex[] = "0123456789abcdef";
        std::string hex;
        for (unsigned char c : end) hex += {kHex[c >> 4], kHex[c & 15]};
        return hex;
      }() + "' AS TEXT)";
    to.all.push_back({sql, index});
    return;
  }
  auto core = q.name.substr(front, q.name.size() - front - (front && back));
  if (!front) return to.all.push_back({of_user + name_condition(q.name), index, "", true});
  if (letters_of(core) >= 3) to.all.push_back({"", nullptr, with_words(core)});
  to.all.push_back({name_condition(q.name)});
}

void add_times(const RunQuery& q, Conditions& to) {
  auto range = [&](const char* column, const char* index, const auto& from, const auto& until) {
    if (!from && !until) return;
    std::string sql = std::string(column) + " > 0";
    if (from) sql += " AND " + std::string(column) + " >= " + at_micros(*from);
    if (until) sql += " AND " + std::string(column) + " < " + at_micros(*until);
    to.all.push_back({sql, index});
  };
  range("submitted", "run_by_submit", q.submitted_from, q.submitted_to);
  range("ended", "run_by_end", q.ended_from, q.ended_to);
}

void add_states(const RunQuery& q, const std::string& user, Conditions& to) {
  if (q.states.empty()) return;
  std::string list;
  for (auto state : q.states)
    list += (list.empty() ? "" : ",") + std::to_string(static_cast<int>(state));
  bool one = q.states.size() == 1;
  auto sql = one ? "state = " + list : "state IN (" + list + ")";
  if (user.empty()) return to.all.push_back({sql, one ? "run_by_state" : nullptr, "", one});
  sql = "user = " + quoted_sql(user) + " AND " + sql;
  to.all.push_back({sql, one ? "run_by_user_state" : nullptr, "", one});
}

void add_equal(const RunQuery& q, Conditions& to) {
  auto equal = [&](const char* column, const std::string& wanted, const char* index) {
    if (!wanted.empty())
      to.all.push_back({std::string(column) + " = " + quoted_sql(wanted), index, "", true});
  };
  equal("bundle", q.bundle, nullptr);
  equal("service", q.service, nullptr);
  equal("queue", q.queue, "run_by_queue");
  equal("app", q.app, "run_by_app");
  equal("plan", q.plan, "run_by_plan");
  equal("project", q.project, "run_by_project");
  equal("framework", q.framework, nullptr);
  // Of indexes of a part of the rows SQLite wants to see that it is that part.
  for (auto& one : to.all)
    for (auto [column, index] : {std::pair{"bundle", "run_by_bundle"},
                                 {"service", "run_by_service"},
                                 {"framework", "run_by_framework"}})
      if (!one.index && one.sql.starts_with(std::string(column) + " = ")) {
        one.sql += " AND " + std::string(column) + " > ''";
        one.index = index;
      }
  auto set = [&](const char* table, const char* column, const std::string& wanted) {
    if (wanted.empty()) return;
    to.all.push_back(
        {"", nullptr,
         "SELECT job FROM " + std::string(table) + " WHERE " + column + " = " + quoted_sql(wanted),
         true});
  };
  set("run_label", "label", q.label);
  set("run_tag", "tag", q.tag);
}

void add_kinds(const RunQuery& q, const std::string& user, Conditions& to) {
  if (q.kind)
    to.all.push_back(
        {"kind = " + std::to_string(static_cast<int>(*q.kind)), "run_by_kind", "", true});
  auto of_user = user.empty() ? std::string() : "user = " + quoted_sql(user) + " AND ";
  auto flag = [&](const char* column, std::optional<bool> wanted, const char* index) {
    if (!wanted) return;
    bool indexed = *wanted && index && !user.empty();
    to.all.push_back({(indexed ? of_user : "") + column + (*wanted ? " = 1" : " = 0"),
                      indexed ? index : nullptr, "", indexed});
  };
  flag("search", q.search, "run_by_search");
  flag("starred", q.starred, "run_starred");
  flag("shelved", q.shelved, nullptr);
  if (q.executions) to.all.push_back({"framework > ''"});
}

void add_visible(const RunQuery& q, Conditions& to) {
  if (!q.own || q.seen_queues.empty()) return;
  std::string list;
  for (const auto& queue : q.seen_queues) list += (list.empty() ? "" : ",") + quoted_sql(queue);
  to.all.push_back({"(user = " + quoted_sql(*q.own) + " OR queue IN (" + list + "))"});
}

// Who sees but their own runs asks for those; of another nothing answers.
Conditions conditions_of(const RunQuery& q) {
  Conditions found;
  auto user = q.user;
  if (q.own && q.seen_queues.empty()) {
    found.never = !user.empty() && user != *q.own;
    user = *q.own;
  }
  if (!user.empty()) found.all.push_back({"user = " + quoted_sql(user), "run_by_user", "", true});
  add_states(q, user, found);
  add_name(q, user, found);
  add_equal(q, found);
  add_kinds(q, user, found);
  add_times(q, found);
  add_visible(q, found);
  if (q.text.empty()) return found;
  if (letters_of(q.text) >= 3) found.all.push_back({"", nullptr, with_words(q.text)});
  else found.all.push_back({"instr(lower(run.text), lower(" + quoted_sql(q.text) + ")) > 0"});
  return found;
}

std::string in_order(const RunQuery& q, const char* number) {
  return " ORDER BY " + std::string(number) + (q.oldest_first ? "" : " DESC");
}

std::string range_of(const RunQuery& q) {
  return "job >= " + std::to_string(q.from) + " AND job < " + std::to_string(q.to);
}

Result<std::vector<std::uint32_t>> numbers_of(Connection& db, const std::string& sql) {
  std::vector<std::uint32_t> numbers;
  auto ask = db.use(sql);
  for (;;) {
    WM_TRY(bool there, ask.step());
    if (!there) return numbers;
    numbers.push_back(static_cast<std::uint32_t>(ask.number(0)));
  }
}

// How many answer to one condition, up to kFewRuns + 1.
Result<std::size_t> some_of(Connection& db, const Condition& one) {
  auto from = one.set.empty()
                  ? "SELECT 1 FROM run INDEXED BY " + std::string(one.index) + " WHERE " + one.sql
                  : one.set;
  WM_TRY(auto n, db.number("SELECT count(*) FROM (" + from + " LIMIT " +
                           std::to_string(kFewRuns + 1) + ")"));
  return static_cast<std::size_t>(n);
}

std::string with_all(const std::vector<Condition>& all, const Condition* but) {
  std::string sql;
  for (const auto& one : all) {
    if (&one == but) continue;
    sql += " AND " + (one.set.empty() ? "(" + one.sql + ")" : "job IN (" + one.set + ")");
  }
  return sql;
}

// The numbers of those that the narrowest condition finds, where they are few.
std::string by_few(const RunQuery& q, const Conditions& found, const Condition& best) {
  if (!best.set.empty())
    return "SELECT job FROM run WHERE job IN (" + best.set + ") AND " + range_of(q) +
           with_all(found.all, &best) + in_order(q, "job");
  return "SELECT job FROM run INDEXED BY " + std::string(best.index) + " WHERE " + best.sql +
         " AND " + range_of(q) + with_all(found.all, &best) + in_order(q, "job");
}

// A walk in order, along the first index that has it; words are found in order by their own.
std::string by_walk(const RunQuery& q, const Conditions& found) {
  const Condition* words = nullptr;
  const Condition* ordered = nullptr;
  for (const auto& one : found.all) {
    if (one.set.find("run_text") != one.set.npos) words = &one;
    if (!one.index || !one.in_order) continue;
    if (!ordered || one.index == std::string_view("run_by_user_state")) ordered = &one;
  }
  if (words) {
    return "SELECT run.job FROM run_text CROSS JOIN run ON run.job = run_text.rowid" +
           words->set.substr(words->set.find(" WHERE ")) +
           " AND run_text.rowid >= " + std::to_string(q.from) + " AND run_text.rowid < " +
           std::to_string(q.to) + with_all(found.all, words) + in_order(q, "run_text.rowid");
  }
  if (!ordered)
    return "SELECT job FROM run NOT INDEXED WHERE " + range_of(q) + with_all(found.all, nullptr) +
           in_order(q, "job");
  return "SELECT job FROM run INDEXED BY " + std::string(ordered->index) + " WHERE " +
         ordered->sql + " AND " + range_of(q) + with_all(found.all, ordered) + in_order(q, "job");
}

}  // namespace

Result<std::vector<std::uint32_t>> ArchiveReader::numbers(const RunQuery& query,
                                                          std::size_t limit) {
  auto found = conditions_of(query);
  if (found.never || query.from >= query.to) return std::vector<std::uint32_t>{};
  if (!query.jobs.empty()) {
    std::string list;
    for (auto job : query.jobs) list += (list.empty() ? "" : ",") + std::to_string(job);
    found.all.push_back({"job IN (" + list + ")"});
  }
  const Condition* best = nullptr;
  std::size_t fewest = kFewRuns + 1;
  for (const auto& one : found.all) {
    if (!query.jobs.empty() || (!one.index && one.set.empty())) continue;
    WM_TRY(auto some, some_of(*db_, one));
    if (some < fewest) best = &one, fewest = some;
  }
  auto sql = best                 ? by_few(query, found, *best)
             : query.jobs.empty() ? by_walk(query, found)
                                  : "SELECT job FROM run WHERE " + range_of(query) +
                                        with_all(found.all, nullptr) + in_order(query, "job");
  return numbers_of(*db_, sql + " LIMIT " + std::to_string(limit));
}

}  // namespace wm::store

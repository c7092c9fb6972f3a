#include "libwm/store/archive/archive_rows.h"

#include <algorithm>

namespace wm::store {
namespace {

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_or_empty(const std::string& wanted, const std::string& is) {
  return wanted.empty() || wanted == is;
}

template <class T>
bool has(const std::vector<T>& list, const T& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

bool is_in_times(const RunQuery& q, const RunRow& row) {
  if (q.submitted_from && row.submitted < *q.submitted_from) return false;
  if (q.submitted_to && row.submitted >= *q.submitted_to) return false;
  if (q.ended_from && row.ended < *q.ended_from) return false;
  if (q.ended_to && (row.ended >= *q.ended_to || row.ended == WallTime{})) return false;
  return true;
}

bool is_visible(const RunQuery& q, const RunRow& row) {
  return !q.own || row.user == *q.own || has(q.seen_queues, row.queue);
}

}  // namespace

bool fits_run_name(const std::string& wanted, const std::string& name) {
  if (wanted.empty() || wanted == "*") return true;
  bool front = wanted.front() == '*', back = wanted.back() == '*';
  auto core = std::string_view(wanted).substr(front, wanted.size() - front - back);
  if (front && back) return name.find(core) != name.npos;
  if (front) return name.ends_with(core);
  return back ? name.starts_with(core) : name == wanted;
}

bool has_words(const std::string& text, const std::string& wanted) {
  auto same = [](char a, char b) { return small(a) == small(b); };
  return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end() ||
         wanted.empty();
}

std::string whole_text(const RunRow& row, const RunWords& words) {
  std::string all = row.name + "\n" + row.text;
  for (const auto* more : {&words.name, &words.description, &words.note})
    if (!more->empty()) all += "\n" + *more;
  for (const auto& tag : words.tags) all += "\n" + tag;
  return all;
}

bool fits(const RunQuery& q, const RunRow& row, const RunWords& words) {
  if (row.job < q.from || row.job >= q.to) return false;
  if (!q.jobs.empty() && !has(q.jobs, row.job)) return false;
  if (!is_visible(q, row)) return false;
  for (auto [wanted, is] : {std::pair{&q.user, &row.user},
                            {&q.queue, &row.queue},
                            {&q.app, &row.app},
                            {&q.plan, &row.plan},
                            {&q.project, &row.project},
                            {&q.framework, &row.framework},
                            {&q.service, &row.service},
                            {&q.bundle, &row.bundle}})
    if (!is_or_empty(*wanted, *is)) return false;
  if (q.executions && row.framework.empty()) return false;
  if (!q.states.empty() && !has(q.states, row.state)) return false;
  if (q.kind.value_or(row.kind) != row.kind || q.search.value_or(row.search) != row.search)
    return false;
  if (q.starred.value_or(words.starred) != words.starred) return false;
  if (q.shelved.value_or(words.shelved) != words.shelved) return false;
  if (!q.label.empty() && !has(row.labels, q.label)) return false;
  if (!q.tag.empty() && !has(words.tags, q.tag)) return false;
  if (!is_in_times(q, row)) return false;
  if (!fits_run_name(q.name, shown_name(row, words))) return false;
  return q.text.empty() || has_words(whole_text(row, words), q.text);
}

}  // namespace wm::store

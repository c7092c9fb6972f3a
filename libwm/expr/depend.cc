#include "libwm/expr/depend.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "libwm/base/excerpt.h"

namespace wm::expr {
namespace {

using TermKind = DependTerm::Kind;
using State = DependTerm::State;
using TermOp = DependTerm::Op;

// True now, and whether that is for good.
struct Truth {
  bool now = false, settled = false;
};

struct KindRow {
  std::string_view word;
  TermKind kind;
  State counted;
};
constexpr std::array<KindRow, 14> kKinds = {{
    {"done", TermKind::Done, {}},
    {"ended", TermKind::Ended, {}},
    {"exit", TermKind::Exit, {}},
    {"started", TermKind::Started, {}},
    {"post_done", TermKind::PostDone, {}},
    {"post_err", TermKind::PostErr, {}},
    {"numdone", TermKind::Count, State::Done},
    {"numended", TermKind::Count, State::Ended},
    {"numexit", TermKind::Count, State::Exit},
    {"numrun", TermKind::Count, State::Running},
    {"numstart", TermKind::Count, State::Started},
    {"numpend", TermKind::Count, State::Pending},
    {"numhold", TermKind::Count, State::Held},
    {"external", TermKind::External, {}},
}};

constexpr std::array<std::pair<std::string_view, TermOp>, 6> kOps = {{{"==", TermOp::Eq},
                                                                      {"!=", TermOp::Ne},
                                                                      {"<=", TermOp::Le},
                                                                      {">=", TermOp::Ge},
                                                                      {"<", TermOp::Lt},
                                                                      {">", TermOp::Gt}}};

bool compare(std::int64_t value, TermOp op, std::int64_t number) {
  switch (op) {
    case TermOp::None:
    case TermOp::Eq: return value == number;
    case TermOp::Ne: return value != number;
    case TermOp::Lt: return value < number;
    case TermOp::Le: return value <= number;
    case TermOp::Gt: return value > number;
    case TermOp::Ge: return value >= number;
    case TermOp::All: return false;
  }
  return false;
}

bool holds(const DependTerm& term, const JobStanding& job) {
  switch (term.kind) {
    case TermKind::Done:
    case TermKind::PostDone: return job.done;
    case TermKind::Ended: return job.over;
    case TermKind::Started: return job.started || job.over;
    case TermKind::Exit:
      return job.over && !job.done &&
             (term.op == TermOp::None || compare(job.exit_code, term.op, term.number));
    case TermKind::External:
      return std::find(job.notes.begin(), job.notes.end(), term.text) != job.notes.end();
    case TermKind::PostErr:
    case TermKind::Count: return false;
  }
  return false;
}

bool is_in(State state, const JobStanding& job) {
  switch (state) {
    case State::Done: return job.done;
    case State::Ended: return job.over;
    case State::Exit: return job.over && !job.done;
    case State::Running: return job.running;
    case State::Started: return job.started;
    case State::Pending: return job.pending;
    case State::Held: return job.held;
  }
  return false;
}

Truth count(const DependTerm& term, const std::vector<JobStanding>& jobs) {
  auto n = std::count_if(jobs.begin(), jobs.end(),
                         [&](const JobStanding& job) { return is_in(term.counted, job); });
  bool over = std::all_of(jobs.begin(), jobs.end(), [](auto& job) { return job.over; });
  if (term.op == TermOp::All) return {n == std::ssize(jobs), over};
  return {compare(n, term.op, term.number), over};
}

// A job that nobody knows can satisfy nothing any more.
Truth truth_of(const DependTerm& term, const Standings& standings, std::uint32_t index) {
  JobId id = term.job;
  if (term.element) id.index = index;
  auto jobs = standings(id);
  if (jobs.empty()) return {false, true};
  if (term.kind == TermKind::Count) return count(term, jobs);
  if (term.kind == TermKind::External) {  // as long as it is known a message may come
    bool all = std::all_of(jobs.begin(), jobs.end(), [&](auto& job) { return holds(term, job); });
    return {all, false};
  }
  Truth all{true, true};
  for (const auto& job : jobs) {
    bool now = holds(term, job);
    // What is true of these conditions stays true; what is false once a job is over, too.
    if (!now && job.over) return {false, true};
    all.now = all.now && now;
    all.settled = all.settled && now;
  }
  return all;
}

std::string number_text(const DependTerm& term) {
  if (term.op == TermOp::All) return ", *";
  for (const auto& [word, op] : kOps)
    if (op == term.op) return ", " + std::string(word) + " " + std::to_string(term.number);
  return "";
}

std::string term_text(const DependTerm& term) {
  auto row = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindRow& r) {
    return r.kind == term.kind && (r.kind != TermKind::Count || r.counted == term.counted);
  });
  const char* quote = term.name.find('"') == term.name.npos ? "\"" : "'";
  auto job = term.job ? std::to_string(term.job.job) : quote + term.name + quote;
  if (term.element) job += "[*]";
  else if (term.job.index) job += "[" + std::to_string(term.job.index) + "]";
  if (term.kind == TermKind::External) {
    const char* mark = term.text.find('"') == term.text.npos ? "\"" : "'";
    return "external(" + job + ", " + mark + term.text + mark + ")";
  }
  return std::string(row->word) + "(" + job + number_text(term) + ")";
}

std::string stripped(std::string_view text) {
  auto first = text.find_first_not_of(" \t\n");
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

constexpr int kDeepest = 200;
constexpr std::size_t kMostTerms = 1000;

Error too_many() {
  return fail(Code::Limit,
              "Dependency condition names more than " + std::to_string(kMostTerms) + " jobs");
}

}  // namespace

// Recursive descent; the text is read once, from left to right.
class DependParser {
 public:
  explicit DependParser(std::string_view text) : text_(text) {}

  Result<Depend> run() {
    WM_TRY(read_or(0));
    if (skip(); at_ != text_.size()) return wrong("an operator is wanted");
    return std::move(made_);
  }

 private:
  using Op = Depend::Op;

  Error wrong(const std::string& why) const {
    return fail(Code::BadArgument, "Dependency condition syntax error: " + excerpt(why) +
                                       " at character " + std::to_string(at_ + 1));
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }
  bool take(std::string_view sign) {
    skip();
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }
  void add(Op op) { made_.nodes_.push_back({op, {}}); }

  Result<void> read_or(int depth) {
    WM_TRY(read_and(depth));
    while (take("||")) {
      WM_TRY(read_and(depth));
      add(Op::Or);
    }
    return {};
  }
  Result<void> read_and(int depth) {
    WM_TRY(read_not(depth));
    while (take("&&")) {
      WM_TRY(read_not(depth));
      add(Op::And);
    }
    return {};
  }
  Result<void> read_not(int depth) {
    if (depth > kDeepest) return wrong("more than 200 levels");
    if (take("!")) {
      WM_TRY(read_not(depth + 1));
      add(Op::Not);
      return {};
    }
    if (!take("(")) return read_term();
    WM_TRY(read_or(depth + 1));
    if (!take(")")) return wrong("')' is wanted");
    return {};
  }

  Result<void> read_term() {
    DependTerm term;
    auto from = at_;
    auto word = read_word();
    auto row = std::find_if(kKinds.begin(), kKinds.end(), [&](auto& r) { return r.word == word; });
    if (row != kKinds.end() && take("(")) {
      term.kind = row->kind;
      term.counted = row->counted;
      WM_TRY(read_job(term, ",)"));
      if (take(",")) WM_TRY(read_condition(term));
      else if (term.kind == TermKind::Count) return wrong("a number or * is wanted");
      else if (term.kind == TermKind::External) return wrong("a message in quotes is wanted");
      if (!take(")")) return wrong("')' is wanted");
    } else {
      at_ = from;
      WM_TRY(read_job(term, "&|)("));
    }
    if (made_.nodes_.size() > 2 * kMostTerms) return too_many();
    made_.nodes_.push_back({Op::Term, std::move(term)});
    return {};
  }

  std::string read_word() {
    skip();
    auto end = at_;
    while (end < text_.size() &&
           (std::isalpha(static_cast<unsigned char>(text_[end])) || text_[end] == '_'))
      ++end;
    auto word = std::string(text_.substr(at_, end - at_));
    at_ = end;
    return word;
  }

  // A quoted name, or everything up to one of `stops`.
  Result<void> read_job(DependTerm& term, std::string_view stops) {
    skip();
    bool quoted = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    std::string name;
    if (quoted) {
      auto end = text_.find(text_[at_], at_ + 1);
      if (end == text_.npos) return wrong("the quote is not closed");
      name = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      // "name"[4] as well as "name[4]"
      if (take("[")) {
        auto close = std::min(text_.find(']', at_), text_.size());
        name += "[" + std::string(text_.substr(at_, close - at_)) + "]";
        at_ = std::min(close + 1, text_.size());
      }
    } else {
      auto end = std::min(text_.find_first_of(stops, at_), text_.size());
      name = stripped(text_.substr(at_, end - at_));
      if (name.find_first_of("\"'") != name.npos)
        return wrong("a name with a quote is put in quotes");
      at_ = end;
    }
    if (name.empty()) return wrong("a job is wanted");
    return set_job(term, std::move(name));
  }

  Result<void> set_job(DependTerm& term, std::string name) {
    if (auto bracket = name.find('['); bracket != name.npos) {
      if (!name.ends_with(']')) return wrong("']' is wanted");
      auto index = name.substr(bracket + 1, name.size() - bracket - 2);
      term.element = index == "*";
      if (!term.element && (!read_number(index, term.job.index) || term.job.index == 0))
        return wrong("[" + index + "] is no element");
      name.resize(bracket);
    }
    if (term.kind == TermKind::Count && (term.element || term.job.index))
      return wrong("a whole array is wanted");
    if (!read_number(name, term.job.job)) term.name = name;
    else if (term.job.job == 0) return wrong("0 is no job");
    return {};
  }

  Result<void> read_message(DependTerm& term) {
    skip();
    bool quoted = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    auto end = quoted ? text_.find(text_[at_], at_ + 1) : text_.npos;
    if (end == text_.npos) return wrong("a message in quotes is wanted");
    term.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return {};
  }

  Result<void> read_condition(DependTerm& term) {
    if (term.kind == TermKind::External) return read_message(term);
    if (term.kind != TermKind::Exit && term.kind != TermKind::Count)
      return wrong("this condition takes no number");
    if (term.kind == TermKind::Count && take("*")) {
      term.op = DependTerm::Op::All;
      return {};
    }
    term.op = DependTerm::Op::Eq;
    for (const auto& [word, op] : kOps)
      if (take(word)) {
        term.op = op;
        break;
      }
    skip();
    auto end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    if (!read_number(text_.substr(at_, end - at_), term.number)) return wrong("a number is wanted");
    at_ = end;
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Depend made_;
};

Result<Depend> Depend::parse(std::string_view text) {
  if (stripped(text).empty()) return Depend();
  return DependParser(text).run();
}

Result<void> Depend::resolve(const NamedJobs& find) {
  std::vector<Node> resolved;
  for (auto& node : nodes_) {
    if (node.op != Op::Term || node.term.name.empty()) {
      resolved.push_back(std::move(node));
      continue;
    }
    WM_TRY(auto numbers, find(node.term.name));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      auto term = node.term;
      term.name.clear();
      term.job.job = numbers[i];
      resolved.push_back({Op::Term, std::move(term)});
      if (i > 0) resolved.push_back({Op::And, {}});
    }
    if (resolved.size() > 2 * kMostTerms) return too_many();
  }
  nodes_ = std::move(resolved);
  return {};
}

Verdict Depend::evaluate(const Standings& standings, std::uint32_t index) const {
  if (nodes_.empty()) return Verdict::Met;
  std::vector<Truth> stack;
  for (const auto& node : nodes_) {
    if (node.op == Op::Term) {
      stack.push_back(truth_of(node.term, standings, index));
      continue;
    }
    Truth right = stack.back();
    if (node.op == Op::Not) {
      stack.back().now = !right.now;
      continue;
    }
    stack.pop_back();
    Truth left = stack.back();
    bool deciding = node.op == Op::Or;  // one side with this value decides
    bool by_one =
        (left.settled && left.now == deciding) || (right.settled && right.now == deciding);
    stack.back().now = deciding ? left.now || right.now : left.now && right.now;
    stack.back().settled = by_one || (left.settled && right.settled);
  }
  auto whole = stack.back();
  if (whole.now) return Verdict::Met;
  return whole.settled ? Verdict::Never : Verdict::Waiting;
}

std::string Depend::unmet(const Standings& standings, std::uint32_t index) const {
  std::string list;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].op != Op::Term) continue;
    bool negated = i + 1 < nodes_.size() && nodes_[i + 1].op == Op::Not;
    if (truth_of(nodes_[i].term, standings, index).now != negated) continue;
    list +=
        (list.empty() ? "" : ", ") + std::string(negated ? "!" : "") + term_text(nodes_[i].term);
  }
  return list;
}

std::vector<JobId> Depend::jobs() const {
  std::vector<JobId> found;
  for (const auto& node : nodes_)
    if (node.op == Op::Term && node.term.job) found.push_back(node.term.job);
  return found;
}

bool Depend::by_element() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& n) { return n.term.element; });
}

std::string Depend::text() const {
  // Operands as text; those of an operator stand in brackets, so that no rule of order matters.
  std::vector<std::string> stack;
  for (const auto& node : nodes_) {
    if (node.op == Op::Term) {
      stack.push_back(term_text(node.term));
    } else if (node.op == Op::Not) {
      stack.back() = "!" + stack.back();
    } else {
      auto right = std::move(stack.back());
      stack.pop_back();
      stack.back() = "(" + stack.back() + (node.op == Op::And ? " && " : " || ") + right + ")";
    }
  }
  return stack.empty() ? "" : stack.back();
}

}  // namespace wm::expr

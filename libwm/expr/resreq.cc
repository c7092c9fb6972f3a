// Sections first (brackets counted), then one small parser per section.
#include "libwm/expr/resreq.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "libwm/base/excerpt.h"
#include "libwm/expr/select.h"
#include "libwm/expr/token.h"

namespace wm::expr {
namespace {

using Kind = Token::Kind;

constexpr std::array<std::string_view, 7> kSections = {"select", "order", "rusage",  "span",
                                                       "same",   "cu",    "affinity"};
// Names that say what a host is: they can be selected, not used up.
constexpr std::array<std::string_view, 12> kNotUsable = {"type",   "model",  "hname",    "ncpus",
                                                         "ncores", "nprocs", "nthreads", "maxmem",
                                                         "maxswp", "maxtmp", "cpuf",     "server"};

// Amounts of these are in MB, or in the unit that the site has for those without one.
constexpr std::array<std::string_view, 3> kSizes = {"mem", "swp", "tmp"};

// One section while it is parsed: its tokens, and where it stands in the error text.
struct Part {
  std::string_view name, text;
  std::vector<Token> tokens = tokens_of(text);
  Cursor at{tokens};

  Part(std::string_view n, std::string_view t) : name(n), text(t) {}
  Part(const Part&) = delete;

  Error wrong(const std::string& what) const {
    return syntax("Error in " + std::string(name) + " section near \"" +
                  excerpt(text.substr(at.peek().at)) + "\": " + what);
  }
  Result<std::string> word(const char* what) {
    if (at.peek().kind != Kind::Name) return wrong(std::string("Expected ") + what);
    return at.next().text;
  }
  Result<double> amount(double bare_unit = 1) {
    bool minus = at.take("-");
    if (at.peek().kind != Kind::Number) return wrong("Expected number, string, or \"(\"");
    auto token = at.next();
    return token.number * (minus ? -1 : 1) * (token.has_unit ? 1 : bare_unit);
  }
  Result<std::uint32_t> count(std::uint32_t least) {
    WM_TRY(auto value, amount());
    if (value != std::floor(value) || value < least || value > 1e6)
      return wrong("Expected a whole number from " + std::to_string(least) + " before this");
    return static_cast<std::uint32_t>(value);
  }
};

Result<void> parse_order(Part& part, ResReq& req) {
  while (!part.at.done()) {
    OrderTerm term;
    term.descending = part.at.take("-");
    WM_TRY(term.resource, part.word("a resource name"));
    req.order.push_back(term);
    if (!part.at.done() && !part.at.take(":")) return part.wrong("Expected \":\"");
  }
  return {};
}

Result<void> parse_same(Part& part, ResReq& req) {
  do {
    WM_TRY(auto name, part.word("a resource name"));
    req.same.push_back(name);
  } while (part.at.take(":"));
  return part.at.done() ? Result<void>() : part.wrong("Expected \":\"");
}

// "10" minutes, "10m", "2h": LSF's durations. The tokenizer reads m as a size, hence text.
Result<Duration> one_duration(Part& part) {
  auto token = part.at.next();
  bool bare = token.kind == Kind::Number && !token.has_unit;
  auto length = parse_duration(bare ? token.text + "m" : token.text);
  if (!length) return part.wrong(length.error().text);
  return *length;
}

// A list in brackets is one length per phase: together they are how long it lasts.
Result<Duration> duration_of(Part& part) {
  if (!part.at.take("(")) return one_duration(part);
  Duration all{};
  while (!part.at.take(")")) {
    WM_TRY(auto phase, one_duration(part));
    all += phase;
  }
  return all;
}

Result<void> parse_usage_options(Part& part, RusageTerm& term) {
  while (part.at.take(":")) {
    WM_TRY(auto option, part.word("duration or decay"));
    if (!part.at.take("=")) return part.wrong("Expected \"=\"");
    if (option == "duration") {
      WM_TRY(term.duration, duration_of(part));
    } else if (option == "decay") {
      WM_TRY(auto on, part.count(0));
      term.decay = on != 0;
    } else {
      return part.wrong("Expected duration or decay, not " + option);
    }
  }
  return {};
}

Result<Per> per_of(Part& part) {
  if (!part.at.take("/")) return Per::Unsaid;
  WM_TRY(auto word, part.word("task, job or host"));
  if (word == "task") return Per::Task;
  if (word == "job") return Per::Job;
  if (word == "host") return Per::Host;
  return part.wrong("Expected task, job or host, not " + word);
}

// Phases "mem=(800 300):duration=(10 20)": the largest is what counts.
Result<double> phase_amount(Part& part, double bare_unit) {
  double most = 0;
  if (part.at.take(")")) return part.wrong("Expected number, string, or \"(\"");
  while (!part.at.take(")")) {
    WM_TRY(auto value, part.amount(bare_unit));
    most = std::max(most, value);
  }
  return most;
}

Result<RusageTerm> usage_term(Part& part, double mem_unit) {
  RusageTerm term;
  WM_TRY(term.resource, part.word("a resource name"));
  if (std::find(kNotUsable.begin(), kNotUsable.end(), term.resource) != kNotUsable.end())
    return syntax("\"" + term.resource +
                  "\" cannot be used in the resource requirement section rusage");
  if (!part.at.take("=")) return part.wrong("Expected \"=\"");
  bool size = std::find(kSizes.begin(), kSizes.end(), term.resource) != kSizes.end();
  double unit = size ? mem_unit : 1;
  WM_TRY(term.amount, part.at.take("(") ? phase_amount(part, unit) : part.amount(unit));
  if (term.amount < 0 || !std::isfinite(term.amount)) return part.wrong("Expected number >= 0");
  WM_TRY(term.per, per_of(part));
  WM_TRY(parse_usage_options(part, term));
  return term;
}

Result<void> parse_rusage(Part& part, ResReq& req, Bytes unit) {
  do {
    WM_TRY(auto term, usage_term(part, static_cast<double>(unit.value) / (1 << 20)));
    req.rusage.push_back(term);
  } while (part.at.take(","));
  if (part.at.is("||")) return part.wrong("alternatives are not supported");
  return part.at.done() ? Result<void>() : part.wrong("Expected \",\"");
}

// ptile=N, ptile='!' and ptile='!',modelA:4 (the models' own numbers are checked, not kept).
Result<void> parse_ptile(Part& part, SpanReq& span) {
  if (part.at.peek().kind != Kind::Text) {
    WM_TRY(span.ptile, part.count(1));
    return {};
  }
  if (part.at.next().text != "!") return part.wrong("Expected '!' before this");
  span.ptile_all = true;
  while (part.at.take(",")) {
    WM_TRY(auto model, part.word("a host model"));
    if (!part.at.take(":")) return part.wrong("Expected \":\" after " + model);
    WM_TRY(part.count(1));
  }
  return {};
}

Result<void> parse_hosts(Part& part, SpanReq& span) {
  WM_TRY(auto value, part.amount());
  if (value != 1 && value != -1) return part.wrong("hosts must be 1 or -1");
  span.hosts = static_cast<std::int32_t>(value);
  return {};
}

Result<void> parse_span_term(Part& part, SpanReq& span) {
  WM_TRY(auto key, part.word("hosts, ptile, block, stride, stripe or gtile"));
  if (key == "stripe" && !part.at.is("=")) return {};
  if (!part.at.take("=")) return part.wrong("Expected \"=\"");
  if (key == "hosts") return parse_hosts(part, span);
  if (key == "ptile") return parse_ptile(part, span);
  WM_TRY(auto value, part.count(1));
  if (key == "block") span.block = value;
  else if (key == "stride") span.stride = value;
  else if (key == "gtile") span.gtile = value;
  else if (key != "stripe") return part.wrong("unknown span keyword " + key);
  return {};
}

Result<void> parse_span(Part& part, ResReq& req) {
  req.span = {};
  do {
    WM_TRY(parse_span_term(part, req.span));
  } while (part.at.take(":"));
  return part.at.done() ? Result<void>() : part.wrong("Expected \":\"");
}

Result<void> check_unit_term(const Part& part, const std::string& key, const std::string& value) {
  auto is_count = [&] {
    return !value.empty() && value.size() < 8 && value != "0" &&
           value.find_first_not_of("0123456789") == std::string::npos;
  };
  if (key == "balance" || key == "excl")
    return value.empty() ? Result<void>() : part.wrong(key + " takes no value");
  if (key == "maxcus" || key == "usablecuslots")
    return is_count() ? Result<void>() : part.wrong(key + " takes a number from 1");
  bool known = value == "config" || value == "minavail" || value == "maxavail";
  if (key == "pref")
    return known ? Result<void>() : part.wrong("pref is config, minavail or maxavail");
  if (key != "type") return part.wrong("unknown cu keyword " + key);
  return value.empty() ? part.wrong("type takes a name") : Result<void>();
}

Result<void> parse_cu(Part& part, ResReq& req) {
  do {
    WM_TRY(auto key, part.word("a compute unit keyword"));
    std::string value;
    if (part.at.take("=")) {
      if (part.at.peek().kind != Kind::Name && part.at.peek().kind != Kind::Number)
        return part.wrong("Expected a value");
      value = part.at.next().text;
    }
    WM_TRY(check_unit_term(part, key, value));
    req.cu[key] = value;
  } while (part.at.take(":"));
  return part.at.done() ? Result<void>() : part.wrong("Expected \":\"");
}

Result<void> parse_affinity(Part& part, ResReq& req) {
  constexpr std::array<std::string_view, 4> kUnits = {"core", "thread", "socket", "numa"};
  auto unit = part.at.peek().text;
  if (std::find(kUnits.begin(), kUnits.end(), unit) == kUnits.end())
    return part.wrong("Expected core, thread, socket or numa");
  constexpr std::string_view kMemory = ":membind=";
  std::string_view text = part.text;
  if (auto at = text.find(kMemory); at != text.npos) {
    auto value = text.substr(at + kMemory.size());
    value = value.substr(0, value.find(':'));
    if (value != "localonly" && value != "localprefer")
      return part.wrong("membind= localonly or localprefer is wanted");
  }
  req.affinity = part.text;
  return {};
}

Result<void> parse_section(std::string_view name, std::string_view body, ResReq& req, Bytes unit) {
  if (name == "select") {
    WM_TRY(auto select, Select::parse(body));
    req.select = select.text();
    return {};
  }
  Part part(name, body);
  if (part.at.done()) return {};
  if (name == "order") return parse_order(part, req);
  if (name == "rusage") return parse_rusage(part, req, unit);
  if (name == "span") return parse_span(part, req);
  if (name == "same") return parse_same(part, req);
  if (name == "cu") return parse_cu(part, req);
  return parse_affinity(part, req);
}

// The name of the section that `text` starts with, "" when it starts with none.
std::string_view section_at(std::string_view text) {
  for (auto name : kSections) {
    if (!text.starts_with(name)) continue;
    auto rest = trimmed(text.substr(name.size()));
    if (!rest.empty() && rest.front() == '[') return name;
  }
  return {};
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '@';
}

// Where the first section begins, or the end. What stands in quotes is text.
std::size_t first_section(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool quote = text[at] == '\'' || text[at] == '"';
    if (quote) at = std::min(text.find(text[at], at + 1), text.size() - 1);
    bool within = quote || (at > 0 && is_of_name(text[at - 1]));
    if (!within && !section_at(text.substr(at)).empty()) return at;
  }
  return text.size();
}

// The bracket that closes the one at `open`, or npos. Brackets in quotes are text.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < text.size(); ++at) {
    bool quote = text[at] == '\'' || text[at] == '"';
    if (quote) at = std::min(text.find(text[at], at + 1), text.size() - 1);
    if (quote) continue;
    if (text[at] == '[') ++depth;
    if (text[at] == ']' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::string both(const std::string& a, const std::string& b) {
  if (a.empty()) return b;
  if (b.empty() || a == b) return a;
  return "(" + a + ") && (" + b + ")";
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void join(ResReq& to, const ResReq& next) {
  append(to.order, next.order);
  append(to.rusage, next.rusage);
  append(to.same, next.same);
  if (next.span != SpanReq()) to.span = next.span;
  if (!next.cu.empty()) to.cu = next.cu;
  if (!next.affinity.empty()) to.affinity = next.affinity;
}

// As few digits as read back as the same number.
std::string number_text(double value) {
  std::array<char, 1536> digits;  // the longest double without an exponent has 1077
  auto end = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::fixed).ptr;
  return {digits.begin(), end};
}

std::string usage_text(const RusageTerm& term) {
  static constexpr std::array<const char*, 4> kPer = {"", "/task", "/job", "/host"};
  auto text =
      term.resource + "=" + number_text(term.amount) + kPer[static_cast<std::size_t>(term.per)];
  if (term.duration.count() > 0) text += ":duration=" + format_duration(term.duration);
  return text + (term.decay ? ":decay=1" : "");
}

std::string span_text(const SpanReq& span) {
  std::vector<std::string> parts;
  if (span.hosts != 0) parts.push_back("hosts=" + std::to_string(span.hosts));
  if (span.ptile_all) parts.push_back("ptile='!'");
  if (span.ptile > 0) parts.push_back("ptile=" + std::to_string(span.ptile));
  if (span.block > 0) parts.push_back("block=" + std::to_string(span.block));
  if (span.stride > 0) parts.push_back("stride=" + std::to_string(span.stride));
  if (span.gtile > 0) parts.push_back("gtile=" + std::to_string(span.gtile));
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ":") + part;
  return text;
}

void add_section(std::string& text, const char* name, const std::string& body) {
  if (!body.empty()) text += (text.empty() ? "" : " ") + std::string(name) + "[" + body + "]";
}

template <class T, class Show>
std::string list_text(const std::vector<T>& list, const char* separator, Show show) {
  std::string text;
  for (const auto& entry : list) text += (text.empty() ? "" : separator) + show(entry);
  return text;
}

}  // namespace

const RusageTerm* ResReq::usage_of(std::string_view resource) const {
  auto at = std::find_if(rusage.begin(), rusage.end(),
                         [&](const RusageTerm& t) { return t.resource == resource; });
  return at == rusage.end() ? nullptr : &*at;
}

Result<ResReq> parse_resreq(std::string_view text, Bytes unit) {
  ResReq req;
  text = trimmed(text);
  if (text.find('{') != std::string_view::npos)
    return syntax("\"" + excerpt(text) + "\": braces are not expected here");
  std::set<std::string_view> seen;
  auto start = first_section(text);
  auto bare = trimmed(text.substr(0, start));
  if (!bare.empty() || text.empty()) {
    WM_TRY(parse_section("select", bare, req, unit));
    seen.insert("select");
  }
  text.remove_prefix(start);
  while (!text.empty()) {
    auto name = section_at(text);
    if (name.empty()) return syntax("Error near \"" + excerpt(text) + "\": Expected a section");
    if (!seen.insert(name).second)
      return syntax("Error near \"" + excerpt(text) + "\": duplicate section");
    auto open = text.find('[');
    auto close = closing(text, open);
    if (close == std::string_view::npos)
      return syntax("Error in " + std::string(name) + " section: Expected \"]\"");
    WM_TRY(parse_section(name, text.substr(open + 1, close - open - 1), req, unit));
    text = trimmed(text.substr(close + 1));
  }
  return req;
}

Result<ResReq> parse_resreqs(std::span<const std::string> texts, Bytes unit) {
  ResReq all;
  std::vector<std::string> selects;
  for (const auto& text : texts) {
    WM_TRY(auto next, parse_resreq(text, unit));
    join(all, next);
    bool known = std::find(selects.begin(), selects.end(), next.select) != selects.end();
    if (!next.select.empty() && !known) selects.push_back(next.select);
  }
  // Side by side: many of them do not nest.
  auto wrapped = [&](const std::string& s) { return selects.size() == 1 ? s : "(" + s + ")"; };
  all.select = list_text(selects, " && ", wrapped);
  return all;
}

ResReq merge(const ResReq& base, const ResReq& over) {
  ResReq merged = over;
  merged.select = both(base.select, over.select);
  for (const auto& term : base.rusage)
    if (!over.usage_of(term.resource)) merged.rusage.push_back(term);
  if (over.order.empty()) merged.order = base.order;
  if (over.same.empty()) merged.same = base.same;
  if (over.span == SpanReq()) merged.span = base.span;
  if (over.cu.empty()) merged.cu = base.cu;
  if (over.affinity.empty()) merged.affinity = base.affinity;
  return merged;
}

Result<void> check_usage(const ResReq& req) {
  constexpr std::string_view kKnown[] = {"mem", "ngpus_physical", "tmp", "swp"};
  for (const auto& term : req.rusage)
    if (std::ranges::find(kKnown, term.resource) == std::end(kKnown))
      return fail(Code::BadArgument,
                  term.resource + ": Bad resource name, \"" + term.resource +
                      "\" cannot be used in the resource requirement section rusage");
  return {};
}

std::string to_string(const ResReq& req) {
  auto same = [](const std::string& s) { return s; };
  std::string text, cu;
  for (const auto& [key, value] : req.cu)
    cu += (cu.empty() ? "" : ":") + key + (value.empty() ? "" : "=" + value);
  add_section(text, "select", req.select);
  add_section(text, "order", list_text(req.order, ":", [](const OrderTerm& t) {
                return (t.descending ? "-" : "") + t.resource;
              }));
  add_section(text, "rusage", list_text(req.rusage, ",", usage_text));
  add_section(text, "span", span_text(req.span));
  add_section(text, "same", list_text(req.same, ":", same));
  add_section(text, "cu", cu);
  add_section(text, "affinity", req.affinity);
  return text;
}

}  // namespace wm::expr

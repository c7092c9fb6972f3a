#include "libwm/search/quick_trial.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace wm::search {
namespace {

constexpr std::size_t kMostSettings = 1000;

// Reads forward; the first thing that is not plain ends it, and nothing is to be believed then.
class Plain {
 public:
  explicit Plain(std::string_view text) : text_(text) {}

  bool is_fine() const { return fine_; }
  bool has_ended() {
    skip_blanks();
    return fine_ && at_ == text_.size();
  }
  void give_up() { fine_ = false; }
  bool sees(char c) {
    skip_blanks();
    return fine_ && at_ < text_.size() && text_[at_] == c;
  }
  void take(char c) {
    fine_ = sees(c);
    ++at_;
  }

  /// Between its quotes.
  std::string_view word() {
    take('"');
    auto from = at_;
    while (fine_ && at_ < text_.size() && text_[at_] != '"') {
      unsigned char c = static_cast<unsigned char>(text_[at_++]);
      fine_ = c >= 0x20 && c < 0x7f && c != '\\';
    }
    bool whole = fine_ && at_ < text_.size() && at_ - from <= kLongestWord;
    if (!whole) return give_up(), std::string_view();
    return text_.substr(from, at_++ - from);
  }

  Value number() {
    auto text = number_text();
    if (text.find_first_of(".eE") != text.npos) {
      double value = read<double>(text);
      if (!std::isfinite(value)) give_up();
      return value;
    }
    if (text.size() > kDigits) give_up();
    return read<std::int64_t>(text);
  }
  double real() {
    auto value = number();
    auto* whole = std::get_if<std::int64_t>(&value);
    return whole ? static_cast<double>(*whole) : std::get<double>(value);
  }

  /// `each` reads the value of the key that it is given.
  template <class Each>
  void object(Each each) {
    take('{');
    for (bool more = !sees('}'); fine_ && more; more = comma()) {
      auto key = word();
      take(':');
      if (fine_) each(key);
    }
    take('}');
  }
  template <class Each>
  void list(Each each) {
    take('[');
    for (bool more = !sees(']'); fine_ && more; more = comma()) each();
    take(']');
  }

 private:
  static constexpr std::size_t kDigits = 18, kLongestWord = 200;

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool comma() {
    bool there = sees(',');
    if (there) ++at_;
    return there;
  }
  // As JSON has them: no leading zeros, no bare point.
  std::string_view number_text() {
    skip_blanks();
    auto from = at_;
    auto digits = [this] {
      auto first = at_;
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
      fine_ = fine_ && at_ > first;
    };
    auto optional = [this](char c) {
      return at_ < text_.size() && text_[at_] == c ? ++at_, true : false;
    };
    optional('-');
    if (!optional('0')) digits();
    if (optional('.')) digits();
    if (optional('e') || optional('E')) {
      if (!optional('-')) optional('+');
      digits();
    }
    return text_.substr(from, at_ - from);
  }
  template <class Number>
  Number read(std::string_view text) {
    Number value{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) give_up();
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool fine_ = true;
};

// One metric as it is reported: {"min", "max", "latest", "course"}, or a number that is all of
// them.
struct Metric {
  std::optional<double> best, latest;
};

class Reader {
 public:
  Reader(std::string_view text, const Search& search, std::uint32_t index)
      : in_(text), search_(search) {
    trial_.index = index;
  }

  std::optional<Trial> whole() {
    in_.object([&](std::string_view key) {
      if (key == "state") trial_.state = state_named(in_.word());
      else if (key == "config") config();
      else if (key == "metrics") metrics();
      else if (key == "index") in_.number();
      else in_.give_up();
    });
    if (!in_.has_ended()) return {};
    // As an object's members are ordered.
    std::ranges::sort(trial_.config, {}, &Setting::name);
    auto same = [](const Setting& a, const Setting& b) { return a.name == b.name; };
    if (std::ranges::adjacent_find(trial_.config, same) != trial_.config.end()) return {};
    return std::move(trial_);
  }

 private:
  void config() {
    trial_.config.reserve(search_.space.params.size());
    in_.object([&](std::string_view key) {
      bool ours = key.starts_with("wm_") || key == search_.options.resource;
      if (ours) return in_.give_up();  // rare, and with rules of its own
      if (trial_.config.size() == kMostSettings) return in_.give_up();
      trial_.config.push_back(
          {std::string(key), in_.sees('"') ? Value(std::string(in_.word())) : in_.number()});
    });
  }

  void metrics() {
    // Which of those that tell the step goes first.
    const std::string_view steps[] = {search_.options.resource, "step", "steps", "epoch"};
    std::optional<double> found[std::size(steps)];
    in_.object([&](std::string_view key) {
      bool is_goal = key == search_.metric;
      auto metric = one_metric(is_goal);
      if (is_goal) trial_.value = metric.best ? metric.best : metric.latest;
      for (std::size_t i = 0; i < std::size(steps); ++i)
        if (key == steps[i] && !key.empty()) found[i] = metric.latest;
    });
    if (search_.maximize && trial_.value) trial_.value = -*trial_.value;
    for (const auto& step : found)
      if (step && !trial_.step) trial_.step = step;
  }

  Metric one_metric(bool is_goal) {
    if (!in_.sees('{')) {
      double value = in_.real();
      return {value, value};
    }
    Metric metric;
    in_.object([&](std::string_view key) {
      if (key == "course") return course(is_goal);
      double value = in_.real();
      if (key == (search_.maximize ? "max" : "min")) metric.best = value;
      if (key == "latest") metric.latest = value;
    });
    return metric;
  }

  void course(bool is_goal) {
    in_.list([&] {
      in_.take('[');
      double step = in_.real();
      in_.take(',');
      double value = in_.real();
      in_.take(']');
      if (is_goal) trial_.reports.push_back({step, search_.maximize ? -value : value});
    });
    if (is_goal) std::ranges::stable_sort(trial_.reports, {}, &Report::step);
  }

  Plain in_;
  const Search& search_;
  Trial trial_;
};

}  // namespace

std::optional<Trial> quick_trial(std::string_view text, const Search& search, std::uint32_t index) {
  return Reader(text, search, index).whole();
}

TrialState state_named(std::string_view word) {
  auto is = [word](std::string_view other) {
    return std::ranges::equal(word, other, {}, [](unsigned char c) { return std::tolower(c); });
  };
  if (is("running")) return TrialState::Running;
  if (is("finished")) return TrialState::Finished;
  if (is("failed")) return TrialState::Failed;
  return is("killed") ? TrialState::Killed : TrialState::Pending;
}

}  // namespace wm::search

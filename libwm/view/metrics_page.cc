#include "libwm/view/metrics_page.h"

#include <algorithm>
#include <cstdio>

namespace wm::view {
namespace {

std::string value_text(double n) {
  char text[40];
  bool whole = n == static_cast<double>(static_cast<long long>(n));
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.12g", n);
  return text;
}

std::string label(const std::string& value) {
  std::string made;
  for (char c : value) {
    if (c == '\\' || c == '"') made += '\\';
    if (c == '\n') made += "\\n";
    else made += c;
  }
  return made;
}

}  // namespace

void Histogram::add(double value) {
  ++n_;
  sum_ += value;
  auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value);
  if (at != bounds_.end()) ++in_[static_cast<std::size_t>(at - bounds_.begin())];
}

Histogram& Histogram::operator+=(const Histogram& more) {
  if (n_ == 0) bounds_ = more.bounds_;
  for (const auto& [bound, n] : more.in_) in_[bound] += n;
  n_ += more.n_;
  sum_ += more.sum_;
  return *this;
}

std::vector<std::pair<double, std::uint64_t>> Histogram::buckets() const {
  std::vector<std::pair<double, std::uint64_t>> made;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    if (auto at = in_.find(i); at != in_.end()) below += at->second;
    made.emplace_back(bounds_[i], below);
  }
  return made;
}

// In OpenMetrics a counter's family has no _total.
void MetricsPage::family(const std::string& name, const char* type, const char* help) {
  auto known = name;
  if (open_ && known.ends_with("_total")) known.resize(known.size() - 6);
  text_ +=
      "# HELP " + known + " " + help + (open_ ? "" : ".") + "\n# TYPE " + known + " " + type + "\n";
}

void MetricsPage::line(const std::string& name, const Labels& labels, double value) {
  text_ += name;
  for (std::size_t i = 0; i < labels.size(); ++i)
    text_ += (i ? "," : "{") + labels[i].first + "=\"" + label(labels[i].second) + "\"";
  text_ += (labels.empty() ? " " : "} ") + value_text(value) + "\n";
}

void MetricsPage::histogram(const std::string& name, const Labels& labels, const Histogram& of) {
  auto with = labels;
  with.emplace_back("le", "");
  auto tell = [&](const std::string& bound, std::uint64_t n) {
    with.back().second = bound;
    line(name + "_bucket", with, static_cast<double>(n));
  };
  for (const auto& [bound, n] : of.buckets()) tell(value_text(bound), n);
  tell("+Inf", of.count());
  line(name + "_sum", labels, of.sum());
  line(name + "_count", labels, static_cast<double>(of.count()));
}

void MetricsPage::single(const std::string& name, const char* type, const char* help,
                         double value) {
  family(name, type, help);
  line(name, {}, value);
}

}  // namespace wm::view

#include "libwm/proc/port_guard.h"

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <fstream>

#include "libwm/base/log.h"
#include "libwm/proc/process.h"

namespace wm::proc {
namespace {

constexpr Duration kLimit = std::chrono::seconds(5);

std::vector<std::string> line(const std::string& tool, const char* act,
                              const std::vector<std::string>& rule) {
  std::vector<std::string> words = {tool, "-w", "5", act};
  words.insert(words.end(), rule.begin(), rule.end());
  return words;
}

// A rule as iptables -S shows it: "-A OUTPUT …", words in double quotes where they have blanks.
std::vector<std::string> rule_of(const std::string& shown) {
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (char c : shown) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

std::uint16_t port_in(const std::vector<std::string>& rule) {
  auto at = std::ranges::find(rule, "--dport");
  if (at == rule.end() || ++at == rule.end()) return 0;
  return static_cast<std::uint16_t>(std::atoi(at->c_str()));
}

}  // namespace

PortGuard PortGuard::of_this_machine(std::string owner) {
  std::string address;
  std::ifstream("/proc/net/if_inet6") >> address;
  return {std::move(owner), !address.empty(),
          [](const std::vector<std::string>& words) { return run_command(words, kLimit); }};
}

std::vector<PortGuard::Rule> PortGuard::rules(std::uint16_t port, uid_t account) const {
  auto number = std::to_string(port);
  auto rule = [&](std::vector<std::string> words, const std::vector<std::string>& who) {
    words.insert(words.end(), {"-p", "tcp", "-m", "tcp", "--dport", number});
    words.insert(words.end(), who.begin(), who.end());
    words.insert(words.end(), {"-m", "comment", "--comment", owner_, "-j", "REJECT",
                               "--reject-with", "tcp-reset"});
    return words;
  };
  return {
      rule({"OUTPUT", "-o", "lo"}, {"-m", "owner", "!", "--uid-owner", std::to_string(account)}),
      rule({"INPUT", "!", "-i", "lo"}, {})};
}

std::vector<std::string> PortGuard::tools() const {
  return with_v6_ ? std::vector<std::string>{"iptables", "ip6tables"}
                  : std::vector<std::string>{"iptables"};
}

void PortGuard::remove(std::uint16_t port, uid_t account) {
  for (const auto& tool : tools())
    for (const auto& rule : rules(port, account)) static_cast<void>(run_(line(tool, "-D", rule)));
}

Result<void> PortGuard::keep(std::uint16_t port, uid_t account) {
  if (auto at = kept_.find(port); at != kept_.end() && at->second == account) return {};
  open(port);
  for (const auto& tool : tools())
    for (const auto& rule : rules(port, account)) {
      if (run_(line(tool, "-C", rule))) continue;
      auto made = run_(line(tool, "-I", rule));
      if (made) continue;
      remove(port, account);
      return made.error();
    }
  kept_[port] = account;
  return {};
}

void PortGuard::open(std::uint16_t port) {
  auto at = kept_.find(port);
  if (at == kept_.end()) return;
  remove(port, at->second);
  kept_.erase(at);
}

void PortGuard::drop_others(const std::set<std::uint16_t>& used) {
  for (const auto& tool : tools()) {
    auto shown = run_({tool, "-w", "5", "-S"});
    if (!shown) continue;
    std::vector<std::string> lines;
    boost::split(lines, *shown, boost::is_any_of("\n"));
    for (const auto& text : lines) {
      auto words = rule_of(text);
      if (words.empty() || words[0] != "-A" || std::ranges::find(words, owner_) == words.end())
        continue;
      auto port = port_in(words);
      if (kept_.contains(port) || used.contains(port)) continue;
      words.erase(words.begin());
      if (auto gone = run_(line(tool, "-D", words)); !gone)
        log::warn("port_rule_stays", {{"rule", text}, {"why", gone.error().text}});
    }
  }
}

}  // namespace wm::proc

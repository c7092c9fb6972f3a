#include "libwm/proc/meter.h"

#include <unistd.h>

#include <charconv>
#include <string>

#include "libwm/proc/proc_files.h"

namespace wm::proc {
namespace {

// Words of /proc/PID/stat after the command's name, counted from its state. @source proc(5)
enum StatWord { kState = 0, kUserTime = 11, kChildSystemTime = 14, kThreads = 17, kVirtual = 20 };

void add(Use& use, std::string_view words) {
  static const auto kTick = ::sysconf(_SC_CLK_TCK);
  static const auto kPage = ::sysconf(_SC_PAGESIZE);
  std::uint64_t ticks = 0;
  for (int word = kUserTime; word <= kChildSystemTime; ++word) ticks += stat_number(words, word);
  use.cpu += Duration(static_cast<std::int64_t>(ticks) * 1000000 / kTick);
  if (words[kState] == 'Z' || words[kState] == 'X') return;
  ++use.processes;
  use.threads += static_cast<std::uint32_t>(stat_number(words, kThreads));
  use.swap.value += static_cast<std::int64_t>(stat_number(words, kVirtual));
  use.mem.value += static_cast<std::int64_t>(stat_number(words, kVirtual + 1)) * kPage;
}

// "Pss:     1234 kB"
std::int64_t proportional(const std::string& rollup) {
  constexpr std::string_view kName = "\nPss:";
  auto at = rollup.find(kName);
  if (at == rollup.npos) return -1;
  at = rollup.find_first_of("0123456789", at);
  std::int64_t kilobytes = 0;
  if (at == rollup.npos) return -1;
  std::from_chars(rollup.data() + at, rollup.data() + rollup.size(), kilobytes);
  return kilobytes * 1024;
}

}  // namespace

Use use_of(const std::vector<pid_t>& pids) {
  Use use;
  for (auto pid : pids) {
    auto text = read_whole(proc_path(pid, "stat"));
    if (auto words = stat_words(text); !words.empty()) add(use, words);
  }
  return use;
}

Bytes fair_mem_of(const std::vector<pid_t>& pids) {
  Bytes sum;
  for (auto pid : pids) {
    auto own = proportional(read_whole(proc_path(pid, "smaps_rollup")));
    sum.value += own >= 0 ? own : use_of({pid}).mem.value;
  }
  return sum;
}

Excess excess_of(const Use& use, const launch::UseLimits& limits) {
  auto above = [](auto value, auto limit) {
    return limit != 0 && value >= 0 && static_cast<std::uint64_t>(value) > limit;
  };
  if (limits.cpu > Duration{} && use.cpu > limits.cpu) return Excess::Cpu;
  if (above(use.mem.value, limits.mem)) return Excess::Mem;
  if (above(use.swap.value, limits.swap)) return Excess::Swap;
  if (limits.processes != 0 && use.processes > limits.processes) return Excess::Processes;
  if (limits.threads != 0 && use.threads > limits.threads) return Excess::Threads;
  return Excess::None;
}

}  // namespace wm::proc

// Role: what is summed, and by what: amounts of slots, CPUs, GPUs and memory over time, in integers
// that add up whichever way they are cut. Values.
//
//   allocated: held leaving suspended parked unknown stuck    by holder, and by host
//   the rest:  down drained aside idle, and over              by host alone
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace wm::report {

/// What a unit of capacity does. Numbers are stored: append-only. The first six are acct.db's.
enum class Use : std::uint8_t {
  Held = 0,
  Leaving = 1,
  Suspended = 2,
  Parked = 3,
  Unknown = 4,
  Stuck = 5,
  Down = 6,     ///< host silent, dead, or configured and never seen
  Drained = 7,  ///< host closed
  Aside = 8,    ///< GPU sick or closed
  Idle = 9,
  Over = 10,  ///< held beyond what the host says it has
};
inline constexpr std::size_t kUses = 11, kAllocatedUses = 6;
/// "held", "down" … @cost O(1)
std::string_view use_name(Use use);
inline constexpr bool is_allocated(Use use) { return use <= Use::Stuck; }

/// Amounts over time. @units slot·ms, milli-CPU·ms, milli-GPU·ms (devices; whole GPUs), MiB·s
struct Amounts {
  std::int64_t slot_ms = 0, cpu_mms = 0, gpu_mms = 0, gpueq_mms = 0, mem_mib_s = 0;
  Amounts& operator+=(const Amounts& more);
  bool operator==(const Amounts&) const = default;
  bool empty() const { return *this == Amounts{}; }
};
inline Amounts operator+(Amounts a, const Amounts& b) { return a += b; }

/// By use. @cost O(1)
struct ByUse {
  std::array<Amounts, kUses> of{};
  Amounts& operator[](Use use) { return of[static_cast<std::size_t>(use)]; }
  const Amounts& operator[](Use use) const { return of[static_cast<std::size_t>(use)]; }
  ByUse& operator+=(const ByUse& more);
  /// What tasks held. @cost O(1)
  Amounts allocated() const;
  /// What there was: allocated, down, drained, aside and idle, less what was held beyond it.
  Amounts capacity() const;
};

/// What jobs are told apart by.
struct Dim {
  std::string user, plan, queue, project, app;
  auto operator<=>(const Dim&) const = default;
};

}  // namespace wm::report

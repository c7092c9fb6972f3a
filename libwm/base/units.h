// Role: quantities with their unit in the type: bytes, CPUs in millicores, GPUs in
// thousandths, durations and wall times; reading and printing them as users write them.
// Invariant: a bare number never carries a unit past this header.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm {

/// A length of time. Resolution 1 microsecond; range ± 292,000 years.
using Duration = std::chrono::microseconds;
/// A wall-clock instant (UTC), stamped once at the rim; for people and accounting.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;
/// A monotonic instant; for timers and time-outs only, never stored.
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// An amount of memory or disk. @units bytes
struct Bytes {
  std::int64_t value = 0;
  auto operator<=>(const Bytes&) const = default;
  friend Bytes operator+(Bytes a, Bytes b) { return {a.value + b.value}; }
  friend Bytes operator-(Bytes a, Bytes b) { return {a.value - b.value}; }
};

/// Reads "16G", "512MB", "1.5g", "300" (a bare number counts in `unit`). Units are powers
/// of 1024: K M G T P, with or without B, in any case.
/// @errors BadArgument: not a number, negative, unknown unit, beyond 2^63 bytes
Result<Bytes> parse_bytes(std::string_view text, Bytes unit = {1});

/// "16G", "1.5G", "300M": the largest unit with at most one decimal. @cost O(1)
std::string format_bytes(Bytes bytes);

/// Reads "250ms", "10s", "5m", "2h", "1d", or a bare number of seconds; decimals allowed.
/// @errors BadArgument: not a number, negative, unknown unit
Result<Duration> parse_duration(std::string_view text);

/// "250ms", "10s", "5m", "2h": the largest unit that keeps it whole. @cost O(1)
std::string format_duration(Duration d);

/// Reads LSF's run-limit form: minutes, [hours:]minutes, h:m:s, decimals ("90", "1:30",
/// "00:30:00", "1.5"). @source LSF bsub -W; the lenient forms occur in clients
/// @errors BadArgument: anything else
Result<Duration> parse_run_limit(std::string_view text);

/// Seconds since the Unix epoch with fraction, as JSON shows times. @cost O(1)
double epoch_seconds(WallTime t);

}  // namespace wm

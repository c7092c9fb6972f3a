// Role: what the agents of one job's hosts say to each other for its ranks: fences, data asked
// for, the end of a rank that others wait for. Carried by the links between agents (launch.h),
// along a tree over the hosts in the order of their ranks (base/fan_out.h). Values only.
//
//   child ──Hello──► parent      FencePart ▲ up to the first host, FenceDone ▼ down again
//   ModexAsk, ModexAnswer: hop by hop to a host      RankLeft ▲      RanksBroken: to all
//   RankOutput, RankSilent ▲ to the first host, RankTaken: to the rank's host
//
// Hosts are named by their place: 0 has rank 0.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace wm {

/// Frame type of such words.
inline constexpr std::uint16_t kRankWords = 303;

/// First words on a link, from the host further from the first.
struct RankHello {
  std::uint32_t place = 0;
  bool operator==(const RankHello&) const = default;
};
/// Which of the job's fences: the n-th, from 0, in which these ranks take part. Empty: all.
struct FenceName {
  std::vector<std::uint32_t> ranks;
  std::uint64_t number = 0;
  auto operator<=>(const FenceName&) const = default;
};
/// All ranks here and below have arrived, with these bytes.
struct FencePart {
  FenceName fence;
  std::string bytes;
  bool operator==(const FencePart&) const = default;
};
/// All have arrived; the bytes of all.
struct FenceDone {
  FenceName fence;
  std::string bytes;
  bool operator==(const FenceDone&) const = default;
};
/// Host `from` asks `rank`'s host for its data.
struct ModexAsk {
  std::uint32_t from = 0;
  std::uint64_t number = 0;
  std::uint32_t rank = 0;
  bool operator==(const ModexAsk&) const = default;
};
/// The answer, for host `to`. `status`: as the PMIx library says it.
struct ModexAnswer {
  std::uint32_t to = 0;
  std::uint64_t number = 0;
  std::int32_t status = 0;
  std::string bytes;
  bool operator==(const ModexAnswer&) const = default;
};
/// This rank has ended and never took part: whoever waits for it waits in vain.
struct RankLeft {
  std::uint32_t rank = 0;
  bool operator==(const RankLeft&) const = default;
};
/// The ranks cannot go on.
struct RanksBroken {
  std::string why;
  bool operator==(const RanksBroken&) const = default;
};
/// What a rank wrote, for the first host. `stream`: 1 stdout, 2 stderr.
struct RankOutput {
  std::uint32_t rank = 0, stream = 1;
  std::string bytes;
  bool operator==(const RankOutput&) const = default;
};
/// So much of it is written: for the rank's host.
struct RankTaken {
  std::uint32_t rank = 0;
  std::uint64_t bytes = 0;
  bool operator==(const RankTaken&) const = default;
};
/// It writes no more.
struct RankSilent {
  std::uint32_t rank = 0;
  bool operator==(const RankSilent&) const = default;
};
using RankWords = std::variant<RankHello, FencePart, FenceDone, ModexAsk, ModexAnswer, RankLeft,
                               RanksBroken, RankOutput, RankTaken, RankSilent>;

}  // namespace wm

// Role: what the agents of one job's hosts say to each other for its ranks: fences, data asked
// for, the end of a rank that others wait for. Carried by the links between agents (launch.h),
// along a tree over the hosts in the order of their ranks (base/fan_out.h). Values only.
//
//   child ──Hello──► parent      FencePart ▲ up to the first host, FenceDone ▼ down again
//   ModexAsk, ModexAnswer: hop by hop to a host      RankLeft ▲      RanksBroken: to all
//   RankOutput, RankSilent ▲ to the first host, RankTaken: to the rank's host
//   NameAsk ▲ to the first host, which keeps the names; NameAnswer: to who asked
//
// Hosts are named by their place: 0 has rank 0.
//
// Launchers that run once a host in a batch job (wagent/output) use Hello, Output, Taken and
// Silent, over a link from each host to the first: there `rank` is the task's number, `place` the
// host's.
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
/// What ranks wait for each other in.
enum class Meeting : std::uint8_t { Fence = 0, Connect = 1, Disconnect = 2 };
/// Which of the job's meetings of a kind: the n-th, from 0, in which these ranks take part. Empty:
/// all.
struct FenceName {
  std::vector<std::uint32_t> ranks;
  std::uint64_t number = 0;
  Meeting kind = Meeting::Fence;
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
/// This rank has ended and never took part: ranks that wait for it wait in vain.
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
/// A value that a rank published under a name. `type`: as the PMIx library numbers it.
struct NamedValue {
  std::string name;
  std::uint32_t type = 0;
  std::string bytes;
  std::uint32_t owner = 0;  ///< the rank
  bool operator==(const NamedValue&) const = default;
};
/// Host `from` publishes, looks up or takes back names for a rank.
struct NameAsk {
  enum class What : std::uint8_t { Publish = 0, LookUp = 1, TakeBack = 2 };
  std::uint32_t from = 0;
  std::uint64_t number = 0;
  What what = What::Publish;
  std::uint32_t rank = 0;
  std::vector<NamedValue> values;  ///< only Publish needs more than their names
  bool once = false;               ///< Publish: gone when somebody has read it
  bool wait = false;               ///< LookUp: answered when all are there
  bool operator==(const NameAsk&) const = default;
};
/// The answer, for host `to`: what was found. `ok`: all of it.
struct NameAnswer {
  std::uint32_t to = 0;
  std::uint64_t number = 0;
  bool ok = true;
  std::vector<NamedValue> values;
  bool operator==(const NameAnswer&) const = default;
};
using RankWords = std::variant<RankHello, FencePart, FenceDone, ModexAsk, ModexAnswer, RankLeft,
                               RanksBroken, RankOutput, RankTaken, RankSilent, NameAsk, NameAnswer>;

}  // namespace wm

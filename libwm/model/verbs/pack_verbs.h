// Role: the verb of bsub -pack: many different jobs in one request and one durable step, with a
// result for each. Values only, as in verbs.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/model/verbs/job_verbs.h"

namespace wm {

/// The most jobs of one pack.
inline constexpr std::uint32_t kMaxPack = 10000;

/// One job of a pack.
struct PackItem {
  std::string spec;    ///< codec bytes of JobSpec, with the hash of the pack's environment
  std::string script;  ///< a blob; empty: none
  bool operator==(const PackItem&) const = default;
};
/// Anyone. Those that are taken become durable together; each of the others has its own error. A
/// condition (-w) names jobs of before, not others of the pack.
/// Errors: Limit: more than kMaxPack, or too many bytes; Denied; Store; BadArgument
struct PackRequest {
  using Reply = struct PackReply;
  static constexpr Verb kVerb = Verb::Pack;
  std::string request_key;  ///< 16 raw bytes; wire/pack_signature.h makes each item's of it
  /// Over the root of the items' digests; empty: the session's own proof signs that as well.
  std::string credential;
  std::string env;  ///< of all of them
  std::vector<PackItem> items;
  PolicyRound round = 0;
  bool operator==(const PackRequest&) const = default;
};
/// What became of an item.
struct PackOutcome {
  JobId job;              ///< 0: it was refused
  std::uint8_t code = 0;  ///< wm::Code, 0 = submitted
  std::string text;       ///< its queue, or why not
  bool default_queue = false;
  std::vector<std::string> warnings;  ///< as SubmitReply has them
  std::vector<OptionChange> instead;  ///< as SubmitReply has them; `code` is 0
  bool operator==(const PackOutcome&) const = default;
};
struct PackReply {
  std::vector<PackOutcome> items;  ///< in the order of the request
  bool operator==(const PackReply&) const = default;
};

}  // namespace wm

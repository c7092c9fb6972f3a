// Role: dependency conditions (bsub -w): parsed once, its names turned into job numbers by the
// master at submission, evaluated in every scheduling pass. Pure.
//
//   or:   and { || and }      and: not { && not }      not: ! not | ( or ) | term
//   term: condition ( job [, [op] number | *] ) | job                 a job alone means done(job)
//   job:  123 | 123[4] | 123[*] | name | name[4] | "name" | "name*"
//
// A condition is met, or not yet, or never: what a job that is over fails to meet stays so.
// @source IBM Spectrum LSF, bsub -w: conditions, operators and their meaning
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"

namespace wm::expr {

/// How a job stands, as far as conditions ask.
struct JobStanding {
  bool started = false, over = false, done = false, pending = false, held = false;
  bool running = false;
  std::vector<std::string> notes;  ///< texts of the messages left at it (bpost)
  int exit_code = 0;               ///< of one that is over; 128 + signal when a signal ended it
};

/// One term of a condition.
struct DependTerm {
  enum class Kind : std::uint8_t { Done, Ended, Exit, Started, PostDone, PostErr, Count, External };
  /// What a Count counts.
  enum class State : std::uint8_t { Done, Ended, Exit, Running, Started, Pending, Held };
  /// How a number is compared; All: every element (*).
  enum class Op : std::uint8_t { None, Eq, Ne, Lt, Le, Gt, Ge, All };
  Kind kind = Kind::Done;
  State counted = State::Done;
  Op op = Op::None;
  std::int64_t number = 0;
  std::string text;      ///< of External: the message that is waited for
  std::string name;      ///< as written, while `job` is not known; may end with '*'
  JobId job;             ///< index 0: the whole array, or a plain job
  bool element = false;  ///< [*]: the element with the index of the one that waits
  bool operator==(const DependTerm&) const = default;
};

/// Whether a condition holds.
enum class Verdict : std::uint8_t { Met, Waiting, Never };

/// The standings of a job, or of every element of an array; empty: it is not known (any more).
using Standings = std::function<std::vector<JobStanding>(JobId job)>;
/// The numbers of the jobs that a name means. @errors NotFound: none
using NamedJobs = std::function<Result<std::vector<std::uint32_t>>(const std::string& name)>;

/// A parsed condition; empty = always met. A value.
class Depend {
 public:
  Depend() = default;

  /// @errors BadArgument: "Dependency condition syntax error", with the place
  /// @cost O(length); at most 200 levels deep and 1,000 terms
  static Result<Depend> parse(std::string_view text);

  /// Replaces every name by its jobs: of several, all must satisfy the term.
  /// @errors those of `find`; Limit: more than 1,000 terms
  Result<void> resolve(const NamedJobs& find);

  /// Whether it holds for the element with this index (0: a plain job).
  /// @cost O(terms), each one look-up   @thread any
  Verdict evaluate(const Standings& standings, std::uint32_t index = 0) const;

  /// The terms that are not met, in words: "done(12), ended(13)". @cost as evaluate
  std::string unmet(const Standings& standings, std::uint32_t index = 0) const;

  /// Every job that it names. @cost O(terms)
  std::vector<JobId> jobs() const;
  /// True if it depends on which element asks. @cost O(terms)
  bool by_element() const;
  bool empty() const { return nodes_.empty(); }
  /// The condition again, as parse() reads it. @cost O(terms)
  std::string text() const;

 private:
  friend class DependParser;
  enum class Op : std::uint8_t { Term, Not, And, Or };
  struct Node {
    Op op = Op::Term;
    DependTerm term;
  };
  std::vector<Node> nodes_;  // postfix
};

}  // namespace wm::expr

// Role: questions that wait for a change (Watch, Await): looked at a few times a second for all at
// once, so that a thousand of them cost little. The same question has the same answer, made once.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "daemons/wmasterd/state/journal.h"
#include "daemons/wmasterd/verbs/call.h"
#include "daemons/wmasterd/verbs/changes.h"

namespace wm::master {

/// @thread the loop's
class Watchers {
 public:
  Watchers(Clock& clock, Journal& journal) : clock_(clock), journal_(journal) {}

  /// The answer now, as bytes; none: not yet. `over`: patience has ended, there must be one.
  /// `made`: answers that others got in the same round, by what they asked.
  using Made = std::map<std::string, Result<std::string>>;
  using Look = std::function<std::optional<Result<std::string>>(bool over, Made& made)>;

  /// Answers at once or when there is an answer. @errors (to the caller) Limit
  void add(const Call& call, Duration patience, Look look);
  /// Nobody knows what happened before.
  void on_start() { changes_.forget(journal_.published().seq); }
  void on_published(const Journal::Published& published);
  void on_left(PeerId peer);
  const Changes& changes() const { return changes_; }

 private:
  struct Watcher {
    Call call;
    TimePoint until;
    Look look;
  };
  bool answer(const Watcher& watcher, bool over, Made& made) const;
  void round();
  void soon();

  Clock& clock_;
  Journal& journal_;
  Changes changes_;
  std::vector<Watcher> watchers_;
  bool timed_ = false, news_ = false;
};

}  // namespace wm::master

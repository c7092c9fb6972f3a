// Role: the processes of commands beside the tasks: before them (site's prolog, pre-execution
// commands), after them (copies, post-execution commands, epilog), and while they run
// (notification, warning, controls, checkpoints). What follows of an end is for the caller:
// before.h, shepherd.h.
//
//   start ─► runs ─┬─ exit ──────────────────► SideEnd
//                  ├─ time_limit: SIGKILL ───► SideEnd, late
//                  └─ cancelled: SIGKILL ────► nothing is told
#pragma once

#include "daemons/wshepherd/attempt.h"

namespace wm::shepherd {

/// When it runs.
enum class SideKind : std::uint8_t { Before, After, Notice, Warning, Control, Checkpoint, Copy };

/// How one ended. @units status: as wait(2) gives it
struct SideEnd {
  SideKind kind = SideKind::Before;
  std::uint32_t number = 0;  ///< of a notice
  bool privileged = false;
  bool late = false;  ///< ran into its time limit
  int status = 0;
  std::string text;                             ///< "prolog exited with 1"
  std::optional<launch::EndCause> excess = {};  ///< the limit of the job's that it exceeded
  bool failed() const { return status != 0 || late; }
};

/// How the job ended, for a command that runs after it; nothing where no record says so.
/// @source LSF: LSB_JOBEXIT_STAT is the status of wait(2), LSB_JOBEXIT_INFO names the signal
void add_exit_words(std::vector<std::string>& env, const launch::ExitRecord* record);

/// See the head of this file.
class SideCommands : public Behaviour {
 public:
  explicit SideCommands(Attempt& attempt) : attempt_(attempt) {}
  /// Its end, if it could not be started.
  std::optional<SideEnd> start(launch::SideCommand command, SideKind kind,
                               std::uint32_t number = 0);
  /// None: it is none of these, or nobody waits for it any more.
  std::optional<SideEnd> take_end(const Exit& exit);
  /// Nobody waits for these any more.
  void cancel(SideKind kind);
  /// Nobody waits for those that go beside tasks.
  void finish() override;
  /// The user's have used more than the job may: they are killed, and their ends say why.
  void end_users(launch::EndCause cause, const std::string& text);
  /// Every process of the user's.
  std::vector<pid_t> users_processes() const;
  /// One of the user's runs.
  bool any_users() const;
  /// Kills what has run too long.
  void fire() override;
  std::optional<TimePoint> next() const override;
  bool any() const { return !sides_.empty(); }
  bool runs(SideKind kind, std::uint32_t number = 0) const;
  /// One of the site's own has been started.
  bool site_began() const { return site_began_; }

 private:
  struct Side {
    launch::SideCommand command;
    SideKind kind = SideKind::Before;
    std::uint32_t number = 0;
    std::optional<TimePoint> kill_at;
    bool late = false, cancelled = false;
    Fd trouble;
    std::optional<launch::EndCause> excess = {};
    std::string excess_text = {};
  };
  static SideEnd end_of(const Side& side, int status);

  Attempt& attempt_;
  std::map<pid_t, Side> sides_;
  bool site_began_ = false;
};

}  // namespace wm::shepherd

// Role: the standard streams of a process that an agent serves: a pseudo-terminal or three
// pipes, and how the ends travel from a starting task to its agent.
//
//   task (as the user, before exec) ── frame{task, terminal} + descriptors ──► agent's console
//   keeps the slave / its ends                     socket; the agent keeps master / its ends
//
// Invariant: every descriptor made here is close-on-exec; ends that stay here never block.
#pragma once

#include <cstdint>
#include <string>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/proc/channel.h"

namespace wm::proc {

/// How many lines and columns a terminal shows; 0: unknown, 24 and 80 are taken.
struct TerminalSize {
  std::uint32_t rows = 0, columns = 0;
};

/// The ends that stay with the server of the process. With a terminal `out` is its master,
/// for both directions, and the others are empty.
struct ConsoleEnds {
  bool terminal = false;
  Fd in;   ///< written to
  Fd out;  ///< read from
  Fd err;
};

/// The ends that become a process's 0, 1 and 2. With a terminal only `in` is set: the slave.
struct ProcessEnds {
  Fd in, out, err;
};

/// Both sides of a process's streams.
struct Console {
  ConsoleEnds ours;
  ProcessEnds theirs;
};

/// A fresh terminal or three pipes. @errors System
Result<Console> make_console(bool terminal, const TerminalSize& size);

/// Gives the terminal behind this master another size; its foreground group gets SIGWINCH.
void resize_terminal(int master, const TerminalSize& size);

/// Makes 0, 1 and 2 of this process these ends; a terminal becomes its controlling one.
/// @errors System: the process leads no session, or has a terminal already
Result<void> enter_console(const ProcessEnds& ends);

/// A connection to the agent that listens there, or is about to. @cost blocks
/// @errors Unavailable: none within 10 s; System
Result<Fd> call_agent(const std::string& socket);

/// What a task needs to get its streams from an agent.
struct ConsoleCall {
  const std::string& socket;  ///< where the agent listens
  TaskNumber task;
  bool terminal = false;
  TerminalSize size;
};
/// Makes a console, hands the agent its ends, enters the other. Waits for an agent that is
/// about to listen. @errors System; Unavailable: no agent within 10 s
Result<void> call_console(const ConsoleCall& call);

/// What an agent got.
struct ConsoleArrival {
  TaskNumber task;
  pid_t pid = 0;  ///< of the task, as the kernel says
  ConsoleEnds ends;
};
/// Takes what call_console sent over `fd`. @errors Damaged: something else came   @cost blocks
Result<ConsoleArrival> receive_console(int fd);

}  // namespace wm::proc

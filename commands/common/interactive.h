// Role: sessions inside a running job for its owner: the console of an interactive job
// (bsub -I, -Ip, -Is) and a shell beside a task (battach). The master says where the agent is;
// everything else goes between this process and the agent, so the master may be away.
#pragma once

#include "libwm/base/result.h"
#include "libwm/client/master.h"
#include "libwm/model/node/launch.h"

namespace wm::cmd {

/// Waits for the agent of the job on a task's host. @errors as AttachRequest; Timeout: 60 s
Result<AttachReply> find_door(client::Master& master, const AttachRequest& request);

/// Stays with the console behind a door until the task's streams are at their end.
/// @errors Unavailable: the connection broke, or somebody else has taken over
Result<void> follow_console(const AttachReply& where, bool terminal);

/// Says `first` at a door and carries our streams, with our terminal raw if there is one and
/// `terminal` asks for it. @errors as client::Launch
Result<LaunchEnded> converse(const AttachReply& where, const ToLaunch& first, bool terminal);

}  // namespace wm::cmd

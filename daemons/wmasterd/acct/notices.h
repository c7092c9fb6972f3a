// Role: what owners of jobs asked to be told of (bsub -notify), made of durable events: a mail, a
// JSON document for URLs and for the site's notify_command. Pure; rim/notifier.h sends them.
// @source LSF bsub -notify
#pragma once

#include <string>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::master {

/// One thing that happened, to all who are to know.
struct Notice {
  Seq seq;  ///< of its event
  JobId job;
  std::string owner;
  std::string mail;               ///< the whole message; empty: nobody is mailed
  std::vector<std::string> urls;  ///< that `json` is posted to
  std::string json;               ///< one object in one line
  std::string sendmail, command;  ///< as wm.conf has them; no command: none is run
};

/// The notices of these events, by time. A start is told once an attempt, by its first task; an
/// end once; what waited of an array that is ended is told as one. `after`: what the events have
/// made of the cluster. @cost O(events), and O(elements) of an array that is ended
std::vector<Notice> notices_of(const std::vector<Event>& events, const Cluster& after);

}  // namespace wm::master

// Role: what wmtop has on its screen: a state of values in, lines out; what keys and news do to
// that state. Pure: the terminal, the clock and the master are the command's.
//
//   lists of the master ─► take ─┐
//   changes (Watch) ──────► tell ─┼─► TopState ─► top_lines ─► the terminal
//   keys ─────────────────► press ┘
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "libwm/model/verbs/verbs.h"
#include "libwm/model/verbs/watch_verbs.h"

namespace wm::view {

/// How a line is to look.
enum class TopStyle : std::uint8_t { Plain, Strong, Heading, Faint, Alert };

/// One line of the screen, no longer than the screen is wide.
struct TopLine {
  std::string text;
  TopStyle style = TopStyle::Plain;
  bool operator==(const TopLine&) const = default;
};

/// A job that became larger or smaller.
struct TopResize {
  WallTime at{};
  JobId job;
  std::string user, name;
  std::uint32_t from = 0, to = 0;
  bool operator==(const TopResize&) const = default;
};

/// What is below the heading.
enum class TopPage : std::uint8_t { Jobs, Hosts, Plans, Help };

/// Everything that the screen is made of.
struct TopState {
  std::string cluster;
  WallTime now{};
  int rows = 24, columns = 80;
  std::vector<JobView> jobs;
  std::vector<HostView> hosts;
  std::vector<PlanView> plans;
  std::map<std::string, std::deque<std::uint32_t>> used;  ///< by plan: slots, oldest first
  std::deque<TopResize> resizes;                          ///< newest first
  std::map<JobId, std::uint32_t> slots;                   ///< that a running job was told to hold
  TopPage page = TopPage::Jobs;
  std::size_t first = 0;  ///< line of the page that stands on top
  std::string filter;     ///< only what has it in one of its cells
  bool typing = false;    ///< the filter is being typed
  bool paused = false;
  bool over = false;    ///< wants to be left
  std::string trouble;  ///< why there is nothing new; empty: there is
};

/// Keys that are no characters.
enum class TopKey : std::uint8_t {
  Character,
  Up,
  Down,
  PageUp,
  PageDown,
  Home,
  Erase,
  Enter,
  Escape
};

/// The lists as they are now; a sample of what each plan uses. @cost O(jobs + hosts + plans)
void take(TopState& state, std::vector<JobView> jobs, std::vector<HostView> hosts,
          std::vector<PlanView> plans);
/// A change of a job: a running one that holds more or fewer slots than before was resized.
/// @cost O(log jobs)
void tell(TopState& state, const JobChange& change);
/// A key. @cost O(1)
void press(TopState& state, TopKey key, char character = 0);

/// The screen: exactly `rows` lines. @cost O(jobs + hosts + plans)
std::vector<TopLine> top_lines(const TopState& state);

/// Slots over time as characters, the newest on the right: ' ' none … '@' `most` of them.
/// @cost O(width)
std::string sparkline(const std::deque<std::uint32_t>& used, std::uint32_t most, std::size_t width);

}  // namespace wm::view

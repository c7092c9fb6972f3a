// Role: what accounting keeps, as rows folded from the durable events: pure. bhist reads
// them back; folding all events again gives the same rows (badmin rebuild-acct).
#pragma once

#include <map>
#include <set>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"
#include "libwm/model/verbs/acct.h"
#include "libwm/store/acct/acct_rows.h"

namespace wm::master {

/// What the next event of a job's history counts from. Kept for unfinished jobs only.
struct JobLine {
  std::uint32_t tasks = 0;        ///< wanted, after the newest event
  std::set<TaskNumber> unwanted;  ///< not counted in `tasks`, though their ends are still to come
  std::uint32_t ended = 0;        ///< tasks that are over, of a job that is no elastic one
  std::uint32_t told_free = 0;    ///< of these, how many the history says
  WallTime freed{};               ///< when it said so last
  std::uint32_t world = 0;        ///< members of the newest epoch
  EpochNumber epoch;
  store::JobEventRow epoch_row;  ///< replaced once the epoch's pause is known
  bool started = false;
  std::uint32_t requeues = 0;
  bool unknown = false;  ///< its host is silent
};
using JobLines = std::map<JobId, JobLine>;

/// The line of a job as the state knows it: what a restart begins with.
JobLine line_of(const Job& job);

/// Rows of one event. `after` is the state of the group that the event became durable
/// with: starts, ends and the job's own row are read from it. Elements of an array have a row
/// from the submission on; what happens to all of them before they begin is the array's event.
/// @cost O(event + tasks of its job); of an array as a whole O(elements)
store::AcctRows fold(JobLines& lines, const Event& event, const Cluster& after);

/// "train", of an element "train[3]".
std::string name_of(const store::JobRow& row);

/// A job and its history, as bhist gets them, from their rows.
HistoryJob history_of(const store::JobRow& job, const std::vector<store::JobEventRow>& events);

}  // namespace wm::master

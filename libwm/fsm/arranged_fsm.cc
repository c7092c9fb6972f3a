// What people arrange: advance reservations, job groups, messages at jobs, hosts to move to.
#include <algorithm>

#include "libwm/fsm/edit.h"

namespace wm::fsm {

void apply_to(Cluster& c, const ReservationSet& e, WallTime, Touched& t) {
  c.reservations.edit()[e.reservation.name] = e.reservation;
  t.schedule = true;
}

void apply_to(Cluster& c, const ReservationRemoved& e, WallTime, Touched& t) {
  c.reservations.edit().erase(e.name);
  t.schedule = true;
}

void apply_to(Cluster& c, const JobGroupSet& e, WallTime, Touched& t) {
  c.job_groups.edit()[e.path] = e.group;
  t.schedule = true;
}

void apply_to(Cluster& c, const JobGroupRemoved& e, WallTime, Touched& t) {
  c.job_groups.edit().erase(e.path);
  t.schedule = true;
}

// By index; one with the same index is taken over.
void apply_to(Cluster& c, const JobNoted& e, WallTime, Touched& t) {
  JobNotes& notes = edit_job(c, e.job).notes;
  auto at =
      std::lower_bound(notes.begin(), notes.end(), e.note.index,
                       [](const JobNote& note, std::uint32_t index) { return note.index < index; });
  if (at != notes.end() && at->index == e.note.index) *at = e.note;
  else notes.insert(at, e.note);
  t.jobs.insert(e.job);
}

void apply_to(Cluster& c, const JobRelocated& e, WallTime, Touched& t) {
  edit_job(c, e.job).waits.only_hosts = e.hosts;
  t.jobs.insert(e.job);
  t.schedule = true;
}

}  // namespace wm::fsm

// Field tables of model/verbs/group_verbs.h. Tags are append-only.
#include "libwm/model/verbs/group_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/codec/selection_fields.h"

namespace wm {

WM_FIELDS(GroupRequest) {
  f(1, s.request_key), f(2, s.act), f(3, s.path), f(4, s.with_limit), f(5, s.limit);
}
WM_FIELDS(GroupReply) { f(1, s.path); }
WM_FIELDS(GroupsRequest) {}
WM_FIELDS(GroupsReply) { f(1, s.groups), f(2, s.active); }
WM_FIELDS(PostRequest) { f(1, s.request_key), f(2, s.job), f(3, s.note); }
WM_FIELDS(PostReply) { f(1, s.index); }
WM_FIELDS(NotesRequest) { f(1, s.job); }
WM_FIELDS(NotesReply) { f(1, s.notes); }
WM_FIELDS(RunNowRequest) { f(1, s.request_key), f(2, s.job), f(3, s.hosts); }
WM_FIELDS(RunNowReply) { f(1, s.hosts); }
WM_FIELDS(MigrateRequest) { f(1, s.request_key), f(2, s.jobs), f(3, s.hosts); }
WM_FIELDS(ConfRequest) {}
WM_FIELDS(ConfReply) { f(1, s.config); }
WM_FIELDS(PerfmonRequest) { f(1, s.act), f(2, s.period); }
WM_FIELDS(PerfmonMetric) {
  f(1, s.name), f(2, s.current), f(3, s.max), f(4, s.min), f(5, s.avg), f(6, s.total);
}
WM_FIELDS(PerfmonReply) {
  f(1, s.lines), f(530, s.on), f(531, s.start), f(532, s.end), f(533, s.period);
  f(534, s.metrics), f(535, s.fds_used), f(536, s.fds);
}

}  // namespace wm

WM_CODEC(wm::GroupRequest)
WM_CODEC(wm::GroupReply)
WM_CODEC(wm::GroupsRequest)
WM_CODEC(wm::GroupsReply)
WM_CODEC(wm::PostRequest)
WM_CODEC(wm::PostReply)
WM_CODEC(wm::NotesRequest)
WM_CODEC(wm::NotesReply)
WM_CODEC(wm::RunNowRequest)
WM_CODEC(wm::RunNowReply)
WM_CODEC(wm::MigrateRequest)
WM_CODEC(wm::ConfRequest)
WM_CODEC(wm::ConfReply)
WM_CODEC(wm::PerfmonRequest)
WM_CODEC(wm::PerfmonReply)

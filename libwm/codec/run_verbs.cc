// Field tables of model/verbs/run_verbs.h. Tags are append-only.
#include "libwm/model/verbs/run_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/codec/run_fields.h"
#include "libwm/codec/view_fields.h"

namespace wm {

WM_FIELDS(RunQuery) {
  f(1, s.jobs), f(2, s.user), f(3, s.queue), f(4, s.app), f(5, s.plan), f(6, s.project);
  f(7, s.framework), f(8, s.service), f(9, s.bundle), f(10, s.label), f(11, s.tag), f(12, s.name);
  f(13, s.states), f(14, s.kind), f(15, s.search), f(16, s.executions), f(17, s.starred);
  f(18, s.shelved), f(19, s.text), f(20, s.submitted_from), f(21, s.submitted_to);
  f(22, s.ended_from), f(23, s.ended_to), f(24, s.from), f(25, s.to), f(26, s.oldest_first);
}
WM_FIELDS(RunsRequest) { f(1, s.query), f(2, s.limit), f(3, s.whole), f(4, s.count); }
WM_FIELDS(RunFacts) {
  f(1, s.job), f(2, s.state), f(3, s.kept), f(4, s.closed), f(5, s.elements), f(6, s.counts);
  f(7, s.given), f(8, s.left_out), f(9, s.words);
}
WM_FIELDS(RunView) { f(1, s.facts), f(2, s.parts); }
WM_FIELDS(RunViewBytes) { f(1, s.facts), f(2, s.parts); }
WM_FIELDS(RunsReply) { f(1, s.runs), f(2, s.next), f(3, s.count); }
WM_FIELDS(RunsReplyBytes) { f(1, s.runs), f(2, s.next), f(3, s.count); }
WM_FIELDS(DeleteRunsRequest) { f(1, s.request_key), f(2, s.runs); }
WM_FIELDS(DescribeRunRequest) { f(1, s.request_key), f(2, s.run), f(3, s.words), f(4, s.known); }
WM_FIELDS(DescribeRunReply) { f(1, s.words); }
WM_FIELDS(ArchiveRequest) { f(1, s.rebuild); }
WM_FIELDS(ArchiveReply) {
  f(1, s.runs), f(2, s.described), f(3, s.waiting), f(4, s.bytes), f(5, s.mark), f(6, s.trouble);
  f(7, s.filling);
}
WM_FIELDS(PackedRun) {
  f(1, s.first), f(2, s.others), f(3, s.given), f(4, s.closed), f(5, s.elements), f(6, s.counts);
}

}  // namespace wm

WM_CODEC(wm::RunsRequest)
WM_CODEC(wm::RunsReply)
WM_CODEC(wm::RunsReplyBytes)
WM_CODEC(wm::DeleteRunsRequest)
WM_CODEC(wm::DescribeRunRequest)
WM_CODEC(wm::DescribeRunReply)
WM_CODEC(wm::ArchiveRequest)
WM_CODEC(wm::ArchiveReply)
WM_CODEC(wm::PackedRun)

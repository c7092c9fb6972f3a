// Role: bytes of jobs, hosts and the cluster (model/job.h, host.h, reason.h, cluster.h).

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

WM_CODEC(wm::JobSpec)
WM_CODEC(wm::SealedSpec)
WM_CODEC(wm::Job)
WM_CODEC(wm::Host)

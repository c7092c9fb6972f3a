// Role: bytes of an elastic job's words (model/elastic.h).

#include "libwm/codec/codec.h"
#include "libwm/codec/elastic_fields.h"

WM_CODEC(wm::FromWorker)
WM_CODEC(wm::ToWorker)
WM_CODEC(wm::AgentOrder)
WM_CODEC(wm::NodeToAgent)
WM_CODEC(wm::AgentReport)
WM_CODEC(wm::AgentToLead)
WM_CODEC(wm::LeadToAgent)

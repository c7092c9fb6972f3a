// Role: fields of LSF's bjobs -o beside our own table: those that another field of ours says
// already in other words, and those that mean nothing here, which are "-". Clients ask for any of
// them, and an unknown name would cost them the whole answer. Of this folder only.
// @source LSF 10.1: bjobs -o, table of fields and aliases
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libwm/view/job_fields.h"

namespace wm::view {

/// The job that is shown, and what was asked for. @cost O(1)
inline const Job& job_of(const ShownJob& s) { return *s.view->job; }
inline const JobSpec& spec_of(const ShownJob& s) { return s.view->job->spec(); }

/// The rows, in LSF's order. @cost O(1)
std::span<const Field<ShownJob>> lsf_job_fields();

/// "3.5 Mbytes", "100.0 Kbytes" of less than one; empty for none. @cost O(1)
std::string mbytes_text(Bytes bytes);

}  // namespace wm::view

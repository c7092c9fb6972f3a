// Role: bjobs' own tables and its long form, as texts: pure, tested without a cluster.
// @source LSF bjobs (lsf-surface 3.1, 3.6): widths, headings, wrapping
#pragma once

#include <span>
#include <string>

#include "libwm/view/job_fields.h"

namespace wm::view {

/// Which default table.
enum class TableStyle { Narrow, Wide, WideMore };

/// The default table, -w or -W. With `short_hosts`, "4*hostA" stands for repeats in the
/// narrow one (LSB_SHORT_HOSTLIST=1). @cost O(text)
std::string job_table(std::span<const ShownJob> jobs, TableStyle style, bool with_header,
                      bool short_hosts);

/// -A: one line per job array. @cost O(jobs)
std::string array_table(std::span<const ShownJob> jobs, bool with_header);
/// bjobs -sum: the slots of these jobs by state; held ones are pending. @cost O(jobs)
std::string sum_table(std::span<const ShownJob> jobs, bool with_header);

/// bjobs -psum: how many of these jobs wait for each reason, the commonest first. @cost O(reasons)
std::string pend_sum_text(std::span<const ShownJob> jobs);

/// -l: everything about one job, wrapped at 80 columns; ends with a newline.
/// @cost O(text)
std::string long_text(const ShownJob& job);

/// -l of several jobs, 78 dashes between them. With `unwrapped` (-UF) lines stay whole.
std::string long_texts(std::span<const ShownJob> jobs, bool unwrapped);

}  // namespace wm::view

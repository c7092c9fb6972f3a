// Role: pages that were kept long enough are removed, and nothing else: report_dir may be a folder
// that others have files in, too.
//
//   report_dir ─► 2026 ─► 10 ─► day-2026-10-25.html   each opened from the one before it
//
// Invariant: what wmreport did not make stays: other names, files elsewhere, of other accounts, or
// that are no plain files; links are not followed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wm::cmd {

/// Whether write_report names its files so, or a draft of one.
bool is_page_name(std::string_view name);

/// Removes pages that were last written before `oldest`; how many. What cannot be removed stays for
/// the next time. @units seconds since 1970   @cost O(files below the folders of months)
std::size_t remove_old_pages(const std::string& dir, std::int64_t oldest);

}  // namespace wm::cmd

// Role: what a failed task said last, cut and worded for its job's output and report.
// Pure: bytes in, text out. Called by the shepherd's user part.
#pragma once

#include <string>
#include <string_view>

#include "libwm/launch/launcher.h"

namespace wm::launch {

/// Of a task's stderr so much is repeated in the output of its job.
inline constexpr std::size_t kLastWords = 4096;

/// Longest line of a record. @units bytes
inline constexpr std::size_t kLongestReason = 200;

/// The last line that says something, without control characters and cut to what fits in a
/// record, or to `most`; empty: none does. @cost O(bytes)
std::string last_line(std::string_view bytes, std::size_t most = kLongestReason);

/// So much of a file is read for the reason of a failure: of an error file its beginning, of stderr
/// its end. @units bytes
inline constexpr std::size_t kReasonBytes = 64 << 10;

/// What it means when NCCL says in `text` that two ranks are on one device; empty: it does not.
/// @cost O(bytes) @source NCCL, src/init.cc: "Duplicate GPU detected : rank 1 and rank 0 both on
/// CUDA device 19000"
std::string shared_device_line(std::string_view text);

/// Why a failed task failed, by the end of its stderr: that two ranks share a device; else its last
/// line; where that is torchrun's summary of failed processes, the exception of the one that failed
/// first, or else the last that was raised before it. As last_line() cuts it; empty: nothing was
/// said. @cost O(bytes)
/// @source torch.distributed.elastic.multiprocessing.errors: ChildFailedError
std::string failure_line(std::string_view err);

/// The first line of the message in an error file of torchrun's, which a script's @record writes;
/// empty: it is none. @cost O(bytes)
/// @source torch.distributed.elastic.multiprocessing.errors: {"message": {"message": ..}} or
/// {"message": ..}
std::string error_file_line(std::string_view json);

/// A block for the job's output: who failed and how, then the last kLastWords of `bytes`, from the
/// beginning of a line if one begins there. Empty if nothing was said. @cost O(bytes)
std::string failure_block(const ExitRecord& record, std::string_view host, std::string_view bytes);

}  // namespace wm::launch

// Role: reading the small text files of /proc and of control groups, of which only the parts that
// this folder needs are understood. Shared by tree.cc, meter.cc and cgroup.cc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace wm::proc {

/// All bytes of a file; empty when it cannot be read. @cost one open, a few reads
std::string read_whole(const std::string& path);
/// "/proc/PID/file". @cost O(1)
std::string proc_path(pid_t pid, const char* file);
/// The words of a stat file from the state on: the command's name before may hold anything.
/// Empty: no such process. @owns borrowed from `text`
std::string_view stat_words(const std::string& text);
/// Word n (from 0) as a number; 0 when there is none. @cost O(text)
std::uint64_t stat_number(std::string_view words, int n);

}  // namespace wm::proc

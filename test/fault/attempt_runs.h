// Role: attempts that tests run on a real zygote to see what becomes of them. Included by tests of
// this folder only.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "libwm/proc/exit_log.h"
#include "test/support/zygote.h"

namespace wm::test {

inline launch::ExitRecord run_to_end(Zygote& zygote, const launch::AttemptSpec& spec) {
  auto fd = zygote.start(spec);
  auto record = await<launch::TaskEnded>(fd).record;
  await<launch::AttemptEnded>(fd);
  return record;
}

inline launch::ExitRecord run_shell(Zygote& zygote, std::uint32_t job, const std::string& command) {
  return run_to_end(zygote, shell_attempt(zygote, job, command));
}

/// Waits for the file a task writes when it has come so far.
inline void await_file(const Zygote& zygote, const std::string& name) {
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(zygote.folder + "/" + name); }))
      << name;
}

}  // namespace wm::test

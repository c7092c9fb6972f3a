// Role: a pipe in tests, neither end of which waits. Included by tests of this folder only.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "libwm/proc/channel.h"

namespace wm::wagent {

struct Pipe {
  Fd read, write;
  Pipe() {
    int fds[2];
    EXPECT_EQ(::pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
    read.reset(fds[0]);
    write.reset(fds[1]);
  }
};

}  // namespace wm::wagent

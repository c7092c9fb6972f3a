// What the master's workers do side by side.
#include "daemons/wmasterd/rim/real_env.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <string>
#include <vector>

#include "libwm/files/fd.h"

namespace wm::master {
namespace {

/// A master's env in a folder of its own; what runs in its pools is held up by latches.
struct EnvDesk {
  EnvDesk() {
    std::filesystem::remove_all(dir);
    std::filesystem::create_directories(dir);
    RealEnvOptions options;
    options.state_dir = dir.string();
    options.store_reserve = Bytes{4096};
    options.suggester = dir.string() + "/suggest";
    auto made = RealEnv::make(loop, std::move(options));
    if (made) env = *std::move(made);
  }
  ~EnvDesk() {
    if (env) env->stop();
    std::filesystem::remove_all(dir);
  }
  std::filesystem::path dir =
      std::filesystem::path(testing::TempDir()) / ("wm_real_env_" + std::to_string(::getpid()));
  boost::asio::io_context loop;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard =
      boost::asio::make_work_guard(loop);
  std::unique_ptr<RealEnv> env;
};

TEST(real_env, neither_passes_nor_what_is_urgent_waits_behind_answers_and_reads) {
  EnvDesk desk;
  ASSERT_TRUE(desk.env);
  std::latch read(1);
  int answered = 0, passed = 0, looked = 0;
  for (int i = 0; i < 8; ++i) {
    desk.env->answer([&] { read.wait(); }, [&] { ++answered; });
    desk.env->read_store([&] { read.wait(); }, [&] { ++answered; });
  }
  desk.env->work([] {}, [&] { ++passed; });
  desk.env->urgent([] {}, [&] { ++looked; });
  desk.env->kept_reply(std::string(16, 'k'), [&](auto kept) { looked += kept.has_value(); });
  while (passed < 1 || looked < 2) desk.loop.run_one();
  EXPECT_EQ(answered, 0);
  read.count_down();
  while (answered < 16) desk.loop.run_one();
}

TEST(real_env, answers_of_the_state_do_not_wait_behind_reads_of_the_store) {
  EnvDesk desk;
  ASSERT_TRUE(desk.env);
  std::latch read(1);
  int answered = 0, was_read = 0;
  for (int i = 0; i < 8; ++i) desk.env->read_store([&] { read.wait(); }, [&] { ++was_read; });
  desk.env->answer([] {}, [&] { ++answered; });
  while (answered < 1) desk.loop.run_one();
  EXPECT_EQ(was_read, 0);
  read.count_down();
  while (was_read < 8) desk.loop.run_one();
}

// The hard one is answered once the other has been: a single child would never come to that.
TEST(real_env, a_search_that_is_thought_about_keeps_no_other_waiting) {
  EnvDesk desk;
  ASSERT_TRUE(desk.env);
  auto pipe = desk.dir.string() + "/enough", program = desk.dir.string() + "/suggest";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::ofstream(program) << "#!/bin/sh\nwhile read -r line; do [ \"$line\" = hard ] && read -r x <"
                         << pipe << "; echo \"$line\"; done\n";
  ::chmod(program.c_str(), 0755);
  Fd enough(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));  // what is written stays there to be read
  std::vector<std::string> answers;
  auto keep = [&](const Result<std::string>& answer) {
    answers.push_back(answer ? *answer : "none");
  };
  desk.env->suggest("hard", std::chrono::seconds(20), keep);
  desk.env->suggest("easy", std::chrono::seconds(20), [&](const Result<std::string>& answer) {
    keep(answer);
    EXPECT_EQ(::write(enough.get(), "x\n", 2), 2);
  });
  while (answers.size() < 2) desk.loop.run_one();
  EXPECT_EQ(answers, (std::vector<std::string>{"easy", "hard"}));
}

}  // namespace
}  // namespace wm::master

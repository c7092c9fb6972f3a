// A master that lies is refused by the host, field by field; what profile and queue add is what
// the host's own configuration says.
#include "daemons/wnoded/attempts/signed_order.h"

#include <gtest/gtest.h>

#include <functional>

#include "libwm/base/hash.h"
#include "libwm/codec/codec.h"
#include "test/support/node_core.h"

namespace wm::node {
namespace {

// An order as an honest master makes it: what the submitter left open is filled in.
HostOrder honest() {
  JobSpec spec;
  spec.owner = {1000, 100, "u1"};
  spec.program.command = "./train";
  spec.program.cwd = "/home/u1";
  spec.program.script_hash = hash_of("#!/bin/sh\n");
  spec.program.env_hash = hash_of("A=1");
  HostOrder order;
  order.job = {7, 0};
  order.attempt = Attempt{1};
  order.sealed.spec = codec::encode(spec);
  order.sealed.credential = "signed";
  order.sealed.request_key = std::string(16, 'k');
  order.blobs.script = "#!/bin/sh\n";
  order.blobs.env = "A=1";
  spec.queue = "normal";
  spec.app = "batch";
  spec.name = "./train";
  spec.plan = "/";
  spec.task.mem = Bytes{1 << 20};
  spec.run_limit = std::chrono::hours(1);
  order.resolved = spec;
  return order;
}

TEST(signed_order, what_the_submitter_left_open_the_master_may_fill_in) {
  EXPECT_TRUE(check_as_signed(honest()));
}

TEST(signed_order, a_master_that_lies_in_a_field_is_refused_and_the_field_named) {
  struct Lie {
    const char* field;
    std::function<void(HostOrder&)> tell;
  };
  const Lie lies[] = {
      {"command", [](auto& o) { o.resolved.program.command = "rm -rf ~"; }},
      {"script", [](auto& o) { o.resolved.program.script_hash = hash_of("x"); }},
      {"script", [](auto& o) { o.blobs.script = "#!/bin/evil\n"; }},
      {"environment", [](auto& o) { o.resolved.program.env_hash = hash_of("x"); }},
      {"environment", [](auto& o) { o.blobs.env = "LD_PRELOAD=/tmp/x.so"; }},
      {"working directory", [](auto& o) { o.resolved.program.cwd = "/tmp"; }},
      {"home", [](auto& o) { o.resolved.program.home = "/tmp"; }},
      {"shell", [](auto& o) { o.resolved.program.shell = "/tmp/sh"; }},
      {"umask", [](auto& o) { o.resolved.program.umask = 0; }},
      {"submission host", [](auto& o) { o.resolved.program.submit_host = "evil"; }},
      {"input file", [](auto& o) { o.resolved.files.in = "/home/u1/.ssh/id"; }},
      {"output file", [](auto& o) { o.resolved.files.out = "/home/u1/.bashrc"; }},
      {"error file", [](auto& o) { o.resolved.files.err = "/home/u1/.bashrc"; }},
      {"output overwritten", [](auto& o) { o.resolved.files.out_overwrite = true; }},
      {"errors overwritten", [](auto& o) { o.resolved.files.err_overwrite = true; }},
      {"input spooled", [](auto& o) { o.resolved.files.in_spooled = true; }},
      {"file copies", [](auto& o) { o.resolved.files.copies.emplace_back(); }},
      {"streams", [](auto& o) { o.resolved.console.streams = Streams::Pipes; }},
      {"pre-execution command", [](auto& o) { o.resolved.side.pre = "evil"; }},
      {"post-execution command", [](auto& o) { o.resolved.side.post = "evil"; }},
      {"warning action", [](auto& o) { o.resolved.side.warn_action = "evil"; }},
      {"notification command", [](auto& o) { o.resolved.side.notify = "evil"; }},
      {"MPI launch", [](auto& o) { o.resolved.mpi = Mpi::Pmix; }},
      {"checkpoints", [](auto& o) { o.resolved.checkpoint.method = "evil"; }},
      {"mail", [](auto& o) { o.resolved.mail.to = "evil@example.org"; }},
      {"tagged output", [](auto& o) { o.resolved.files.tag = true; }},
  };
  for (const auto& lie : lies) {
    auto order = honest();
    lie.tell(order);
    auto verdict = check_as_signed(order);
    ASSERT_FALSE(verdict) << lie.field;
    EXPECT_EQ(verdict.error().code, Code::Denied);
    EXPECT_NE(verdict.error().text.find(std::string("order's ") + lie.field), std::string::npos)
        << verdict.error().text;
  }
}

TEST(signed_order, a_notice_runs_the_signed_command_or_the_profiles_of_this_host) {
  auto order = honest();
  order.change.command = "evil";
  AppConf app;
  app.resize_command = "/opt/site/tell";
  put_own(order, {app, "", ""});
  EXPECT_EQ(order.change.command, "/opt/site/tell");
  JobSpec spec = *codec::decode<JobSpec>(order.sealed.spec);
  spec.side.notify = order.resolved.side.notify = "./mine";
  order.sealed.spec = codec::encode(spec);
  order.change.command = "evil";
  EXPECT_FALSE(check_as_signed(order));
  order.change.command = "./mine";
  EXPECT_TRUE(check_as_signed(order));
}

TEST(signed_order, commands_of_profile_and_queue_are_those_of_this_host) {
  Config config;
  AppConf app;
  app.name = "batch";
  app.pre_exec = "/opt/site/check";
  config.apps = {app};
  QueueConf queue;
  queue.name = "normal";
  queue.post_exec = "/opt/site/clean";
  config.queues = {queue};
  auto order = honest();
  order.app.pre_exec = order.app.post_exec = order.queue_side.pre = "evil";
  order.app.env["LD_PRELOAD"] = "/tmp/x.so";
  order.app.container.image = "evil";
  order.app.warm_imports = {"evil"};
  order.app.command = "evil";
  order.app.resize = ResizeMode::Restart;
  auto own = own_commands(config, order.resolved);
  ASSERT_TRUE(own);
  put_own(order, *own);
  EXPECT_EQ(order.app.pre_exec, "/opt/site/check");
  EXPECT_EQ(order.app.post_exec, "");
  EXPECT_EQ(order.app.command, "");
  EXPECT_TRUE(order.app.env.empty());
  EXPECT_EQ(order.app.container, Container{});
  EXPECT_TRUE(order.app.warm_imports.empty());
  EXPECT_EQ(order.app.resize, ResizeMode::Restart) << "the master's to decide";
  EXPECT_EQ(order.queue_side.pre, "");
  EXPECT_EQ(order.queue_side.post, "/opt/site/clean");
  order.resolved.app = "unheard-of";
  EXPECT_EQ(own_commands(config, order.resolved).error().code, Code::Version);
}

TEST(signed_order, an_order_that_comes_later_is_not_believed_more_than_the_first) {
  auto order = honest();
  auto later = order;
  later.generation = 5;
  EXPECT_TRUE(same_signature(order, later));
  later.sealed.request_key.back() = 'x';
  EXPECT_FALSE(same_signature(order, later));
  later = order;
  later.resolved.owner.uid = 0;
  EXPECT_FALSE(same_signature(order, later));
}

}  // namespace
}  // namespace wm::node

#include "libwm/fsm/first_host.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::fsm {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

JobSpec running(const std::string& command) {
  SpecBuilder builder;
  builder.spec.program.command = command;
  return builder.spec;
}

TEST(first_host, a_command_that_is_started_once_a_host_needs_a_port_to_meet_at) {
  ClusterBuilder c;
  auto torchrun = running("torchrun train.py"), plain = running("./solve");
  EXPECT_TRUE(needs_port(c.config, torchrun));
  EXPECT_TRUE(first_host_goes_first(c.config, torchrun));
  EXPECT_TRUE(needs_port(c.config, running("accelerate launch --cpu train.py")));
  EXPECT_FALSE(needs_port(c.config, plain));
  EXPECT_FALSE(first_host_goes_first(c.config, plain));
}

TEST(first_host, tasks_of_an_elastic_job_do_not_wait_for_the_port_that_the_master_chose) {
  ClusterBuilder c;
  auto rigid = SpecBuilder().app("training").tasks(2, 2).spec;
  auto elastic = SpecBuilder().app("training").tasks(1, 2).elastic().spec;
  EXPECT_TRUE(needs_port(c.config, rigid));
  EXPECT_FALSE(gets_port(c.config, rigid));
  EXPECT_FALSE(first_host_goes_first(c.config, elastic));
  EXPECT_TRUE(gets_port(c.config, elastic));
  elastic.program.command = "torchrun train.py";
  EXPECT_TRUE(needs_port(c.config, elastic));
  EXPECT_FALSE(gets_port(c.config, elastic));
  EXPECT_FALSE(gets_port(c.config, running("./solve")));
}

TEST(first_host, what_runs_before_the_tasks_runs_on_the_first_host_first) {
  ClusterBuilder c;
  auto spec = running("./solve");
  spec.side.pre = "./prepare";
  EXPECT_FALSE(needs_port(c.config, spec));
  EXPECT_TRUE(first_host_goes_first(c.config, spec));
}

}  // namespace
}  // namespace wm::fsm

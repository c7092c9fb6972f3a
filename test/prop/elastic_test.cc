// Property: whatever fails and in whichever order, epochs never overlap, at most the step in
// flight is lost, members always agree, numbers are never reused, and when the faults stop the job
// settles at its wanted size. WM_SEEDS sets how many runs (default 150).
#include <gtest/gtest.h>

#include <cstdlib>

#include "test/prop/elastic_sim.h"

namespace wm::sim {
namespace {

std::uint64_t seeds() {
  const char* text = std::getenv("WM_SEEDS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 150;
}

std::uint64_t first_seed() {
  const char* text = std::getenv("WM_FIRST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

void expect_sound(const ElasticSim& sim, std::uint64_t seed) {
  ASSERT_TRUE(sim.violations().empty()) << "seed " << seed << ": " << sim.violations()[0] << "\n"
                                        << sim.story();
}

TEST(elastic_sim, faults_of_every_kind_leave_one_sound_training) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + seeds(); ++seed) {
    ElasticSim sim({.seed = seed});
    sim.run();
    expect_sound(sim, seed);
    ASSERT_TRUE(sim.is_settled()) << "seed " << seed << "\n" << sim.story();
  }
}

TEST(elastic_sim, without_cuts_the_job_settles_too) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + seeds() / 3; ++seed) {
    ElasticSim sim({.seed = seed, .hosts = 2, .target = 2, .cuts = false});
    sim.run();
    expect_sound(sim, seed);
    ASSERT_TRUE(sim.is_settled()) << "seed " << seed << "\n" << sim.story();
  }
}

TEST(elastic_sim, training_ends_on_every_member_at_the_same_step) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + seeds() / 3; ++seed) {
    ElasticSim sim({.seed = seed, .last_step = 150, .cuts = false, .master_falls = false});
    sim.run();
    expect_sound(sim, seed);
    ASSERT_TRUE(sim.is_complete()) << "seed " << seed << "\n" << sim.story();
  }
}

}  // namespace
}  // namespace wm::sim

#include "daemons/wmasterd/rim/policy_asker.h"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "libwm/proc/policy_command.h"

namespace wm::master {
namespace {

constexpr std::size_t kPolicies = 16;  // as many as submit_policy_at_once allows

}  // namespace

struct PolicyAsker::Pool {
  Pool(boost::asio::io_context& io, std::string socket) : io(io), socket(std::move(socket)) {}
  boost::asio::io_context& io;
  const std::string socket;
  boost::asio::thread_pool policies{kPolicies};  // wait for the site's policy
};

PolicyAsker::PolicyAsker(boost::asio::io_context& loop, std::string socket)
    : pool_(std::make_unique<Pool>(loop, std::move(socket))) {}

PolicyAsker::~PolicyAsker() {
  pool_->policies.stop();
  pool_->policies.join();
}

PolicyAsk PolicyAsker::asker() {
  return [pool = pool_.get()](PolicyQuestion question,
                              std::function<void(Result<std::string>)> done) {
    boost::asio::post(
        pool->policies, [pool, question = std::move(question), done = std::move(done)]() mutable {
          const proc::PolicyRun run{std::move(question.command), question.limit,
                                    std::move(question.lines)};
          auto said =
              pool->socket.empty() ? proc::run_policy(run) : proc::ask_policy_at(pool->socket, run);
          boost::asio::post(pool->io, [done = std::move(done), said] { done(said); });
        });
  };
}

}  // namespace wm::master

#include "libwm/wire/prover.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

namespace wm::wire {

Prover::Prover(boost::asio::io_context& loop, int threads)
    : loop_(loop), threads_(static_cast<std::size_t>(threads)) {}

Prover::~Prover() {
  threads_.stop();
  threads_.join();
}

template <class Ask, class Done>
void Prover::run(Ask ask, Done done) {
  auto work = boost::asio::make_work_guard(loop_);  // the loop must not end meanwhile
  boost::asio::post(threads_, [this, ask, done, work] {
    boost::asio::post(loop_, [answer = ask(), done] { done(answer); });
  });
}

void Prover::encode(std::shared_ptr<Credentials> with, std::string payload, Duration ttl,
                    std::function<void(Result<std::string>)> done) {
  run([with, payload, ttl] { return with->encode(payload, ttl); }, std::move(done));
}

void Prover::check(std::shared_ptr<Credentials> with, CheckProof proof,
                   std::function<void(Result<Signed>)> done) {
  run([with, proof] { return with->decode(proof.credential); }, std::move(done));
}

}  // namespace wm::wire

#include "libwm/client/connection.h"

#include <unistd.h>

#include <optional>
#include <thread>

#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/wire/entropy.h"

namespace wm::client {

namespace {

constexpr std::string_view kStillTrying = "batch system daemon not responding ... still trying";

bool worth_retrying(Code code) {
  return code == Code::Unavailable || code == Code::Timeout || code == Code::Refused;
}

// Where the fault may lie: the line is all that the user may see for hours.
std::string_view remedy(Code code) {
  if (code == Code::Refused) return "nothing listens there: does wmasterd run?";
  return "is master_host of wm.conf right, and the way to it open?";
}

std::string still_trying(const Error& why) {
  return std::string(kStillTrying) + " (" + why.text + "; " + std::string(remedy(why.code)) + ")";
}

// Our own identity service being away is nothing that waiting for the master cures.
Error own_service(const Error& error) {
  return error.code == Code::Unavailable ? fail(Code::System, error.text) : error;
}

}  // namespace

void notice_on_stderr(std::string_view text) {
  auto line = std::string(text) + "\n";
  // A notice that cannot be written is no reason to fail the command.
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

Connection::Connection(ConnectionOptions options) : options_(std::move(options)) {
  options_.session.side = wire::Side::Initiator;
}

Result<wire::Frame> Connection::call(std::uint16_t type, const std::string& payload,
                                     std::optional<Duration> timeout) {
  auto began = steady_now();
  std::optional<RetryPlan> plan;
  for (;;) {
    auto reply = try_once(type, payload, timeout.value_or(options_.request_timeout));
    if (reply) return reply;
    disconnect();
    if (!worth_retrying(reply.error().code)) return reply;
    if (!plan) plan.emplace(options_.retry, random_number());
    auto retry = plan->next(steady_now() - began);
    if (!retry) return reply;
    if (retry->notice && options_.notice) options_.notice(still_trying(reply.error()));
    std::this_thread::sleep_for(retry->delay);
  }
}

Result<wire::Frame> Connection::try_once(std::uint16_t type, const std::string& payload,
                                         Duration timeout) {
  if (!peer_) WM_TRY(establish());
  received_.clear();  // left over from a stream that nobody read to its end
  WM_TRY(auto bytes, session_->seal(type, payload));
  outbound_ += bytes;
  return receive(steady_now() + timeout);
}

Result<wire::Frame> Connection::next(Duration timeout) {
  if (!session_ && received_.empty())
    return fail(Code::Unavailable, to_string(options_.to) + ": no session");
  auto frame = receive(steady_now() + timeout);
  if (!frame && frame.error().code != Code::Timeout) disconnect();
  return frame;
}

Result<void> Connection::send(std::uint16_t type, std::string payload) {
  if (!session_) return fail(Code::Unavailable, to_string(options_.to) + ": no session");
  WM_TRY(auto bytes, session_->seal(type, std::move(payload)));
  outbound_ += bytes;
  auto sent = flush(steady_now() + options_.request_timeout);
  if (!sent) disconnect();  // half a frame may be out
  return sent;
}

bool Connection::also_sign(std::string bytes) {
  also_sign_ = std::move(bytes);
  return !session_ || to_prove_;
}

void Connection::disconnect() {
  socket_.reset();
  session_.reset();
  peer_.reset();
  to_prove_.reset();
  outbound_.clear();
  received_.clear();
}

void Connection::greet() {
  if (!session_ && !begin(steady_now() + options_.hello_timeout)) disconnect();
}

// Up to our hello, which is sent; no answer is awaited.
Result<void> Connection::begin(TimePoint deadline) {
  disconnect();
  WM_TRY(auto socket, Socket::connect(options_.to, deadline));
  auto session = options_.session;
  session.local = socket.local_peer();
  if (session.method == wire::Method::Local && !session.local) {
    return fail(Code::BadArgument, to_string(options_.to) + " is not a unix socket");
  }
  socket_ = std::move(socket);
  session_.emplace(session, wire::fresh_secrets());
  WM_TRY(obey(session_->start()));
  return flush(deadline);
}

Result<void> Connection::establish() {
  auto deadline = steady_now() + options_.hello_timeout;
  Result<void> opened;
  if (!session_) opened = begin(deadline);
  // Our proof is made while the daemon's is on its way.
  if (opened && to_prove_) opened = prove();
  while (opened && !session_->is_open()) opened = exchange(deadline);
  if (!opened) disconnect();
  return opened;
}

Result<void> Connection::prove() {
  auto payload = *std::exchange(to_prove_, {}) + also_sign_;
  auto made = options_.credentials->encode(payload, wire::kProofTtl);
  if (!made) return own_service(made.error());
  return obey(session_->on_proof_made(std::move(made)));
}

Result<wire::Frame> Connection::receive(TimePoint deadline) {
  WM_TRY(flush(deadline));
  while (received_.empty()) WM_TRY(exchange(deadline));
  auto frame = std::move(received_.front());
  received_.pop_front();
  return frame;
}

// Sends what is to be sent, then takes what comes.
Result<void> Connection::exchange(TimePoint deadline) {
  WM_TRY(flush(deadline));
  WM_TRY(auto bytes, socket_->read(deadline));
  return obey(session_->on_bytes(bytes));
}

Result<void> Connection::flush(TimePoint deadline) {
  auto sent = socket_->write(std::exchange(outbound_, {}), deadline);
  // A daemon that refuses us closes without reading on: its reason may be there to read.
  if (!sent && sent.error().code == Code::Unavailable) {
    if (auto last = socket_->read(deadline)) WM_TRY(obey(session_->on_bytes(*last)));
  }
  return sent;
}

Result<void> Connection::obey(wire::SessionActions actions) {
  for (auto& action : actions) WM_TRY(carry_out(action));
  return {};
}

Result<void> Connection::carry_out(wire::SessionAction& action) {
  if (auto* write = std::get_if<wire::Write>(&action)) {
    outbound_ += write->bytes;
  } else if (auto* make = std::get_if<wire::MakeProof>(&action)) {
    to_prove_ = std::move(make->payload);
  } else if (auto* check = std::get_if<wire::CheckProof>(&action)) {
    auto proof = options_.credentials->decode(check->credential);
    if (!proof) return own_service(proof.error());
    return obey(session_->on_proof_checked(std::move(proof)));
  } else if (auto* opened = std::get_if<wire::Opened>(&action)) {
    peer_ = opened->identity;
  } else if (auto* frame = std::get_if<wire::Deliver>(&action)) {
    received_.push_back(std::move(frame->frame));
  } else if (auto* failed = std::get_if<wire::Failed>(&action)) {
    return failed->error;
  }
  return {};
}

}  // namespace wm::client

#include "daemons/wnoded/peeks.h"

#include <utility>

#include "libwm/codec/codec.h"

namespace wm::node {

void Peeks::answer(const PeekRequest& request, const LocalAttempt* attempt) {
  if (!attempt || !attempt->account)
    return reply(request.id,
                 fail(Code::NotFound, "job " + to_string(request.job) + " does not run here"));
  const auto& order = attempt->order;
  OrderedTask wanted;
  wanted.task = request.task;
  auto task = launch::plan_task(order, host_.facts, wanted);
  const auto& files = request.stream == 2 ? task.err : task.out;
  if (files.empty()) return reply(request.id, launch::FileRead{});
  launch::ReadFile read{*attempt->account, order.resolved.program.cwd, files.front(),
                        static_cast<std::int64_t>(request.offset), request.limit};
  host_.env.launcher().read(read, [this, id = request.id](Result<launch::FileRead> done) {
    if (done && !done->trouble.empty()) return reply(id, fail(Code::System, done->trouble));
    reply(id, done);
  });
}

void Peeks::reply(std::uint64_t id, const Result<launch::FileRead>& read) {
  PeekReply words{id, read ? read->bytes : "", read ? "" : read.error().text};
  host_.env.send(NodeVerb::PeekReply, codec::encode(words));
}

}  // namespace wm::node

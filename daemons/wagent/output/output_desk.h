// Role: on the host that writes a job's files: takes what launchers on its other hosts say and
// appends it there, whole lines.
//
//   another host's agent ──RankHello (its host), RankOutput (task, bytes)──► lines ─► -o, -e
//                        ◄─RankTaken (task, bytes) once they are written──┘
//   RankSilent (task) ─► the line it has begun, too ─► RankTaken of no bytes: all of it is written
//   a link that is lost: what came stays
//
// Invariant: a line is written in one piece, and never mixes with another's. Called by HostOutput.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "daemons/wagent/output/output_settings.h"
#include "daemons/wagent/output/shared_file.h"
#include "libwm/base/whole_lines.h"
#include "libwm/model/node/ranks.h"
#include "libwm/wire/transport.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's   @owns the links
class OutputDesk {
 public:
  OutputDesk(boost::asio::io_context& loop, const OutputSettings& settings);

  /// A host's agent comes with these first words.
  void admit(std::unique_ptr<wire::Link> link, const RankHello& hello);
  /// So many other hosts have parts of the job.
  void expect(std::uint32_t others) { others_ = others; }
  /// No task of this host runs any more: `on_idle` is called once, when each of the others has come
  /// and gone. One that has not come within `patience` never will.
  void end(std::function<void()> on_idle, std::chrono::seconds patience);

 private:
  using Number = std::uint64_t;
  using Key = std::pair<std::uint32_t, std::uint32_t>;  ///< task, stream
  struct Guest {
    std::unique_ptr<wire::Link> link;
    std::map<Key, WholeLines> lines;
  };
  void hear(Number number, const wire::Frame& frame);
  void take(Guest& guest, const RankOutput& words);
  void finish(Guest& guest, std::uint32_t task);
  void write_rest(const Key& key, WholeLines& lines);
  void lose(Number number);
  void look();
  SharedFile& file(std::uint32_t stream) { return stream == 2 && has_err_ ? err_ : out_; }

  boost::asio::io_context& loop_;
  SharedFile out_, err_;
  bool has_err_;
  std::uint32_t others_;
  std::set<std::uint32_t> came_;
  std::map<Number, Guest> guests_;
  Number next_ = 1;
  bool patient_ = true;
  std::function<void()> on_idle_;
  boost::asio::steady_timer timer_;
};

}  // namespace wm::wagent

// Role: the output of all ranks of a job (bsub -tag): an agent reads what its ranks write and
// passes it to the agent of the first host, which writes whole lines with their ranks to its own
// descriptors. The shepherd has their other ends.
//
//   rank ─pipe─► agent ──RankOutput──► … ──► first host's agent ─► lines ─► shepherd ─► -o, -e
//                  ◄──────RankTaken───────────────┘ written: so much more may come
//   its end: RankSilent ──► the rest of its lines ──► RankTaken of no bytes for each stream ──►
//   what the shepherd watches (`hold`) is closed: the task has ended, its output is written
//
// Invariant: no more than kLaunchWindow bytes of a rank are under way. Called by RankPort.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "daemons/wagent/launch/stream_set.h"
#include "libwm/model/node/ranks.h"
#include "libwm/ranks/line_tags.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's   @owns the ranks' streams
class TaggedOutput {
 public:
  /// What this agent does with words for the first host, or for a rank's host.
  struct Handlers {
    std::function<void(const RankWords&)> to_first;
    std::function<void(std::uint32_t rank, const RankWords&)> to_rank;
  };
  /// `out`, `err`: the first host's agent's own, where lines go; -1: another host's agent.
  TaggedOutput(boost::asio::io_context& loop, int out, int err, Handlers handlers);
  ~TaggedOutput();

  /// The streams of a rank of this host; `hold` is closed once all it wrote is written.
  void serve(std::uint32_t rank, proc::ConsoleEnds ends, Fd hold);
  void on(const RankOutput& words);
  void on(const RankTaken& words);
  void on(const RankSilent& words);
  /// No rank of this host comes any more: `on_idle` runs once all is passed on, and on the first
  /// host when nothing of `ranks` can come any more.
  void end(std::set<std::uint32_t> ranks, std::function<void()> on_idle);
  /// Nothing of these ranks will come: their host is gone.
  void lose(std::uint32_t first, std::uint32_t count);
  /// The first host is out of reach: nobody waits for what cannot be written.
  void cut_off();

 private:
  struct Source {
    std::shared_ptr<StreamSet> streams;
    Fd hold;
    std::size_t under_way = 0;
    bool over = false;
    int rests = 2;  ///< of its streams, not yet known to be written
  };
  struct Piece {
    std::string text;
    std::uint32_t rank = 0;
    std::uint64_t bytes = 0;  ///< of the rank that this settles
    bool rest = false;        ///< the last of a stream of a rank that hears of it
  };
  struct Sink {
    explicit Sink(boost::asio::io_context& loop) : fd(loop) {}
    boost::asio::posix::stream_descriptor fd;
    std::deque<Piece> waiting;
    bool writing = false;
  };
  bool is_first() const { return out_.fd.is_open(); }
  Sink& sink(std::uint32_t stream) { return stream == 2 && err_.fd.is_open() ? err_ : out_; }
  void put(std::uint32_t stream, Piece piece);
  void write(Sink& sink);
  void settle(const Piece& piece);
  void silence(std::uint32_t rank, bool hears);
  void look();

  boost::asio::io_context& loop_;
  Handlers handlers_;
  Sink out_, err_;
  ranks::LineTags tags_;
  std::map<std::uint32_t, Source> sources_;
  std::set<std::uint32_t> silent_;  ///< on the first host: ranks that write no more
  std::set<std::uint32_t> awaited_;
  bool is_cut_off_ = false;
  std::function<void()> on_idle_;
};

}  // namespace wm::wagent

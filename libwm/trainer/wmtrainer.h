// Role: the C interface of libwmtrainer.so, the in-job runtime of an elastic job. It speaks
// with the agent of this host (link 2 of libwm/elastic/PROTOCOL.md), keeps the step records,
// and does the arithmetic of batches and sample order. The communicator is the caller's:
// torch.distributed, NCCL or MPI.
//
//   open → [wait: PLAN → connect in a thread of yours → connected → switched]* → left | done
//             │ BROKEN, or a collective failed: close the group → faulted → wait: PLAN
//             └ WITHDRAWN: drop the half-made group
//
// Functions return 0, or -1 with the reason in wm_trainer_error(). Handles are made by
// *_open and ended by *_close; a NULL handle is allowed everywhere else and does nothing.
// Invariant: no function waits for another member of the job.
#ifndef WM_TRAINER_H
#define WM_TRAINER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The link of this worker to its host's agent. @thread every function: any, except where it says
/// otherwise; wm_trainer_progress, _exchange and _batch_range: one at a time
typedef struct wm_trainer wm_trainer;

/// What the agent wants. The numbers are part of the ABI and append-only.
enum wm_event_kind {
  WM_EVENT_NONE = 0,        ///< nothing within the time given
  WM_EVENT_PLAN = 1,        ///< an epoch that shall be; see EpochPlan in libwm/model/elastic.h
  WM_EVENT_WITHDRAWN = 2,   ///< a planned epoch will not be
  WM_EVENT_BROKEN = 3,      ///< every group up to `epoch` is dead: abort them now
  WM_EVENT_LEAVE = 4,       ///< end with status 0, or come to a later training (`flag` 1)
  WM_EVENT_STAND = 5,       ///< stop at the next step boundary (`flag` 1) or go on (0)
  WM_EVENT_CHECKPOINT = 6,  ///< rank 0 writes a checkpoint at the next step boundary
  WM_EVENT_CLOSED = 7       ///< wm_trainer_stop was called: nothing is heard any more
};

/// One event. Pointers belong to the library and hold until the next wm_trainer_wait.
typedef struct wm_event {
  int32_t kind;             ///< wm_event_kind
  uint32_t epoch;           ///< epoch it is about, 0 if none
  uint32_t lead;            ///< PLAN: number of the lead that made it
  uint32_t survivors;       ///< PLAN: how many members, from the front, carry state
  int32_t emergency;        ///< PLAN: 1 when there is no old group
  int32_t flag;             ///< STAND: 1 stop, 0 go on; LEAVE: 1 come to a later training
  uint32_t member_count;    ///< PLAN: world size
  const uint32_t* members;  ///< PLAN: [member_count] task numbers in rank order
  const char* rendezvous;   ///< PLAN: "address:port" of rank 0's store
  const char* reason;       ///< for people
} wm_event;

/// Progress of the job as this worker sees it, sent once a second, never per step.
typedef struct wm_progress {
  uint32_t epoch;       ///< epoch of membership
  uint32_t data_epoch;  ///< pass over the data set, from 0
  uint64_t step;        ///< optimizer steps applied
  uint64_t samples;     ///< samples of the whole job, applied
  double loss;
  double accuracy;       ///< of validation, 0..1; negative: none yet
  double step_time_s;    ///< @units seconds, median of late
  double samples_per_s;  ///< of the whole job
  double noise;          ///< gradient noise scale; negative: not measured
} wm_progress;

/// Starts the link. `socket_path` NULL or "": no agent (outside WM); then nothing is ever
/// heard and everything said is dropped. Connects in the background, for ever.
/// @param task $WM_TASK of a worker. 0: a reporter, a program that is no worker and is started
///        again at each size: it is sent no event, and of what it says only wm_trainer_progress
///        counts, with $WM_START as its epoch
/// @param max_tasks the script's engines_number, 0 = no wish
/// @errors path longer than a unix address holds; no memory or threads left
/// @thread any; starts one thread of its own   @owns caller, until wm_trainer_close
int wm_trainer_open(const char* socket_path, uint32_t task, uint32_t max_tasks, wm_trainer** out);

/// The same for a program that has been through `trainings` before, each with a link of its own
/// that is closed: the job's workers begin this one together, and newcomers come to it.
int wm_trainer_open_again(const char* socket_path, uint32_t task, uint32_t max_tasks,
                          uint32_t trainings, wm_trainer** out);

/// Says what is still unsaid (at most 1 s), then ends the link and frees it.
/// @thread after every other user of `t` has stopped
void wm_trainer_close(wm_trainer* t);

/// Makes a waiting wm_trainer_wait return CLOSED, now and later.
void wm_trainer_stop(wm_trainer* t);

/// Waits for the next event, kind NONE when none has come in time, at once when `t` is NULL. Plans
/// that are dead by rule W-3 are never shown. Returns 0 always.
/// @units timeout_ms: milliseconds, negative = without limit
/// @thread one at a time   @owns the library, until the next call
int wm_trainer_wait(wm_trainer* t, int32_t timeout_ms, wm_event* event);

/// The key by which the workers of this job know each other, as its agent told this one. Of use for
/// proofs only; it goes nowhere. @param key out: 32 bytes
/// @units timeout_ms: milliseconds, negative = without limit
/// @errors not told within the time: the agent is not up, or of an earlier version; no agent
int wm_trainer_key(wm_trainer* t, int32_t timeout_ms, unsigned char* key);
/// HMAC-SHA-256 of `size` bytes by such a key. Pure. @param mac out: 32 bytes
void wm_trainer_mac(const unsigned char* key, const void* bytes, size_t size, unsigned char* mac);

/// The model is built; `rendezvous` is the store this worker serves while it lives.
int wm_trainer_ready(wm_trainer* t, const char* rendezvous);
/// The communicator of `epoch` stands; from a leaver: it will leave.
int wm_trainer_connected(wm_trainer* t, uint32_t epoch);
/// The communicator of `epoch` could not be built.
int wm_trainer_connect_failed(wm_trainer* t, uint32_t epoch, const char* text);
/// This worker trains in `epoch` with `step` steps applied. Said again one step later with
/// the pause. @units pause_ns: nanoseconds, negative = not known yet
int wm_trainer_switched(wm_trainer* t, uint32_t epoch, uint64_t step, int64_t pause_ns);
/// All groups up to `epoch` are closed here; `step` steps are applied.
int wm_trainer_faulted(wm_trainer* t, uint32_t epoch, uint64_t step, const char* text);
/// Left out of the epoch after `epoch`, all flushed; exits 0 now.
int wm_trainer_left(wm_trainer* t, uint32_t epoch);
/// The training is complete here.
int wm_trainer_done(wm_trainer* t, uint64_t step);
/// Values for the report of once a second. @cost a lock and a copy
int wm_trainer_progress(wm_trainer* t, const wm_progress* p);
/// What the exchange of gradients adds to a step, for the same report: how the job's speed goes
/// with its size follows from it. @units seconds, median of late; negative: not measured
int wm_trainer_exchange(wm_trainer* t, double exchange_s);
/// This training may choose the samples of a step, for the same report. @units samples: `initial`
/// the batch that its learning rate was made for, 0 = it does not choose; `most` of a step;
/// `at_once` that a worker computes at once
int wm_trainer_batch_range(wm_trainer* t, uint64_t initial, uint64_t most, uint64_t at_once);
/// 1 on entering a collective, 0 on coming out; a plain store. Around saving likewise: who is
/// inside is not taken for one that hangs.
void wm_trainer_in_collective(wm_trainer* t, int32_t inside);

/// Reason of this thread's last -1. @owns the library, until the thread's next failure
const char* wm_trainer_error(void);

/// Step records of one task: `steps.csv` and `ledger.csv` in its log folder.
/// @thread one at a time
typedef struct wm_records wm_records;

/// One applied step. Times are CLOCK_MONOTONIC.
typedef struct wm_step {
  uint64_t step;        ///< number of this optimizer step, the first is 1
  uint32_t epoch;       ///< of membership; 0 outside WM
  uint32_t world;       ///< members that took part
  uint64_t samples;     ///< of the whole job in this step
  int64_t t_begin_ns;   ///< this worker began it
  int64_t t_end_ns;     ///< the optimizer has applied it here
  uint32_t data_epoch;  ///< pass over the data set, from 0
  uint64_t begin;       ///< cursor before: position in the pass's permutation
  uint64_t end;         ///< cursor after; end - begin = samples
  uint64_t offset;      ///< this worker's share starts at begin + offset
  uint64_t size;        ///< length of the share, may be 0
} wm_step;

/// Opens (appends to) the record files in `log_dir`, which must exist; NULL: keeps no files,
/// still computes pauses. Formats: libwm/trainer/FORMAT.md.
/// @errors the folder cannot be written   @owns caller, until wm_records_close
int wm_records_open(const char* log_dir, wm_records** out);
/// Writes one line to each file, at once: a killed worker's last applied step is on file.
/// @param pause_ns out: added pause when this step is the first of an epoch, else -1
/// @errors disk full or gone   @cost two writes
int wm_records_step(wm_records* r, const wm_step* step, int64_t* pause_ns);
void wm_records_close(wm_records* r);

/// Data set and seed from which every pass's order of samples follows, alike on every host.
typedef struct wm_ledger {
  uint64_t samples;  ///< in the data set, >= 1
  uint64_t seed;     ///< the job's
  int32_t shuffle;   ///< 0: every pass in the data set's own order
} wm_ledger;

/// Sample numbers at positions [begin, begin + count) of pass `data_epoch`, and, unless
/// `seeds` is NULL, the seed of each one's augmentation. Pure.
/// @shape out, seeds: [count]   @errors beyond the end of the pass   @cost O(count)
int wm_ledger_samples(const wm_ledger* ledger, uint64_t data_epoch, uint64_t begin, uint64_t count,
                      uint64_t* out, uint64_t* seeds);

/// Part `index` of `whole` divided over `parts`: sizes differ by at most 1, larger ones
/// first. Pure. @errors parts 0 or index >= parts   @cost O(1)
int wm_part(uint64_t whole, uint64_t parts, uint64_t index, uint64_t* first, uint64_t* count);

#ifdef __cplusplus
}
#endif
#endif

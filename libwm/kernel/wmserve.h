// Role: the C interface of libwmserve.so, a kernel's end of an inference service: it connects to
// the service's router, takes batches of requests and gives their answers. Python's redhareapi lies
// over it; a C or C++ program may use it as it is.
//
//   open → [next → data of each task → answer or ready … → done]* → next says 0 → close
//
// Invariants: no function but open and next waits; a kernel told to leave (SIGTERM, after
// wm_kernel_leave_on_term) is given what it has been handed already, and nothing more.
#ifndef WM_SERVE_H
#define WM_SERVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A kernel's place in its service. @thread any, all at a time
typedef struct wm_kernel wm_kernel;
/// Requests to be worked on at once. @thread one at a time
typedef struct wm_batch wm_batch;

/// Connects to the router of the service in `folder`, for at most `patience` seconds, now and
/// whenever the connection is lost. NULL: see wm_kernel_error().
/// @shape instance: unique among the kernels of the service
wm_kernel* wm_kernel_open(const char* folder, const char* instance, double patience);
/// Why the last function of this thread failed. @owns the library, until the next one
const char* wm_kernel_error(void);
/// Says SIGTERM and SIGINT are to mean wm_kernel_leave(). For one kernel of the process.
void wm_kernel_leave_on_term(wm_kernel* kernel);
/// Takes nothing more; every next() says 0 when what was handed is given out.
void wm_kernel_leave(wm_kernel* kernel);
/// Ends it. No other function may be at work.
void wm_kernel_close(wm_kernel* kernel);
/// How many threads are to take batches. @cost O(1)
uint32_t wm_kernel_workers(const wm_kernel* kernel);

/// Waits for a batch. 1: it is in `batch`; 0: leave; -1: the router has been away for `patience`.
int wm_kernel_next(wm_kernel* kernel, wm_batch** batch);

/// How many tasks it has, from 0. @cost O(1)
size_t wm_batch_size(const wm_batch* batch);
/// Number of a task, unique in the service's run; its body, of `size` bytes. @owns the batch
uint64_t wm_batch_task(const wm_batch* batch, size_t task);
const char* wm_batch_data(const wm_batch* batch, size_t task, size_t* size);
/// What its client is told: with `fine` 200 and this body, else 500. Sent by done; the last one
/// counts.
void wm_batch_answer(wm_batch* batch, size_t task, int fine, const char* data, size_t size);
/// The same, sent now; what comes later for this task is dropped.
void wm_batch_ready(wm_batch* batch, size_t task, const char* data, size_t size);
/// Sends the answers and frees the batch; a task without one is an error of the kernel's. No other
/// function may be at work on the batch, and none may be given it afterwards: its memory may be the
/// next one's.
void wm_batch_done(wm_batch* batch);

#ifdef __cplusplus
}
#endif
#endif

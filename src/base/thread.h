/* Work that several threads do together. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#define THREADS_MOST 256

/* As asked, at most THREADS_MOST; 0: one a processor. */
unsigned thread_count(unsigned asked);

/* Runs work(context, worker) with worker = 0 .. threads - 1, each on a thread of its own, this one among
 * them; returns when all are done. Where the system gives fewer threads, the workers that are missing do not
 * run: the work has to be shared out by the workers themselves. Signals are left to the calling thread. */
void threads_run(unsigned threads, void (*work)(void *context, unsigned worker), void *context);

#endif

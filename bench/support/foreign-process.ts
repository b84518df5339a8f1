/** Processor time and memory of processes that are not Node, from /proc (proc(5)). Linux only. */

import { readFileSync } from 'node:fs';

/** USER_HZ: the unit of times in /proc/PID/stat, 100 on every architecture that Node runs on. */
const MICROS_PER_TICK = 10_000;
/** Fields after the command name, which is in parentheses and can contain anything. */
const UTIME_FIELD = 11;
const STIME_FIELD = 12;

/** User and system time since the process started. Granular to 10 ms: measure over seconds. */
export function foreignCpuMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[UTIME_FIELD]) + Number(fields[STIME_FIELD])) * MICROS_PER_TICK;
}

/**
 * Processor time of a process with a single thread, or of one thread: granular to the nanosecond, for short measurements.
 */
export function threadCpuMicros(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1_000;
}

/** How long a thread was ready to run and had no core, since its start; granular to the nanosecond (sched-stats, Linux). */
export function threadWaitMicros(tid: number): number {
  return Number(readFileSync(`/proc/${tid}/schedstat`, 'latin1').split(' ')[1]) / 1_000;
}

/** Proportional set size: pages shared by several processes count in parts. */
export function foreignPssBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? Number.NaN) * 1_024;
}

/** Resident set size: shared pages count in full. */
export function foreignRssBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024;
}

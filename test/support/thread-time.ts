/** Measures the cost of work, however busy the machine is. */

/** Processor time of this thread, in milliseconds. */
export function threadMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

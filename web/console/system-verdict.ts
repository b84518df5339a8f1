/** The few figures that say whether the gateway has room left. Pure. */

import type { Counters, SystemState } from './gateway-state.ts';

/** How full the fullest disk is, in whole percent; null: no size is known. */
export function fullestDiskPercent(disks: SystemState['disks']): number | null {
  const shares = disks.flatMap(({ freeBytes, totalBytes }) =>
    freeBytes === undefined || totalBytes === undefined || totalBytes <= 0
      ? []
      : [1 - freeBytes / totalBytes],
  );
  return shares.length === 0 ? null : Math.round(Math.max(...shares) * 100);
}

/** The newest sample, in whole percent; null: there is none yet. */
export function newestCpuPercent({ counters }: Pick<Counters, 'counters'>): number | null {
  const newest = counters.cpuPercent?.findLast((sample) => sample !== null);
  return newest === undefined || newest === null ? null : Math.round(newest);
}

import { expect, test } from 'vitest';
import { fullestDiskPercent, newestCpuPercent } from './system-verdict.ts';

const disk = (freeBytes?: number, totalBytes?: number) => ({
  use: 'data' as const,
  folder: '/data',
  ...(freeBytes === undefined ? {} : { freeBytes }),
  ...(totalBytes === undefined ? {} : { totalBytes }),
});

test('the fullest disk counts, and one of unknown size does not', () => {
  expect(fullestDiskPercent([disk(80, 100), disk(5, 100), disk()])).toBe(95);
  expect(fullestDiskPercent([disk(), disk(0, 0)])).toBeNull();
});

test('the processor is that of the newest sample', () => {
  expect(newestCpuPercent({ counters: { cpuPercent: [40, 8.6] } })).toBe(9);
  expect(newestCpuPercent({ counters: { cpuPercent: [] } })).toBeNull();
  expect(newestCpuPercent({ counters: {} })).toBeNull();
});

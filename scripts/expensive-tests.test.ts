import { expect, it } from 'vitest';
import { expensiveTests, expensiveText } from './expensive-tests.mjs';
import type { FileReport } from './long/report.ts';

const file = (name: string, importMs: number, testMs: readonly number[], project = 'unit'): FileReport => ({
  file: name,
  project,
  importMs,
  testsMs: testMs.reduce((sum, ms) => sum + ms, 0),
  tests: testMs.map((ms, index) => ({ name: `case ${index}`, state: 'passed', ms })),
});

it('lists the most expensive files of all reports first, with the time to import and their share', () => {
  const reports = [
    { files: [file('a.test.ts', 100, [300, 50])] },
    { files: [file('b.test.ts', 500, [50]), file('a.test.ts', 0, [0], 'postgres')] },
  ];
  const { totalMs, files, tests } = expensiveTests(reports, 2);
  expect(totalMs).toBe(1_000);
  expect(files).toEqual([
    { title: 'b.test.ts (unit)', ms: 550, importMs: 500, share: 0.55 },
    { title: 'a.test.ts (unit)', ms: 450, importMs: 100, share: 0.45 },
  ]);
  expect(tests).toEqual([
    { title: 'a.test.ts > case 0', ms: 300, share: 0.3 },
    { title: 'a.test.ts > case 1', ms: 50, share: 0.05 },
  ]);
});

it('lists twenty, and nothing if nothing ran', () => {
  const many = Array.from({ length: 30 }, (_, index) => file(`f${index}.test.ts`, index, [index]));
  const { files, tests } = expensiveTests([{ files: many }]);
  expect([files.length, tests.length, files[0]!.title]).toEqual([20, 20, 'f29.test.ts (unit)']);
  expect(expensiveText(expensiveTests([{ files: many }])).split('\n')).toHaveLength(43);
  expect(expensiveText(expensiveTests([]))).toBe('');
});

import { beforeEach, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { silentLog } from './log.ts';
import { MAX_MERGED_KEYS, MERGE_LINES_MS, MergedLines } from './merged-lines.ts';

let clock: FakeClock;
let lines: MergedLines;
let written: string[];
beforeEach(() => {
  clock = new FakeClock();
  written = [];
  const write = (level: string) => (fields: object, message: string) =>
    void written.push(`${level} ${message} ${JSON.stringify(fields)}`);
  lines = new MergedLines(clock, { ...silentLog, info: write('info'), warn: write('warn') });
});

it('writes one line of a key per interval, at its level, with the number of others', () => {
  for (let count = 0; count < 3; count++) lines.warn('a', { count }, 'refused');
  lines.info('b', {}, 'ended');
  clock.advance(MERGE_LINES_MS);
  lines.warn('a', { count: 3 }, 'refused');
  clock.advance(MERGE_LINES_MS);
  lines.warn('a', { count: 4 }, 'refused');
  expect(written).toEqual([
    'warn refused {"count":0}',
    'info ended {}',
    'warn refused {"count":3,"merged":2}',
    'warn refused {"count":4}',
  ]);
});

it('forgets the oldest key beyond its limit', () => {
  for (let key = 0; key <= MAX_MERGED_KEYS; key++) lines.info(`${key}`, {}, 'ended');
  written.length = 0;
  lines.info(`${MAX_MERGED_KEYS}`, {}, 'ended');
  lines.info('0', {}, 'ended');
  expect(written).toEqual(['info ended {}']);
});

import { describe, expect, it } from 'vitest';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid } from '../core/ruuid.ts';
import { LogMemory, MAX_PAGE_RECORDS, MAX_RECORD_CHARACTERS } from './log-memory.ts';
import { wholeLog } from './support-bundle.ts';

const { total: MAX_LOG_RECORDS, bytes: MAX_LOG_BYTES } = LIMITS.logRecords;
const whole = (memory: LogMemory) => wholeLog(async (afterId) => memory.page(afterId));

describe('LogMemory', () => {
  it('gives records of both threads in the order in which they came', async () => {
    const memory = new LogMemory();
    memory.add('gateway', '{"msg":"a"}\n');
    memory.add('api', '{"msg":"b"}');
    expect(memory.page(0)).toEqual({
      records: [
        { id: 1, thread: 'gateway', line: '{"msg":"a"}' },
        { id: 2, thread: 'api', line: '{"msg":"b"}' },
      ],
      hasMore: false,
    });
    expect(memory.page(1).records.map(({ id }) => id)).toEqual([2]);
    expect(memory.page(2)).toEqual({ records: [], hasMore: false });
    expect(memory.page(99)).toEqual({ records: [], hasMore: false });
  });

  it('holds the newest 2,000, in pages', async () => {
    const memory = new LogMemory();
    for (let i = 1; i <= MAX_LOG_RECORDS + 10; i++) memory.add('gateway', `{"i":${i}}`);
    const { records, hasMore } = memory.page(0);
    expect([records.length, records[0]!.id, hasMore]).toEqual([MAX_PAGE_RECORDS, 11, true]);
    const all = await whole(memory);
    expect([all.length, all[0]!.line, all.at(-1)!.line]).toEqual([
      MAX_LOG_RECORDS,
      '{"i":11}',
      `{"i":${MAX_LOG_RECORDS + 10}}`,
    ]);
  });

  it('holds at most 4 MiB', async () => {
    const memory = new LogMemory();
    const line = 'x'.repeat(MAX_RECORD_CHARACTERS);
    for (let i = 0; i < 1_000; i++) memory.add('gateway', line);
    expect(memory.byteLength).toBeLessThanOrEqual(MAX_LOG_BYTES);
    expect(memory.byteLength).toBe(128 * 2 * MAX_RECORD_CHARACTERS);
    expect(await whole(memory)).toHaveLength(128);
  });

  it('keeps what happened to one organization, however much another one has logged', async () => {
    const [own, greedy] = [newRuuid(), newRuuid()];
    const memory = new LogMemory();
    memory.organizationOf = (camera) => (camera === own ? 'a' : 'b');
    memory.add('gateway', JSON.stringify({ camera: own, msg: 'camera offline' }));
    memory.add('api', JSON.stringify({ orgUuid: own, msg: 'webhooks not called' }));
    memory.add('gateway', JSON.stringify({ msg: 'certificate expires' }));
    for (let i = 0; i < 2 * MAX_LOG_RECORDS; i++) {
      memory.add(
        'gateway',
        JSON.stringify({ camera: greedy, msg: 'camera offline', name: `"camera":"${own}"` }),
      );
      memory.add('api', JSON.stringify({ msg: 'request refused', i }));
    }
    const lines = (await whole(memory)).map(({ line }) => line);
    expect(lines.slice(0, 3)).toEqual([
      JSON.stringify({ camera: own, msg: 'camera offline' }),
      JSON.stringify({ orgUuid: own, msg: 'webhooks not called' }),
      JSON.stringify({ msg: 'certificate expires' }),
    ]);
    expect(lines).toHaveLength(MAX_LOG_RECORDS);
  });

  it('leaves the fields of a huge record out, and says how much that was', () => {
    const memory = new LogMemory();
    const line = JSON.stringify({ level: 50, time: 7, stack: 'x'.repeat(50_000), msg: 'a request failed' });
    memory.add('api', line);
    const [record] = memory.page(0).records;
    expect(JSON.parse(record!.line)).toEqual({
      level: 50,
      time: 7,
      msg: 'a request failed',
      omittedCharacters: line.length,
    });
    memory.add('api', 'y'.repeat(50_000));
    expect(JSON.parse(memory.page(1).records[0]!.line)).toMatchObject({ msg: '' });
  });
});

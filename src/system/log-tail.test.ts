import { describe, expect, it } from 'vitest';
import { LogMemory } from './log-memory.ts';
import { type LogTailQuery, readLogTail } from './log-tail.ts';

const LEVELS = [20, 30, 40, 50];

/** Records 1 to `count`, of rising level, again and again. */
function filled(count: number): LogMemory {
  const memory = new LogMemory();
  for (let i = 1; i <= count; i++) {
    const level = LEVELS[(i - 1) % LEVELS.length];
    memory.add('gateway', JSON.stringify({ level, time: i, camera: `Lobby ${i}`, msg: 'camera state' }));
  }
  return memory;
}

async function idsOf(memory: LogMemory, query: Partial<LogTailQuery>) {
  const all: LogTailQuery = { afterId: null, level: 'debug', text: '', limit: 500, ...query };
  const { records, lastId } = await readLogTail(all, async (afterId) => memory.page(afterId));
  return { ids: records.map(({ id }) => id), lastId };
}

describe('readLogTail', () => {
  it('reads the newest ones, oldest first', async () => {
    expect(await idsOf(filled(1_200), { limit: 3 })).toEqual({ ids: [1_198, 1_199, 1_200], lastId: 1_200 });
    expect(await idsOf(new LogMemory(), {})).toEqual({ ids: [], lastId: 0 });
  });

  it('reads on after a record, up to the limit', async () => {
    expect(await idsOf(filled(10), { afterId: 2, limit: 3 })).toEqual({ ids: [3, 4, 5], lastId: 5 });
    expect(await idsOf(filled(10), { afterId: 8, limit: 3 })).toEqual({ ids: [9, 10], lastId: 10 });
    expect(await idsOf(filled(10), { afterId: 10 })).toEqual({ ids: [], lastId: 10 });
  });

  it.each([
    ['error', [4, 8]],
    ['warn', [3, 4, 7, 8]],
    ['info', [2, 3, 4, 6, 7, 8]],
    ['debug', [1, 2, 3, 4, 5, 6, 7, 8]],
  ] as const)('reads %s and worse', async (level, ids) => {
    expect((await idsOf(filled(8), { level })).ids).toEqual(ids);
  });

  it('reads those that contain a text, in any case and in any field', async () => {
    expect(await idsOf(filled(800), { text: 'lobby 77' })).toEqual({
      ids: [77, 770, 771, 772, 773, 774, 775, 776, 777, 778, 779],
      lastId: 800,
    });
  });

  it('takes a record apart', async () => {
    const memory = new LogMemory();
    memory.add('api', '{"level":40,"time":123,"camera":"Lobby","msg":"camera offline"}\n');
    memory.add('gateway', 'not JSON');
    const query = { afterId: null, level: 'debug', text: '', limit: 10 } as const;
    const { records } = await readLogTail(query, async (afterId) => memory.page(afterId));
    expect(records).toEqual([
      {
        id: 1,
        thread: 'api',
        level: 'warn',
        atMs: 123,
        message: 'camera offline',
        fieldsJson: '{"camera":"Lobby"}',
      },
      { id: 2, thread: 'gateway', level: 'error', atMs: null, message: 'not JSON', fieldsJson: '{}' },
    ]);
  });
});

import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FakeSystemCalls, SAMPLE_STATE, sampleStreams } from './fake-system-calls.ts';
import { LogMemory, MAX_RECORD_CHARACTERS } from './log-memory.ts';
import { type BundleParts, MAX_BUNDLE_BYTES, supportBundle, wholeLog } from './support-bundle.ts';

async function partsWith(parts: Partial<BundleParts>): Promise<BundleParts> {
  const calls = new FakeSystemCalls();
  return {
    createdAtEpochMs: 0,
    state: SAMPLE_STATE,
    configuration: await calls.settings({ list: null, offset: 0, limit: 0 }),
    counters: await calls.counters({ stream: null, sinceEpochMs: null }),
    streams: [],
    log: [],
    ...parts,
  };
}

const unpacked = (bytes: Buffer) => JSON.parse(gunzipSync(bytes).toString());

describe('supportBundle', () => {
  it('names what is not as it should be', async () => {
    const state = { ...SAMPLE_STATE, cameras: { offline: 1 } };
    const bundle = unpacked(await supportBundle(await partsWith({ state })));
    expect(bundle.findings).toEqual([expect.objectContaining({ code: 'CAMERAS_OFFLINE' })]);
  });

  it('has the streams that are offline first, and not more than 4,000', async () => {
    const bundle = unpacked(await supportBundle(await partsWith({ streams: sampleStreams(5_000) })));
    expect([bundle.streamCount, bundle.streams.length]).toEqual([5_000, 4_000]);
    expect(bundle.streams.findIndex(({ state }: { state: string }) => state !== 'offline')).toBe(500);
    expect(Object.keys(bundle.streams[0])).not.toContain('name');
  });

  it('stays below 8 MiB with a log that is as large and as random as can be', async () => {
    const memory = new LogMemory();
    for (let i = 0; i < 300; i++) {
      const noise = randomBytes(MAX_RECORD_CHARACTERS / 2).toString('hex');
      memory.add('gateway', JSON.stringify({ level: 30, time: i, noise: noise.slice(100), msg: 'noise' }));
    }
    const log = await wholeLog(async (afterId) => memory.page(afterId));
    const bytes = await supportBundle(await partsWith({ log }));
    expect(bytes.length).toBeLessThan(MAX_BUNDLE_BYTES);
    expect(unpacked(bytes).log).toHaveLength(log.length);
  });

  it('refuses to be larger', async () => {
    const line = JSON.stringify({ noise: randomBytes(MAX_BUNDLE_BYTES).toString('base64') });
    const log = [{ id: 1, thread: 'api', line }] as const;
    await expect(supportBundle(await partsWith({ log }))).rejects.toMatchObject({
      code: 'SUPPORT_BUNDLE_TOO_LARGE',
    });
  });

  it('has a record that is not JSON as it is', async () => {
    const log = [{ id: 1, thread: 'api', line: 'not JSON' }] as const;
    expect(unpacked(await supportBundle(await partsWith({ log }))).log[0].record).toBe('not JSON');
  });
});

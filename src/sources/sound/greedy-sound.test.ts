/** Cameras of one organization fill the sound servers, and another one has a camera with audio, too. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { FakeProcessStarter, FOREVER, noJail } from '../../ffmpeg/fake-process-starter.ts';
import { type EncodedStream, MAX_SERVED_STREAMS } from '../../ffmpeg/sound-server.ts';
import { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import { type ServedSound, SoundServers } from './sound-servers.ts';

const SPEECH = { codec: 'aac', sampleRateHz: 8_000, channelCount: 1 } as const;
const never = new AbortController().signal;

let pool: WorkerPool;
let servers: SoundServers;
let clock: FakeClock;

beforeEach(() => open());
afterEach(() => pool.close());

function open({ maxWorkers = 2, maxCores = 64 } = {}): void {
  clock = new FakeClock();
  const starter = new FakeProcessStarter();
  pool = new WorkerPool({ maxWorkers, maxCores, waitTimeoutMs: 10_000, jail: noJail, starter, clock });
  servers = new SoundServers({ path: 'server', pool, clock, log: silentLog });
}

/** The audio of one camera; it asks for a stream with each payload, as long as it has none. */
class Sound implements ServedSound {
  readonly organization: string;
  stream: EncodedStream | null = null;
  ends = 0;

  constructor(organization: string) {
    this.organization = organization;
  }

  onFrame(): void {
    // No samples go in.
  }

  onEnded(): void {
    this.stream = null;
    this.ends++;
  }

  urgency() {
    return 'viewer' as const;
  }
}

async function play(sounds: readonly Sound[], payloads = 12): Promise<void> {
  for (let count = 0; count < payloads; count++) {
    for (const sound of sounds) sound.stream ??= servers.open(SPEECH, sound);
    for (let turn = 0; turn < 4; turn++) await nextTurn();
    // Less than IDLE_MS in all: no samples go in.
    clock.advance(100);
  }
}

const sounds = (organization: string, count: number): Sound[] =>
  Array.from({ length: count }, () => new Sound(organization));

const heard = (of: readonly Sound[]): number => of.filter(({ stream }) => stream !== null).length;

it('gives another organization a stream of a full server, and no more after an equal part', async () => {
  const many = sounds('B', MAX_SERVED_STREAMS + 20);
  await play(many);
  // Video has the other worker.
  await pool.start(FOREVER, never, { organization: 'B' });
  await play(many);
  expect(heard(many)).toBe(MAX_SERVED_STREAMS);
  const few = sounds('A', 3);
  await play([...many, ...few]);
  expect([heard(few), heard(many)]).toEqual([3, MAX_SERVED_STREAMS - 3]);
  const others = sounds('C', 80);
  await play([...many, ...few, ...others], 40);
  expect([heard(few), heard(many) + heard(others)]).toEqual([3, MAX_SERVED_STREAMS - 3]);
  expect(Math.abs(heard(many) - heard(others))).toBeLessThanOrEqual(1);
  const ends = [...many, ...few, ...others].reduce((sum, sound) => sum + sound.ends, 0);
  await play([...many, ...few, ...others], 40);
  expect([...many, ...few, ...others].reduce((sum, sound) => sum + sound.ends, 0)).toBe(ends);
});

it('does not count as the gateway’s own, so that the video of others leaves it alone', async () => {
  const shared = [...sounds('A', 5), ...sounds('B', 5)];
  await play(shared);
  await pool.start(FOREVER, never, { organization: 'B' });
  const waiting = pool.start(FOREVER, never, { organization: 'A' });
  waiting.catch(() => undefined);
  await play(shared);
  expect([heard(shared), pool.sample.taken]).toEqual([10, 0]);
});

it('has room for the first streams of an organization, whatever cores another one takes or waits for', async () => {
  open({ maxWorkers: 4, maxCores: 1 });
  const own = sounds('B', 1);
  await play(own);
  await pool.start(FOREVER, never, { organization: 'B', cores: 0.995 });
  pool.start(FOREVER, never, { organization: 'B', cores: 0.5 }).catch(() => undefined);
  const [first, ...rest] = sounds('A', 4);
  await play([first!, ...rest]);
  expect(heard([first!, ...rest])).toBe(4);
  const more = sounds('B', 2);
  await play(more);
  expect(heard(more)).toBe(0);
});

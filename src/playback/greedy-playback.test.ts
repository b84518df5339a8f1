/** One organization asks for all the recorded media that it can; another one gets its own. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { FakeDisk } from '../recording/fake-disk.ts';
import { FileStorage } from '../recording/file-storage.ts';
import { testFolder } from '../recording/recording-fixture.ts';
import { FakeMovieThread } from './fake-movie-thread.ts';
import { MovieMaker } from './movie-maker.ts';
import { RangeMovies } from './range-movies.ts';
import { keptRecording } from './range-mp4-fixture.ts';
import type { ReadMessage } from './read-protocol.ts';
import { type ReadThreadEvents, RecordingReads } from './recording-reads.ts';

const START_MS = 1_700_000_000_000;
const ALWAYS = [{ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }];

describe('MP4s of ranges', () => {
  it('are made while those of another organization take forever', async () => {
    const folder = testFolder();
    const recording = await keptRecording('recording.mp4', START_MS);
    writeFileSync(join(folder, 'own.mp4'), recording.bytes);
    const thread = new FakeMovieThread(new FileStorage(folder, new FakeDisk()));
    thread.onMessage = (message) => {
      thread.isHanging = message.op === 'make' && message.source.files[0]!.name !== 'own.mp4';
    };
    const clock = new FakeClock();
    const maker = new MovieMaker({ launch: thread.launch, clock, log: silentLog });
    onTestFinished(() => maker.close());
    const own = newRuuid();
    const movies = new RangeMovies({
      maker,
      clock,
      media: {
        segments: async ({ cameraUuid }) => [
          { ...recording.found, name: cameraUuid === own ? 'own.mp4' : `${cameraUuid}.mp4` },
        ],
        lend: async (_name, _offset, length) => ({ bytes: Buffer.alloc(length), release: () => undefined }),
      },
    });
    const organizations = { greedy: newRuuid(), own: newRuuid() };
    const ask = (organization: Ruuid, cameraUuid: Ruuid, toMs: number) => {
      const wanted = { fromMs: START_MS, toMs, hasAudio: true };
      return movies.movie(organization, { cameraUuid, rendition: 'main' }, wanted, ALWAYS);
    };
    for (let cameras = 0; cameras < 20; cameras++) {
      const camera = newRuuid();
      for (let ms = 3_000; ms < 3_008; ms++) {
        ask(organizations.greedy, camera, START_MS + ms).catch(() => undefined);
      }
    }
    await eventuallyEqual(() => thread.messages.length > 0, true);
    const movie = await ask(organizations.own, own, START_MS + 4_000);
    expect(movie.byteLength).toBeGreaterThan(1_000);
  });
});

describe('reads', () => {
  /** Reads that are answered when the test says so, in the order in which the thread has them. */
  function open(organizationOf: (cameraUuid: string) => string | null) {
    const posted: ReadMessage[] = [];
    let events: ReadThreadEvents | null = null;
    const reads = new RecordingReads({
      launch: (_memory, its) => {
        events = its;
        return { post: (message) => void posted.push(message), terminate: () => undefined };
      },
      clock: new FakeClock(),
      log: silentLog,
    });
    reads.organizationOf = organizationOf;
    onTestFinished(() => reads.close());
    let responded = 0;
    const respondNext = (): string => {
      const { id, job } = posted[responded++]!;
      events!.onNotice({ id, bytes: Buffer.alloc(job.length) });
      return job.name;
    };
    return { reads, respondNext };
  }

  const MIB = 1_048_576;

  it('of one organization leave room for those of others, and wait behind them', async () => {
    const own = newRuuid();
    const { reads, respondNext } = open((camera) => (camera === own ? 'own' : 'greedy'));
    let refused = 0;
    for (let count = 0; count < 300; count++) {
      // Recordings and copies of them, of many cameras.
      const name = count % 2 === 0 ? `${newRuuid()}/main/0.mp4` : `clips/${newRuuid()}/${newRuuid()}.mp4`;
      reads.read({ name, offset: 0, length: MIB }).catch((error) => {
        if (error.code === 'PLAYBACK_TOO_MANY_READS') refused++;
      });
    }
    await eventuallyEqual(() => refused > 0, true);
    const name = `${own}/main/0.mp4`;
    const read = reads.read({ name, offset: 0, length: MIB });
    const order: string[] = [];
    for (let count = 0; count < 12; count++) order.push(respondNext());
    expect((await read).length).toBe(MIB);
    expect(order.indexOf(name)).toBeLessThan(10);
  });
});

/** Real-time viewers of a node, while its stream is now a mirror, now the camera itself, in any order: none is forgotten. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { LivePicture } from '../../stream/media/live-media.ts';
import { RecordingReader, unitOf, videoTrack } from '../../stream/pictures/picture-fixture.ts';
import { ProfileStream } from '../../stream/profile-stream.ts';
import type { Source } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import type { ClusterCamera, RoleMember } from './cluster-camera.ts';
import { ClusterSource } from './cluster-source.ts';
import { fakeLinkPair } from './fake-link-pair.ts';
import { FakeOwnedStream } from './fake-owned-stream.ts';
import { MirrorClient } from './mirror-client.ts';
import { OwnerDesk } from './owner-desk.ts';

const CAMERA = newRuuid();
const GROUP_FRAMES = 5;
/** One byte of a frame holds its number. */
const MAX_FRAMES = 250;
const LIMITS = { backoffMinMs: 1_000, backoffMaxMs: 1_000, startMs: 60_000, silenceMs: 60_000 };

const isKey = (number: number) => number % GROUP_FRAMES === 0;
const numberOf = ({ data }: LivePicture) => data[5]!;

/** The camera itself: each connection begins with a key frame. */
class NumberedCamera implements Source {
  readonly engine = 'direct';
  readonly #connections = new Map<SourceSink, { hasKey: boolean }>();

  open(sink: SourceSink) {
    this.#connections.set(sink, { hasKey: false });
    return { close: async () => void this.#connections.delete(sink) };
  }

  send(number: number): void {
    for (const [sink, connection] of this.#connections) {
      if (isKey(number) && !connection.hasKey) {
        connection.hasKey = true;
        sink.onTracks([videoTrack()]);
      }
      if (connection.hasKey) sink.onAccessUnit(unitOf(number, isKey(number)));
    }
  }
}

class Bench {
  readonly clock = new FakeClock();
  readonly camera = new NumberedCamera();
  readonly elsewhere = new FakeOwnedStream(this.clock);
  readonly pair = fakeLinkPair();
  readonly stream: ProfileStream;
  readonly #desk: OwnerDesk;
  #member: RoleMember | null = null;
  next = 0;

  constructor() {
    const { clock } = this;
    const owned = async () => this.elsewhere.cameraOf(CAMERA);
    this.#desk = new OwnerDesk({
      links: this.pair.owner.links,
      owned,
      nodes: () => [],
      clock,
      log: silentLog,
    });
    const roles = {
      enter: (member: RoleMember) => {
        this.#member = member;
      },
      leave: () => undefined,
      lost: () => expect.unreachable(),
      heirTold: () => undefined,
      begun: () => undefined,
    };
    const source = new ClusterSource({
      cameraUuid: CAMERA,
      profile: 'main',
      clock,
      local: this.camera,
      camera: roles as unknown as ClusterCamera,
      client: new MirrorClient(this.pair.mirror.links, clock, 5_000),
    });
    this.stream = new ProfileStream({
      cameraUuid: CAMERA,
      profile: 'main',
      source,
      clock,
      log: silentLog,
      limits: LIMITS,
      // Nothing is packaged.
      numberingStore: { find: () => new Promise(() => undefined), save: async () => undefined },
      createPackager: () => expect.unreachable(),
      onStateChange: () => undefined,
      onPublished: () => undefined,
      other: () => null,
      openedMonoMs: () => 0,
      epochMinusMonoMs: () => 0,
      urgency: () => 'viewer',
    });
    this.stream.want('silent');
  }

  play(frames: number): void {
    for (let count = 0; count < frames; count++) {
      this.clock.advance(40);
      this.elsewhere.push({ ...unitOf(this.next, isKey(this.next)), arrivalMonoMs: this.clock.monoMs() });
      this.camera.send(this.next);
      this.next++;
    }
  }

  begin(role: 'mirror' | 'owner' | null): void {
    const link = role === 'mirror' ? this.pair.mirror.link : null;
    this.#member!.play(role, link, Promise.resolve());
  }

  prepare(): void {
    this.#member!.prepare({ onKey: () => undefined, onFailed: () => expect.unreachable() });
  }

  async close(): Promise<void> {
    void this.stream.close();
    this.#desk.close();
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

const STEP = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('play' as const), frames: fc.integer({ min: 1, max: 7 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('attach' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('detach' as const), which: fc.nat(10) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('mirror' as const, 'owner' as const, 'none' as const) }),
  },
  fc.record({ kind: fc.constant('prepare' as const) }),
  // Others happen at the same moment.
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
);

it('each viewer gets a key frame within a group, and then every frame', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(STEP, { minLength: 10, maxLength: 30 }),
      fc.constantFrom('mirror' as const, 'owner' as const),
      async (steps, last) => {
        const bench = new Bench();
        const attached: RecordingReader[] = [];
        for (const step of steps) {
          if (step.kind === 'play') bench.play(step.frames);
          else if (step.kind === 'attach') {
            attached.push(new RecordingReader());
            bench.stream.pictures.attach(attached.at(-1)!);
          } else if (step.kind === 'detach') {
            for (const reader of attached.splice(step.which, 1)) bench.stream.pictures.detach(reader);
          } else if (step.kind === 'prepare') bench.prepare();
          else if (step.kind === 'settle') await settled();
          else bench.begin(step.kind === 'none' ? null : step.kind);
        }
        bench.begin(last);
        await settled();
        const from = bench.next;
        bench.play(3 * GROUP_FRAMES);
        expect(bench.next).toBeLessThan(MAX_FRAMES);
        const key = Math.ceil(from / GROUP_FRAMES) * GROUP_FRAMES;
        const expected = Array.from({ length: bench.next - key }, (_, at) => key + at);
        for (const { pictures, gone } of attached) {
          expect(gone).toEqual([]);
          expect(pictures.map(numberOf).slice(-expected.length)).toEqual(expected);
          expect(pictures[0]!.isKey).toBe(true);
          // A frame that needs the one before comes right after it.
          const broken = pictures.slice(1).filter((picture, at) => {
            return !picture.isKey && numberOf(picture) !== numberOf(pictures[at]!) + 1;
          });
          expect(broken.map(numberOf)).toEqual([]);
        }
        await bench.close();
      },
    ),
    randomRuns(400),
  );
});

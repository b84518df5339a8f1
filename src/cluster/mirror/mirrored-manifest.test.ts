/** The manifest of a camera is the same text at the node that owns it and at those that mirror it, whenever they began. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from '../../cmaf/fake-camera.ts';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import type { PackagedContent } from '../../cmaf/packaged-tracks.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { CameraStream } from '../../stream/camera-stream.ts';
import { CameraManifests } from '../../stream/dash/camera-manifests.ts';
import type { Audience, Content, RenditionName } from '../../stream/media/live-media.ts';
import { renditionName } from '../../stream/media/renditions.ts';
import { type Numbering, UNUSED } from '../../stream/numbering/numbering.ts';
import { Packager } from '../../stream/packaging/packager.ts';
import type { PackagingHost } from '../../stream/packaging/packaging-host.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { type FakePair, fakeLinkPair } from './fake-link-pair.ts';
import { MirrorClient } from './mirror-client.ts';
import { MirroredStream } from './mirrored-stream.ts';
import { OwnerDesk } from './owner-desk.ts';

const CAMERA = newRuuid();
const FRAME_MS = 40;
const AUDIO_TICKS = 1_024;
const TRACKS = [FAKE_VIDEO, FAKE_AUDIO];
const AUDIENCES: readonly Audience[] = ['sound', 'silent'];
const PACKAGED: Readonly<Record<Content, PackagedContent>> = {
  sound: 'video-and-audio',
  silent: 'video',
  audio: 'audio',
};

/** One stream of a camera at one node, with its open readers. */
class Profile {
  readonly tracks = TRACKS;
  readonly hasPicture = true;
  readonly sound = { state: 'none', encoding: null, isAlone: false };
  readonly keys = { distanceMs: 2_000 };
  readonly packagers = new Map<Content, Packager>();
  readonly name: 'main' | 'sub';
  #numbers = new Map<Content, Numbering>();
  #clock: FakeClock;
  #onPublished: () => void;

  constructor(name: 'main' | 'sub', clock: FakeClock, onPublished: () => void) {
    this.name = name;
    this.#clock = clock;
    this.#onPublished = onPublished;
  }

  state = () => ({ state: 'live' }) as const;
  isExpected = () => false;
  timing = (content: Content) => this.packagers.get(content)?.published ?? null;

  /** `isOwned`: it is made here. */
  open(content: Content, isOwned: boolean): Packager {
    const known = this.#numbers.get(content);
    const packager = new Packager({
      clock: this.#clock,
      content: PACKAGED[content],
      numbering: isOwned ? (known ?? UNUSED) : null,
      isContinuation: known !== undefined,
      originMonoMs: 0,
      onPlayable: () => undefined,
      epochMinusMonoMs: this.#clock.epochMs() - this.#clock.monoMs(),
      onNumbering: (to) => void this.#numbers.set(content, to),
      onPublished: () => this.#onPublished(),
    });
    packager.setTracks(TRACKS);
    this.packagers.set(content, packager);
    return packager;
  }

  /** The same stream at the node that made it. `unknown`: so many numbers may have been published since. */
  goOnFrom(before: Profile, unknown: number): void {
    for (const [content, packager] of this.packagers) {
      const exact = before.#numbers.get(content)!;
      packager.own({ ...exact, nextMediaSequenceNumber: exact.nextMediaSequenceNumber + unknown });
      packager.setTracks(TRACKS);
    }
  }

  close(): void {
    for (const packager of this.packagers.values()) packager.close();
    this.packagers.clear();
  }
}

/** A camera at one node. */
class NodeCamera {
  readonly main: Profile;
  readonly sub: Profile;
  readonly manifests: CameraManifests;

  constructor(clock: FakeClock) {
    const onPublished = () => this.manifests.tell();
    this.main = new Profile('main', clock, onPublished);
    this.sub = new Profile('sub', clock, onPublished);
    const { main, sub } = this;
    this.manifests = new CameraManifests({ clock, main, sub, compatible: null, subWaitMs: 0 });
  }

  *packagers(): Iterable<Packager> {
    for (const profile of [this.main, this.sub]) yield* profile.packagers.values();
  }

  texts(): (string | undefined)[] {
    return AUDIENCES.flatMap((audience) =>
      (['normal', 'low'] as const).map((latency) => this.manifests.text(audience, latency, 'camera')?.text),
    );
  }
}

class Mirror {
  readonly camera: NodeCamera;
  readonly #streams: MirroredStream[];

  constructor(pair: FakePair, clock: FakeClock) {
    this.camera = new NodeCamera(clock);
    const client = new MirrorClient(pair.mirror.links, clock, 5_000);
    this.#streams = [this.camera.main, this.camera.sub].map((profile) => {
      const contents: Content[] = profile.name === 'main' ? ['silent', 'audio'] : ['silent'];
      const packagers = contents.map((content) => profile.open(content, false));
      const onHost = (host: PackagingHost) => {
        for (const packager of packagers) packager.setHost(host);
      };
      const sink = new SourceSink({
        onTracks: () => undefined,
        onHost,
        onAccessUnit: () => undefined,
        onDropped: () => undefined,
        onEnded: () => undefined,
      });
      const { link } = pair.mirror;
      const place = { client, link, cameraUuid: CAMERA, profile: profile.name, sink, clock };
      return MirroredStream.open({ ...place, onLost: () => undefined, onHeir: () => undefined });
    });
  }

  async leave(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.close()));
    for (const packager of this.camera.packagers()) packager.setHost(null);
  }
}

/** A camera with both streams, at the node that owns it and at those that mirror it. */
class Bench {
  readonly clock = new FakeClock();
  readonly owner = new NodeCamera(this.clock);
  readonly mirrors: Mirror[] = [];
  readonly #closing: (() => void)[] = [];
  readonly #source = new FakeCamera();
  /** The node that makes the streams now. */
  maker = this.owner;
  #frame = 0;
  #audioFrame = 0;
  pace = 1;

  constructor() {
    this.owner.main.open('silent', true);
    this.owner.main.open('audio', true);
  }

  /** The substream begins, or continues. */
  playSub(): void {
    const { sub } = this.maker;
    const open = sub.packagers.get('silent');
    if (open === undefined) sub.open('silent', true);
    else open.setTracks(TRACKS);
  }

  /** Another node begins to mirror. */
  async join(): Promise<void> {
    const pair = fakeLinkPair();
    const { main, sub, manifests } = this.owner;
    const published = (name: RenditionName) =>
      [main, sub]
        .flatMap(({ name: profile, packagers }) =>
          [...packagers].filter(([content, { published }]) => {
            return published.partRevision > 0 && renditionName(profile, content) === name;
          }),
        )
        .at(0)?.[1].published ?? null;
    const touch = () => undefined;
    const camera = { uuid: CAMERA, profiles: () => [main, sub], published, touch, manifests };
    const owned = async () => camera as unknown as CameraStream;
    const desk = new OwnerDesk({
      links: pair.owner.links,
      owned,
      nodes: () => [],
      clock: this.clock,
      log: silentLog,
    });
    this.#closing.push(() => desk.close());
    this.#desks.push(desk);
    this.mirrors.push(new Mirror(pair, this.clock));
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
  readonly #desks: OwnerDesk[] = [];

  /** The mirror makes the streams from now on. `unknown`: see Profile.goOnFrom. */
  async takeOver(unknown = 0): Promise<void> {
    const [mirror] = this.mirrors as [Mirror];
    await mirror.leave();
    mirror.camera.main.goOnFrom(this.owner.main, unknown);
    mirror.camera.sub.goOnFrom(this.owner.sub, unknown);
    this.maker = mirror.camera;
  }

  outage(seconds: number, packagers: Iterable<Packager> = this.maker.packagers()): void {
    this.clock.advance(seconds * 1_000);
    for (const packager of packagers) packager.discontinuity();
    this.#changed();
  }

  /** The camera restarts: its time begins again. */
  restart(seconds: number): void {
    this.outage(seconds);
    this.#frame = 0;
    this.#audioFrame = 0;
  }

  play(seconds: number): void {
    for (let left = Math.round((seconds * 1_000) / FRAME_MS); left > 0; left--) this.#step();
    this.#changed();
  }

  expectSame(): void {
    const texts = this.owner.texts();
    for (const { camera } of this.mirrors) expect(camera.texts()).toEqual(texts);
  }

  async close(): Promise<void> {
    await Promise.all(this.mirrors.map((mirror) => mirror.leave()));
    for (const camera of [this.owner, ...this.mirrors.map((mirror) => mirror.camera)]) {
      camera.main.close();
      camera.sub.close();
    }
    for (const close of this.#closing) close();
  }

  #changed(): void {
    for (const desk of this.#desks) desk.changed(CAMERA);
  }

  #step(): void {
    const arrivalMonoMs = this.clock.monoMs();
    const dtsTicks = this.#frame * 3_600;
    const isKey = this.#frame % 50 === 0;
    for (const packager of this.maker.packagers()) {
      packager.push(this.#source.picture({ dtsTicks, ptsTicks: dtsTicks, isKey, arrivalMonoMs }));
    }
    this.#frame++;
    while ((this.#audioFrame + 1) * AUDIO_TICKS <= this.#frame * FRAME_MS * 48) {
      const audioTicks = this.#audioFrame++ * AUDIO_TICKS;
      for (const packager of this.maker.packagers()) {
        packager.push(this.#source.audio(audioTicks, { arrivalMonoMs }));
      }
    }
    this.clock.advance(FRAME_MS * this.pace);
  }
}

/** The manifest's lines about Periods and their streams, which must not change. */
function heads(text: string): [name: string, said: string][] {
  const found: [string, string][] = [];
  const periods = text.matchAll(/<Period id="(p\d+)" start="([^"]+)"[^>]*>([\s\S]*?)<\/Period>/g);
  for (const [, id, start, streams] of periods) {
    found.push([id!, start!]);
    const said = /<Representation id="(\w+)"([^>]*)>.*?presentationTimeOffset="(\d+)"/g;
    for (const [, stream, rest, offset] of streams!.matchAll(said)) {
      found.push([`${id} ${stream}`, `${rest} ${offset}`]);
    }
  }
  return found;
}

const OPERATIONS = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('play' as const), sec: fc.integer({ min: 1, max: 80 }) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          'sub',
          'join',
          'outage',
          'sub outage',
          'sub stalls',
          'restart',
          'drift',
          'view',
        ),
        sec: fc.integer({ min: 0, max: 60 }),
      }),
    },
  ),
  { minLength: 4, maxLength: 25 },
);

async function act(bench: Bench, kind: string, tenths: number): Promise<void> {
  if (kind === 'play') bench.play(tenths / 10);
  else if (kind === 'sub') bench.playSub();
  else if (kind === 'join') await bench.join();
  else if (kind === 'outage') bench.outage(tenths / 10);
  else if (kind === 'sub outage') bench.outage(0, bench.maker.sub.packagers.values());
  else if (kind === 'sub stalls') bench.maker.sub.packagers.get('silent')?.setTracks([]);
  else if (kind === 'restart') bench.restart(tenths / 10);
  else if (kind === 'drift') bench.pace = 1 + tenths / 1_000;
}

describe('the manifest of a camera', () => {
  it('is the same text at every node, from whenever on it mirrors, and keeps its Periods', async () => {
    const before = mediaBlockBytes().used;
    await fc.assert(
      fc.asyncProperty(OPERATIONS, async (operations) => {
        const bench = new Bench();
        const known = new Map<string, string>();
        await bench.join();
        for (const { kind, sec } of operations) {
          await act(bench, kind, sec);
          bench.expectSame();
          for (const [name, said] of heads(bench.owner.texts()[0] ?? '')) {
            expect([name, known.get(name) ?? said]).toEqual([name, said]);
            known.set(name, said);
          }
        }
        await bench.close();
      }),
      randomRuns(40),
    );
    expect(mediaBlockBytes().used).toBe(before);
  });

  it('keeps its Periods at the node that takes over, whether or not anyone asked for it there', async () => {
    for (const isRequested of [true, false]) {
      const bench = new Bench();
      bench.playSub();
      await bench.join();
      bench.play(7);
      bench.restart(2);
      bench.play(5);
      const [before] = bench.owner.texts();
      const [{ camera }] = bench.mirrors as [Mirror];
      if (isRequested) expect(camera.texts()[0]).toBe(before);
      await bench.takeOver();
      expect(camera.texts()[0]).toBe(before);
      bench.play(5);
      const after = heads(camera.texts()[0]!);
      expect(after.slice(0, heads(before!).length)).toEqual(heads(before!));
      expect(after.length).toBe(heads(before!).length + 4);
      await bench.close();
    }
  });

  it('keeps the Period that players play when its node crashed, with an end, until the window is full again', async () => {
    const bench = new Bench();
    bench.playSub();
    await bench.join();
    bench.play(9);
    const [before] = bench.owner.texts();
    const [{ camera }] = bench.mirrors as [Mirror];
    expect(camera.texts()[0]).toBe(before);
    await bench.takeOver(1_000);
    bench.restart(4);
    bench.play(5);
    const text = camera.texts()[0]!;
    expect(heads(text).slice(0, 4)).toEqual(heads(before!));
    expect(heads(text)).toHaveLength(8);
    const [first, second] = [...text.matchAll(/<Period [^>]*>/g)].map(([tag]) => tag);
    expect([first, second]).toEqual([
      expect.stringContaining(' duration="PT8'),
      expect.not.stringContaining('duration'),
    ]);
    const numbers = [...text.matchAll(/startNumber="(\d+)"/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual([1, 1, 1, 1_006, 1_006, 1_006]);
    for (let tenSec = 0; tenSec < 3; tenSec++) bench.play(10);
    expect(heads(camera.texts()[0]!)).toEqual(heads(text).slice(4));
    await bench.close();
  });
});

/** Real-time viewers of a node that mirrors: they get what those of the owner get, from the newest key frame on. */

import { afterEach, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { PackagingHost } from '../../stream/packaging/packaging-host.ts';
import { PictureFeed } from '../../stream/pictures/picture-feed.ts';
import { RecordingReader, unitOf, videoTrack } from '../../stream/pictures/picture-fixture.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { fakeLinkPair } from './fake-link-pair.ts';
import { FakeOwnedStream } from './fake-owned-stream.ts';
import { MirrorClient } from './mirror-client.ts';
import { MirroredStream } from './mirrored-stream.ts';
import { OwnerDesk } from './owner-desk.ts';

const CAMERA = newRuuid();
const OTHER_SPS = Uint8Array.of(0x67, 1);

/** The same stream at both nodes. */
class Bench {
  readonly clock = new FakeClock();
  readonly owned = new FakeOwnedStream(this.clock);
  readonly pair = fakeLinkPair();
  readonly desk: OwnerDesk;
  readonly stream: MirroredStream;
  readonly feed: PictureFeed;
  #host: PackagingHost | null = null;

  constructor() {
    const owned = async () => this.owned.cameraOf(CAMERA);
    this.desk = new OwnerDesk({
      links: this.pair.owner.links,
      owned,
      nodes: () => [],
      clock: this.clock,
      log: silentLog,
    });
    this.feed = new PictureFeed(this.clock, {
      shareNewest: () => null,
      onReaders: () => {
        if (this.feed.readers === 0) this.feed.pause();
        this.#host?.passUnits(this.feed.readers > 0);
      },
    });
    const sink = new SourceSink({
      onTracks: (tracks) => this.feed.setTracks(tracks),
      onHost: (host) => {
        this.#host = host;
      },
      onAccessUnit: (unit) => this.feed.push(unit),
      onDropped: () => undefined,
      onEnded: () => undefined,
    });
    const client = new MirrorClient(this.pair.mirror.links, this.clock, 5_000);
    const place = { client, link: this.pair.mirror.link, cameraUuid: CAMERA, profile: 'main' as const };
    this.stream = MirroredStream.open({
      ...place,
      sink,
      clock: this.clock,
      onLost: () => undefined,
      onHeir: () => undefined,
    });
  }

  async opened(): Promise<this> {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    return this;
  }

  /** Frames as they come from the camera: 25 a second. */
  play(from: number, keys: string): void {
    for (const [at, key] of [...keys].entries()) {
      this.clock.advance(40);
      this.owned.push({
        ...unitOf(from + at, key === 'K'),
        arrivalMonoMs: this.clock.monoMs(),
      });
    }
  }
}

let bench: Bench;
afterEach(async () => {
  await bench.stream.close();
  bench.desk.close();
});

it('begin at once, with the newest group of pictures, and miss nothing after it', async () => {
  bench = await new Bench().opened();
  bench.play(0, 'KddKdd');
  const there = new RecordingReader();
  bench.owned.pictures.attach(there);
  const here = new RecordingReader();
  bench.feed.attach(here);
  expect(here.frames).toEqual(['K3', 'd4', 'd5']);
  bench.play(6, 'dKd');
  expect(here.frames).toEqual(['K3', 'd4', 'd5', 'd6', 'K7', 'd8']);
  expect(here.frames).toEqual(there.frames);
  // The time at which it was taken, not sent.
  const steps = here.pictures.slice(1).map(({ epochMs }, at) => epochMs - here.pictures[at]!.epochMs);
  expect(new Set(steps)).toEqual(new Set([40]));
});

it('begin with the group of the moment, also after all others have left', async () => {
  bench = await new Bench().opened();
  bench.play(0, 'Kd');
  const first = new RecordingReader();
  bench.feed.attach(first);
  bench.feed.detach(first);
  bench.play(2, 'dKd');
  const second = new RecordingReader();
  bench.feed.attach(second);
  bench.play(5, 'd');
  expect(second.frames).toEqual(['K3', 'd4', 'd5']);
  expect(first.frames).toEqual(['K0', 'd1']);
});

it('have the parameter sets of each frame', async () => {
  bench = await new Bench().opened();
  bench.play(0, 'Kd');
  const reader = new RecordingReader();
  bench.feed.attach(reader);
  bench.owned.setTracks([videoTrack(OTHER_SPS)]);
  bench.play(2, 'Kd');
  expect(reader.frames).toEqual(['K0', 'd1', 'K2', 'd3']);
  expect(reader.pictures.map(({ track }) => track.sps[0]!.length)).toEqual([5, 5, 2, 2]);
});

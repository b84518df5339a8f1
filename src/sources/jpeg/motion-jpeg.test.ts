import { describe, expect, it } from 'vitest';
import type { AccessUnit, AudioTrack, CodedTrack } from '../../codec/track.ts';
import type { Urgency } from '../../stream/media/urgency.ts';
import type { Source } from '../../stream/source/source.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import type { UnitFeed, UnitReader } from '../../stream/source/unit-feed.ts';
import { MotionJpeg } from './motion-jpeg.ts';

const AUDIO = { kind: 'audio', codec: 'flac' } as AudioTrack;
const SIZE = { widthPx: 640, heightPx: 360 };

/** Reads the feed as the transcoder does. */
class FakeEncoder implements Source {
  readonly engine = 'fake';
  readonly log: string[] = [];
  readonly #feed: UnitFeed;
  opened = 0;
  constructor(feed: UnitFeed) {
    this.#feed = feed;
  }
  open(sink: SourceSink) {
    this.opened++;
    const reader: UnitReader = {
      onTracks: (tracks) => void this.log.push(`tracks ${tracks.map(nameOf).join(' ')}`),
      onAccessUnit: (unit) =>
        void this.log.push(`${unit.trackIndex === 0 ? unit.data[0] : 'sound'} @${unit.ptsTicks}`),
      onGone: () => undefined,
    };
    this.#feed.attach(reader);
    return {
      close: async () => {
        sink.close();
        this.#feed.detach(reader);
        this.log.push('closed');
      },
    };
  }
}

function nameOf(track: CodedTrack): string {
  return track.kind === 'video' ? `${track.codec} ${track.widthPx}x${track.heightPx}` : track.codec;
}

function setup() {
  const requested: { urgency: Urgency } = { urgency: 'picture' };
  const seen: string[] = [];
  const sink = new SourceSink({
    onTracks: () => seen.push('tracks'),
    onAccessUnit: () => seen.push('unit'),
    onStill: ({ bytes }) => seen.push(`still ${bytes[0]}`),
    onStillsOnly: () => seen.push('stills only'),
    onDropped: (frames, code) => seen.push(`dropped ${frames} ${code}`),
    onEnded: (error) => seen.push(`ended ${error.code}`),
    urgency: () => requested.urgency,
  });
  let encoder: FakeEncoder | null = null;
  const jpeg = new MotionJpeg(sink, (feed) => {
    encoder = new FakeEncoder(feed);
    return encoder;
  });
  const show = (number: number, size = SIZE): void =>
    jpeg.onJpeg({ bytes: Buffer.from([number]), ...size }, number * 3_600, number * 40);
  const sound: AccessUnit = {
    trackIndex: 1,
    dtsTicks: 5,
    ptsTicks: 5,
    isKey: true,
    data: new Uint8Array(1),
    arrivalMonoMs: 0,
  };
  return { requested, seen, sink, encoder: encoder! as FakeEncoder, jpeg, show, sound };
}

describe('MotionJpeg', () => {
  it('passes pictures on as stills, and starts nothing for them', () => {
    const { jpeg, show, seen, encoder, sound } = setup();
    jpeg.onTracks([AUDIO]);
    show(0);
    jpeg.onAccessUnit(sound);
    show(1);
    jpeg.onDropped(1, 'RTP_PACKET_LOSS');
    expect([seen, encoder.opened]).toEqual([['still 0', 'still 1', 'dropped 1 RTP_PACKET_LOSS'], 0]);
  });

  it.each(['alarm', 'viewer', 'recording'] as const)('has video encoded for a(n) %s', (urgency) => {
    const { requested, jpeg, show, seen, encoder, sound } = setup();
    jpeg.onTracks([AUDIO]);
    show(0);
    requested.urgency = urgency;
    show(1);
    jpeg.onAccessUnit(sound);
    show(2);
    expect(encoder.log).toEqual(['tracks jpeg 640x360 flac', '1 @3600', 'sound @5', '2 @7200']);
    expect(seen).toEqual(['still 0', 'still 1', 'still 2']);
  });

  it('ends that when only stills are asked for, and begins it again', async () => {
    const { requested, jpeg, show, seen, encoder } = setup();
    requested.urgency = 'viewer';
    show(0);
    requested.urgency = 'picture';
    show(1);
    show(2);
    expect(seen).toEqual(['still 0', 'still 1', 'stills only', 'still 2']);
    requested.urgency = 'viewer';
    show(3);
    expect(encoder.log).toEqual(['tracks jpeg 640x360', '0 @0', 'closed', 'tracks jpeg 640x360', '3 @10800']);
    await jpeg.close();
    expect(encoder.log.at(-1)).toBe('closed');
    await jpeg.close();
    expect(encoder.opened).toBe(2);
  });

  it('says when the pictures have another size', () => {
    const { requested, show, encoder } = setup();
    requested.urgency = 'viewer';
    show(0);
    show(1, { widthPx: 320, heightPx: 180 });
    expect(encoder.log).toEqual(['tracks jpeg 640x360', '0 @0', 'tracks jpeg 320x180', '1 @3600']);
  });

  it('starts nothing once the attempt is over', () => {
    const { requested, show, sink, encoder, seen } = setup();
    sink.close();
    requested.urgency = 'viewer';
    show(0);
    expect([encoder.opened, seen]).toEqual([0, []]);
  });
});

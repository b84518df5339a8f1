import { beforeEach, describe, expect, it } from 'vitest';
import { silentOpusPacket } from '../../codec/opus/opus-packet.ts';
import { opusTrackOf } from '../../codec/opus/opus-track.ts';
import type { AccessUnit, AudioTrack, Track } from '../../codec/track.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { STREAM_ERRORS } from '../media/errors.ts';
import type { LiveSound, SoundReader } from '../media/live-media.ts';
import { videoTrack } from '../pictures/picture-fixture.ts';
import type { UnitReader } from '../source/unit-feed.ts';
import { type SoundCoderEvents, SoundFeed } from './sound-feed.ts';

const OPUS = opusTrackOf(1, 0);
const PACKET = silentOpusPacket(960, 1)!;
const SPEECH = {
  kind: 'audio',
  codec: 'flac',
  timescaleHz: 8_000,
  sampleRateHz: 8_000,
  channelCount: 1,
} as AudioTrack;
const VIDEO_EPOCH_MS = 1_700_000_000_000;

class Listener implements SoundReader {
  readonly sounds: LiveSound[] = [];
  gone: string | null = null;

  onSound(sound: LiveSound): void {
    this.sounds.push(sound);
  }

  onGone(error: GatewayError): void {
    this.gone = error.code;
  }

  get times(): number[] {
    return this.sounds.map(({ epochMs }) => epochMs - VIDEO_EPOCH_MS);
  }
}

let reader: UnitReader | null;
let coders: SoundCoderEvents[];
let log: string[];
let feed: SoundFeed;
let hasFrame: boolean;
let canEncode: boolean;

beforeEach(() => {
  [reader, coders, log, hasFrame, canEncode] = [null, [], [], true, true];
  feed = new SoundFeed({
    clock: new FakeClock(),
    units: {
      attach: (attached) => {
        reader = attached;
        log.push('attach');
      },
      detach: () => {
        reader = null;
        log.push('detach');
      },
    },
    pictures: { epochMsAt: (mediaMs) => (hasFrame ? VIDEO_EPOCH_MS + mediaMs : null) },
    encoder: {
      open: ({ codec }, events) => {
        if (!canEncode) return null;
        coders.push(events);
        log.push(`encode ${codec}`);
        const push = ({ dtsTicks }: AccessUnit) => log.push(`unit ${dtsTicks}`) > 0;
        return { push, close: () => void log.push('close') };
      },
    },
    urgency: () => 'viewer',
  });
});

function listen(): Listener {
  const listener = new Listener();
  feed.attach(listener);
  return listener;
}

const tracks = (...announced: Track[]) => reader!.onTracks(announced);

function push(dtsTicks: number, data: Uint8Array = PACKET, trackIndex = 1): void {
  const arrivalMonoMs = dtsTicks / 48;
  const unit: AccessUnit = { trackIndex, dtsTicks, ptsTicks: dtsTicks, isKey: true, data, arrivalMonoMs };
  reader!.onAccessUnit(unit);
}

describe('SoundFeed', () => {
  it('passes Opus on, with the time of the pictures', () => {
    const listener = listen();
    tracks(videoTrack(), OPUS);
    push(0);
    push(960);
    push(90_000, Uint8Array.of(1, 2, 3), 0);
    push(1_920, Uint8Array.of());
    push(4_800);
    expect(listener.times).toEqual([0, 20, 100]);
    expect(listener.sounds[0]!.packet).toEqual(PACKET);
    expect(log).toEqual(['attach']);
  });

  it('gives all listeners the same copy', () => {
    const [one, other] = [listen(), listen()];
    tracks(videoTrack(), OPUS);
    const lent = Uint8Array.from(PACKET);
    push(0, lent);
    lent.fill(0);
    expect(one.sounds[0]!.packet).toEqual(PACKET);
    expect(other.sounds[0]).toBe(one.sounds[0]);
  });

  it('encodes anything else once, from the first listener to the last one', () => {
    const [one, other] = [listen(), listen()];
    tracks(videoTrack(), SPEECH);
    tracks(videoTrack(), { ...SPEECH });
    push(160);
    coders[0]!.onPacket(13.5, PACKET);
    expect([one.times, other.times]).toEqual([[13.5], [13.5]]);
    feed.detach(one);
    feed.detach(one);
    expect(log).toEqual(['attach', 'encode flac', 'unit 160']);
    feed.detach(other);
    expect(log.slice(3)).toEqual(['detach', 'close']);
    coders[0]!.onPacket(33.5, PACKET);
    expect(other.times).toEqual([13.5]);
    listen();
    tracks(videoTrack(), SPEECH);
    expect(log.slice(5)).toEqual(['attach', 'encode flac']);
  });

  it('begins another encoder when the camera changes its sound', () => {
    listen();
    tracks(videoTrack(), SPEECH);
    tracks(videoTrack(), { ...SPEECH, channelCount: 2 });
    expect(log).toEqual(['attach', 'encode flac', 'close', 'encode flac']);
  });

  it('publishes nothing before a picture says what time it is', () => {
    const listener = listen();
    tracks(videoTrack(), OPUS);
    hasFrame = false;
    push(0);
    hasFrame = true;
    push(960);
    expect(listener.times).toEqual([20]);
  });

  it('has a clock of its own for a camera without pictures', () => {
    const listener = listen();
    tracks(OPUS);
    push(48_000, PACKET, 0);
    push(48_960, PACKET, 0);
    const [first, second] = listener.sounds;
    expect(second!.epochMs - first!.epochMs).toBeCloseTo(20);
  });

  it.each([
    ['the camera sends no sound', () => tracks(videoTrack()), 'STREAM_NO_SOUND'],
    [
      'nothing can encode it',
      () => {
        canEncode = false;
        tracks(videoTrack(), SPEECH);
      },
      'STREAM_NO_SOUND',
    ],
    [
      'the camera goes offline',
      () => {
        tracks(videoTrack(), SPEECH);
        reader!.onGone(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE));
      },
      'STREAM_OFFLINE',
    ],
  ])('ends its listeners when %s', (_case, end, code) => {
    const listener = listen();
    end();
    expect([listener.gone, feed.readers]).toEqual([code, 0]);
    expect(listen().gone).toBeNull();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { FAKE_AUDIO } from '../../cmaf/fake-camera.ts';
import type { AccessUnit } from '../../codec/track.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { writeInitSegment } from '../../isobmff/init-segment.ts';
import { FragmentRelay } from './fragment-relay.ts';
import { FRAME_TICKS, INIT, listed, SOUND_INIT, soundSegment, videoSegment } from './hls-fixture.ts';
import { readInitSection, soundSectionOf } from './init-section.ts';
import { PacedRelease } from './paced-release.ts';
import { SoundRelay } from './sound-relay.ts';

const SECOND = 25 * FRAME_TICKS;
/** A second of AAC at 48 kHz is 46.875 frames. */
const SOUND_FRAMES = 47;
const SOUND_FRAME_MS = 1_024 / 48;

class Player {
  readonly clock = new FakeClock();
  readonly videoMs: number[] = [];
  readonly soundMs: number[] = [];
  /** How far the video was ahead of each sound frame when it came. */
  readonly behindMs: number[] = [];
  readonly dropped: string[] = [];
  readonly release = new PacedRelease(
    {
      onTracks: () => undefined,
      onAccessUnit: ({ trackIndex, dtsTicks }: AccessUnit) => {
        if (trackIndex === 0) this.videoMs.push(dtsTicks / 90);
        else {
          this.soundMs.push(dtsTicks / 48);
          this.behindMs.push((this.videoMs.at(-1) ?? 0) - dtsTicks / 48);
        }
      },
    },
    this.clock,
    () => 4_000,
  );
  readonly events = {
    onDropped: (frames: number, code: string): void =>
      void this.dropped.push(...Array<string>(frames).fill(code)),
  };
  readonly video = new FragmentRelay(readInitSection(INIT), FAKE_AUDIO, this.events, this.release);
  readonly sound = new SoundRelay(
    soundSectionOf(readInitSection(SOUND_INIT))!,
    this.video,
    this.events,
    this.release,
    this.clock,
  );

  /** A second of video at `startTicks` of 90 kHz. */
  show(number: number, startTicks: number, more = {}): void {
    this.video.push(videoSegment(startTicks, 25), listed(number, more));
    this.sound.videoCame();
  }

  /** A second of sound at `startMs`. */
  play(number: number, startMs: number, more = {}): void {
    this.sound.segment(soundSegment(startMs * 48, SOUND_FRAMES), listed(number, more));
  }
}

const near = (values: readonly number[]): number[] => values.map(Math.round);

describe('audio in a playlist of its own', () => {
  it('is on the timeline of the video, whose first key frame is zero, whichever comes first', () => {
    const player = new Player();
    player.play(7, 99_990);
    player.show(1, 100_000 * 90);
    player.show(2, 101_000 * 90);
    player.play(8, 100_993);
    player.clock.advance(3_000);
    expect(player.videoMs).toHaveLength(50);
    // Sound from before the key frame is left out.
    expect(player.dropped).toEqual(['RTP_JOINING']);
    expect(near(player.soundMs.slice(0, 2))).toEqual([11, 33]);
    expect(player.soundMs.at(-1)).toBeGreaterThan(1_950);
    for (const behindMs of player.behindMs) expect(Math.abs(behindMs)).toBeLessThanOrEqual(40);
  });

  it('follows the video over a discontinuity and over a jump that no one announced', () => {
    const player = new Player();
    player.show(1, 0);
    player.play(1, 0);
    // The audio's playlist is ahead: its segment waits for the video after the discontinuity.
    player.play(2, 500_000, { discontinuitySequence: 1 });
    player.show(2, 500_000 * 90, { discontinuitySequence: 1 });
    player.play(3, 30_000, { discontinuitySequence: 1 });
    player.show(3, 30_000 * 90, { discontinuitySequence: 1 });
    player.clock.advance(5_000);
    expect(player.videoMs).toHaveLength(75);
    const longest = Math.max(...player.soundMs.slice(1).map((ms, index) => ms - player.soundMs[index]!));
    expect(longest).toBeLessThan(2 * SOUND_FRAME_MS);
    expect(player.soundMs.at(-1)).toBeGreaterThan(2_900);
    for (const behindMs of player.behindMs) expect(Math.abs(behindMs)).toBeLessThanOrEqual(40);
  });

  it('does not run ahead of a video that stalls, and does not hold it up', () => {
    const player = new Player();
    player.show(1, 0);
    for (let second = 0; second < 4; second++) player.play(second, second * 1_000);
    player.clock.advance(10_000);
    expect(player.videoMs).toHaveLength(25);
    expect(player.soundMs.at(-1)).toBeLessThanOrEqual(960);
    expect(player.sound.waitingMs).toBeGreaterThan(2_900);
    for (let second = 1; second < 8; second++) player.show(second, second * SECOND);
    player.clock.advance(8_000);
    expect(player.videoMs).toHaveLength(200);
    expect(player.sound.waitingMs).toBe(0);
    expect(player.sound.waitingBytes).toBe(0);
  });

  it('that has nothing to do with the video is left out, and is not kept', () => {
    const player = new Player();
    player.show(1, 0);
    for (let second = 0; second < 20; second++) player.play(second, 3_600_000 + second * 1_000);
    expect(player.dropped).toEqual(Array(12 * SOUND_FRAMES).fill('HLS_BAD_TIMESTAMP'));
    expect(player.sound.waitingMs).toBe(0);
  });

  it('of the time before a discontinuity that the video has passed is left out', () => {
    const player = new Player();
    player.show(1, 0);
    player.show(2, 0, { discontinuitySequence: 1 });
    player.play(1, 60_000);
    expect(player.dropped).toEqual(Array(SOUND_FRAMES).fill('HLS_BAD_TIMESTAMP'));
  });

  it('must remain what was announced', () => {
    const { sound } = new Player();
    sound.init(Buffer.from(SOUND_INIT));
    const other = { ...FAKE_AUDIO, audioSpecificConfig: Buffer.from('1208', 'hex') };
    for (const init of [writeInitSegment([other]), INIT]) {
      expect(() => sound.init(init)).toThrow(expect.objectContaining({ code: 'HLS_MEDIA_CHANGED' }));
    }
    expect(() => sound.segment(Buffer.alloc(0), listed(1))).toThrow(
      expect.objectContaining({ code: 'HLS_SEGMENT_INVALID' }),
    );
  });

  it('fails with a code, or is in order, whatever the bytes', () => {
    const whole = soundSegment(48_000, SOUND_FRAMES);
    const damage = fc.record({
      at: fc.nat(whole.length - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
      discontinuitySequence: fc.nat(2),
      isInit: fc.boolean(),
    });
    fc.assert(
      fc.property(damage, ({ at, bytes, discontinuitySequence, isInit }) => {
        const player = new Player();
        const damaged = Buffer.from(isInit ? SOUND_INIT : whole);
        damaged.set(bytes.subarray(0, damaged.length - (at % damaged.length)), at % damaged.length);
        player.show(0, 0);
        try {
          if (isInit) player.sound.init(damaged);
          else player.sound.segment(damaged, listed(1, { discontinuitySequence }));
          player.play(2, 1_000);
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
        player.show(1, SECOND);
        player.clock.advance(5_000);
        expect(player.videoMs).toHaveLength(50);
        expect(player.soundMs).toEqual(player.soundMs.toSorted((a, b) => a - b));
      }),
      randomRuns(500),
    );
  });
});

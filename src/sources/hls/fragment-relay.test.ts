import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { aacTrackOf, buildAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts';
import { GatewayError } from '../../core/errors.ts';
import { writeInitSegment } from '../../isobmff/init-segment.ts';
import { FRAME_TICKS, INIT, listed, VIDEO, videoSegment } from './hls-fixture.ts';
import { readInitSection } from './init-section.ts';
import { Player } from './relay-fixture.ts';

const OTHER_VIDEO = { ...VIDEO, pps: [Buffer.from('68ebe3cb22c1', 'hex')] };
const OTHER_INIT = writeInitSegment([OTHER_VIDEO]);
const AUDIO = aacTrackOf(buildAudioSpecificConfig(48_000, 2))!;
const SECOND = 25 * FRAME_TICKS;

/** Distances between neighbors that are not a frame's duration. */
function irregular(times: readonly number[], regular: number): number[] {
  return times
    .slice(1)
    .map((time, index) => time - times[index]!)
    .filter((step) => Math.abs(step - regular) > 5);
}

describe('FragmentRelay', () => {
  it('leaves audio out where it is unwanted, also of the init sections that follow', () => {
    const init = writeInitSegment([VIDEO, AUDIO]);
    const player = new Player(readInitSection(init), 'off');
    player.relay.push(videoSegment(900_000, 25), listed(1));
    player.relay.changeInit(writeInitSegment([OTHER_VIDEO, AUDIO]));
    player.relay.push(videoSegment(900_000 + SECOND, 25), listed(2));
    player.clock.advance(3_000);
    const kinds = player.tracks.map((tracks) => tracks.map(({ kind }) => kind));
    expect(kinds).toEqual([['video'], ['video']]);
    expect(player.dts).toHaveLength(50);
    const heard = new Player(readInitSection(init));
    heard.relay.push(videoSegment(900_000, 25), listed(1));
    heard.clock.advance(1_000);
    expect(heard.tracks[0]!.map(({ kind }) => kind)).toEqual(['video', 'audio']);
  });

  it('announces the tracks, begins at 0, and releases a segment over its duration', () => {
    const player = new Player();
    player.relay.push(videoSegment(900_000, 25), listed(1));
    player.relay.push(videoSegment(900_000 + SECOND, 25), listed(2));
    player.clock.advance(1_000);
    expect(player.tracks).toEqual([[expect.objectContaining({ codec: 'h264', timescaleHz: 90_000 })]]);
    expect(player.dts.length).toBeGreaterThanOrEqual(25);
    expect(player.dts.length).toBeLessThanOrEqual(27);
    player.clock.advance(2_000);
    expect(player.dts).toEqual(Array.from({ length: 50 }, (_, index) => index * FRAME_TICKS));
    expect(irregular(player.arrivals, 40)).toEqual([]);
  });

  it('leaves out what comes before the first key frame', () => {
    const player = new Player();
    player.relay.push(videoSegment(0, 25, 10), listed(1));
    player.clock.advance(2_000);
    expect(player.dropped).toEqual(Array(10).fill('RTP_JOINING'));
    expect(player.dts).toEqual(Array.from({ length: 15 }, (_, index) => index * FRAME_TICKS));
  });

  it.each([
    ['a discontinuity', 90_000_000, { discontinuitySequence: 1 }, 0],
    ['a small step at a discontinuity', SECOND + 9_000, { discontinuitySequence: 1 }, 0],
    ['a jump back that no one announced', 0, {}, 0],
    ['an hour ahead', 3_600 * 90_000, {}, 0],
    ['a discontinuity after a second that is missing', 90_000_000, { discontinuitySequence: 1 }, 1_000],
  ])('goes on over %s', (_title, startTicks, more, missedMs) => {
    const player = new Player();
    player.relay.push(videoSegment(9_000_000, 25), listed(1));
    if (missedMs > 0) player.relay.missed(missedMs);
    player.relay.push(videoSegment(startTicks, 25), listed(2, more));
    player.clock.advance(5_000);
    const expected = Array.from(
      { length: 50 },
      (_, index) => index * FRAME_TICKS + (index < 25 ? 0 : missedMs * 90),
    );
    expect(player.dts).toEqual(expected);
  });

  it('shifts what follows if the next segment is late, and never sends a burst', () => {
    const player = new Player();
    player.relay.push(videoSegment(0, 25), listed(1));
    player.clock.advance(4_000);
    player.relay.push(videoSegment(SECOND, 25), listed(2));
    player.clock.advance(2_000);
    expect(irregular(player.dts, FRAME_TICKS)).toEqual([]);
    expect(irregular(player.arrivals, 40)).toHaveLength(1);
  });

  it('is a little faster while more waits than necessary', () => {
    const player = new Player();
    for (let index = 0; index < 10; index++)
      player.relay.push(videoSegment(index * SECOND, 25), listed(index));
    player.clock.advance(4_000);
    expect(player.dts.length).toBeGreaterThan(103);
    expect(player.dts.length).toBeLessThan(110);
    expect(irregular(player.arrivals, 38)).toEqual([]);
  });

  it('announces tracks again for an init section with other parameter sets, and not for the same one', () => {
    const player = new Player();
    player.relay.push(videoSegment(0, 25), listed(1));
    player.relay.changeInit(Buffer.from(INIT));
    player.relay.push(videoSegment(SECOND, 25), listed(2));
    player.relay.changeInit(OTHER_INIT);
    player.relay.push(videoSegment(2 * SECOND, 25), listed(3));
    player.clock.advance(4_000);
    expect(player.tracks).toHaveLength(2);
    expect(player.dts).toHaveLength(75);
  });

  it.each([
    ['an empty segment', Buffer.alloc(0), 'HLS_SEGMENT_INVALID'],
    ['a cut one', videoSegment(0, 25).subarray(0, -1), 'ISOBMFF_BOX_SIZE'],
    ['an HTML page', Buffer.from('<html><body>Not found</body></html>'), 'ISOBMFF_BOX_SIZE'],
    [
      'fragments without data',
      Buffer.concat(Array(3).fill(videoSegment(0, 25).subarray(0, 400))),
      /ISOBMFF|HLS/,
    ],
    [
      '100,000 boxes',
      Buffer.from('00000008'.concat(Buffer.from('free').toString('hex')).repeat(100_000), 'hex'),
      'ISOBMFF_LIMIT',
    ],
  ])('refuses %s', (_title, bytes, code) => {
    const { relay } = new Player();
    const expected = typeof code === 'string' ? code : expect.stringMatching(code);
    expect(() => relay.push(bytes, listed(1))).toThrow(expect.objectContaining({ code: expected }));
  });

  it('fails with a code, or passes on what is in order, whatever the bytes', () => {
    const whole = videoSegment(SECOND, 25);
    const damage = fc.record({
      at: fc.nat(whole.length - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
      cut: fc.nat(whole.length),
      isInit: fc.boolean(),
    });
    fc.assert(
      fc.property(damage, ({ at, bytes, cut, isInit }) => {
        const player = new Player();
        const damaged = Buffer.from(isInit ? INIT : whole);
        damaged.set(bytes.subarray(0, damaged.length - (at % damaged.length)), at % damaged.length);
        const segment = cut % 3 === 0 ? damaged.subarray(0, cut) : damaged;
        try {
          player.relay.push(videoSegment(0, 25), listed(1));
          if (isInit) player.relay.changeInit(segment);
          else player.relay.push(segment, listed(2));
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
        player.clock.advance(60_000);
        expect(player.dts).toEqual(player.dts.toSorted((a, b) => a - b));
        expect(new Set(player.dts).size).toBe(player.dts.length);
      }),
      randomRuns(1_000),
    );
  });
});

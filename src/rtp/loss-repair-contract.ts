/** Requirements for the repair of lost pictures in every codec, on real video and judged by ffmpeg's decoder. */

import { describe, expect, it } from 'vitest';
import type { DecodedVideo } from '../../test/support/decoded-video.ts';
import { PacketLoss } from '../synthetic-camera/packet-loss.ts';
import { MAX_REPAIRED_GAP_SEC } from './loss-policy.ts';
import type { ReceivedTrack } from './media-receiver.ts';
import { FRAME_TICKS, RecordingReceiver } from './sample-stream-fixture.ts';

export const GOP = 25;
export const PICTURES = 4 * GOP;
export const EVERY_PICTURE = Array.from({ length: PICTURES }, (_, index) => index);
const FRAME_MS = 40;
const FRAMES_PER_SEC = 25;
const TICKS_PER_SEC = 90_000;

export interface RepairedCodec {
  /** The class under test. */
  readonly title: string;
  readonly track: ReceivedTrack;
  /** Names of streams whose pictures are shown in the order in which they are sent. */
  readonly plain: readonly string[];
  /** Name of a stream whose pictures are not. */
  readonly reordered: string;
  /** Most repeats in one gap. */
  readonly maxRepeats: number;
  /** New packets of each of PICTURES pictures, with a key frame every GOP. */
  packetsOf(stream: string): Buffer[][];
  decode(recorder: RecordingReceiver): DecodedVideo;
}

type Pictures = readonly (readonly Buffer[])[];

export function receiveRepaired(track: ReceivedTrack, pictures: Pictures): RecordingReceiver {
  return receive(new RecordingReceiver({ tracks: [track], lossPolicy: 'repair' }), pictures);
}

/** Times of the units, in pictures. */
export function timesOf(recorder: RecordingReceiver): number[] {
  return recorder.units.map(({ ptsTicks }) => ptsTicks / FRAME_TICKS);
}

function receive(recorder: RecordingReceiver, pictures: Pictures): RecordingReceiver {
  for (const [index, packets] of pictures.entries()) recorder.feed([...packets], index * FRAME_MS);
  return recorder;
}

export function describeLossRepair(codec: RepairedCodec): void {
  const { title, track, plain, reordered, maxRepeats, packetsOf, decode } = codec;
  const [simple = ''] = plain;
  const without = (stream: string, isLost: (index: number) => boolean): RecordingReceiver =>
    receiveRepaired(
      track,
      packetsOf(stream).map((packets, index) => (isLost(index) ? [] : packets)),
    );
  /** `spared`: pictures at the beginning that lose nothing. */
  const withLoss = (stream: string, loss: PacketLoss, spared: number): RecordingReceiver =>
    receiveRepaired(
      track,
      packetsOf(stream).map((packets, index) => packets.filter(() => index < spared || !loss.takesNext())),
    );

  describe.each(plain)(`${title}: %s`, (stream) => {
    it('replaces a lost picture with a repeat that later pictures refer to', () => {
      const recorder = without(stream, (index) => index === 30);
      const { complaints, luma } = decode(recorder);
      expect(complaints).toBe('');
      expect(timesOf(recorder)).toEqual(EVERY_PICTURE);
      expect(luma).toHaveLength(PICTURES);
      expect(luma[30]!.equals(luma[29]!)).toBe(true);
      expect(luma[31]!.equals(luma[30]!)).toBe(false);
      expect(recorder.dropped).toEqual([['RTP_PACKET_LOSS', 1]]);
    });

    it.each([
      [0.02, 1.02],
      [0.2, 1.25],
      [0.1, 60],
    ])('decodes without an error at a loss of %d in bursts of %d', (share, meanBurstPackets) => {
      for (let seed = 1; seed <= 2; seed++) {
        const recorder = withLoss(stream, new PacketLoss({ share, seed, meanBurstPackets }), 2);
        const { complaints, luma } = decode(recorder);
        expect(complaints).toBe('');
        expect(luma).toHaveLength(recorder.units.length);
        const dts = recorder.units.map(({ dtsTicks }) => dtsTicks);
        expect(dts.every((ticks, at) => at === 0 || ticks > dts[at - 1]!)).toBe(true);
      }
    });
  });

  describe(`${title}, limits`, () => {
    it('makes a limited number of repeats, however many are lost', () => {
      const recorder = without(simple, (index) => index > 1 && index < GOP - 1);
      expect(decode(recorder).complaints).toBe('');
      const repeats = timesOf(recorder).filter((at) => at > 1 && at < GOP - 1);
      expect(repeats.length).toBeGreaterThan(1);
      expect(repeats.length).toBeLessThanOrEqual(maxRepeats);
    });

    it('waits for the next key frame after a longer gap', () => {
      const gapSec = MAX_REPAIRED_GAP_SEC + 1;
      const recorder = new RecordingReceiver({ tracks: [track], lossPolicy: 'repair' });
      for (const [index, packets] of packetsOf(simple).entries()) {
        if (index === 2) continue;
        const lateSec = index > 2 ? gapSec : 0;
        for (const packet of packets)
          packet.writeUInt32BE(packet.readUInt32BE(4) + lateSec * TICKS_PER_SEC, 4);
        recorder.feed(packets, index * FRAME_MS + lateSec * 1_000);
      }
      const resumedAt = GOP + gapSec * FRAMES_PER_SEC;
      expect(timesOf(recorder).slice(0, 4)).toEqual([0, 1, resumedAt, resumedAt + 1]);
      expect(recorder.dropped).toEqual([
        ['RTP_PACKET_LOSS', 1],
        ['RTP_REFERENCE_LOST', GOP - 3],
      ]);
    });

    it('never emits a damaged stream of reordered pictures, whatever is lost', () => {
      for (let seed = 1; seed <= 6; seed++) {
        const recorder = withLoss(reordered, new PacketLoss({ share: 0.02, seed }), 4);
        expect(decode(recorder).complaints).toBe('');
      }
    });

    it('does not touch a stream that loses nothing', () => {
      const stream = plain[1]!;
      const untouched = receive(new RecordingReceiver({ tracks: [track] }), packetsOf(stream));
      expect(receiveRepaired(track, packetsOf(stream)).units).toEqual(untouched.units);
    });
  });
}

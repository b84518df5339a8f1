/** Real H.264 with lost packets, repaired, and judged by ffmpeg's decoder, which reports everything it conceals. */

import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeReceived, HEIGHT_PX, WIDTH_PX } from '../../../test/support/decoded-video.ts';
import { type AnnexBAccessUnit, splitAnnexB } from '../../codec/byte-stream.ts';
import { joinAccessUnits } from '../../codec/h264/annex-b.ts';
import { MAX_REPEATS } from '../loss-policy.ts';
import {
  describeLossRepair,
  EVERY_PICTURE,
  GOP,
  PICTURES,
  receiveRepaired,
  timesOf,
} from '../loss-repair-contract.ts';
import {
  FRAME_TICKS,
  type RecordingReceiver,
  SamplePackets,
  VIDEO_TRACK_WITHOUT_SETS,
} from '../sample-stream-fixture.ts';

const NO_REORDERING = ['-bf', '0'];
const REORDERED = 'B-frames';

/** Typical camera streams that differ in entropy coding, slices, references and weights. */
const ENCODERS: Record<string, readonly string[]> = {
  CABAC: ['-profile:v', 'high', ...NO_REORDERING],
  'CAVLC, four slices': ['-profile:v', 'baseline', '-slices', '4', ...NO_REORDERING],
  'four references with weights': ['-profile:v', 'main', '-refs', '4', '-weightp', '2', ...NO_REORDERING],
  // A fading scene, so that the weights are not the default ones.
  'CAVLC, weights, fade': [
    ...['-profile:v', 'main', '-coder', '0', '-weightp', '2', '-vf', 'fade=in:0:100', ...NO_REORDERING],
  ],
  'low quality': ['-profile:v', 'high', '-qp', '45', ...NO_REORDERING],
  'high quality': ['-profile:v', 'high', '-qp', '8', ...NO_REORDERING],
  [REORDERED]: ['-profile:v', 'high', '-bf', '2'],
};
const PLAIN = Object.keys(ENCODERS).filter((name) => name !== REORDERED);
const streams = new Map<string, readonly AnnexBAccessUnit[]>();

beforeAll(() => {
  for (const [name, encoder] of Object.entries(ENCODERS)) streams.set(name, encode(encoder));
});

function encode(encoder: readonly string[]): AnnexBAccessUnit[] {
  const { stdout, stderr } = spawnSync(
    'ffmpeg',
    [
      ...['-v', 'error', '-nostdin', '-f', 'lavfi'],
      ...['-i', `testsrc2=size=${WIDTH_PX}x${HEIGHT_PX}:rate=25:duration=${PICTURES / 25}`],
      ...['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-b:v', '500k', '-preset', 'fast', ...encoder],
      ...['-x264-params', `keyint=${GOP}:min-keyint=${GOP}:scenecut=0:repeat-headers=1`],
      ...['-f', 'h264', 'pipe:1'],
    ],
    { maxBuffer: 64_000_000 },
  );
  expect(stderr.toString()).toBe('');
  return joinAccessUnits(splitAnnexB(stdout));
}

function packetsOf(name: string): Buffer[][] {
  const packets = new SamplePackets();
  return streams.get(name)!.map(({ nalus }, index) => packets.picture(index * FRAME_TICKS, nalus));
}

function receive(pictures: readonly (readonly Buffer[])[]): RecordingReceiver {
  return receiveRepaired(VIDEO_TRACK_WITHOUT_SETS, pictures);
}

describeLossRepair({
  title: 'LossRepair',
  track: VIDEO_TRACK_WITHOUT_SETS,
  plain: PLAIN,
  reordered: REORDERED,
  packetsOf,
  // As many as a decoder keeps pictures.
  maxRepeats: MAX_REPEATS,
  decode: decodeReceived,
});

describe.each(PLAIN)('LossRepair: %s', (name) => {
  it('continues with the old picture until the next key frame when one is lost', () => {
    const clean = decodeReceived(receive(packetsOf(name)));
    const pictures = packetsOf(name).map((packets, index) =>
      index === 2 * GOP ? packets.toSpliced(packets.length - 2, 1) : packets,
    );
    const recorder = receive(pictures);
    const { complaints, luma } = decodeReceived(recorder);
    expect(complaints).toBe('');
    expect(timesOf(recorder)).toEqual(EVERY_PICTURE);
    expect(luma[2 * GOP]!.equals(luma[2 * GOP - 1]!)).toBe(true);
    expect(luma[2 * GOP + 1]!.equals(luma[2 * GOP]!)).toBe(false);
    for (const at of [2 * GOP - 1, 3 * GOP, 4 * GOP - 1])
      expect(luma[at]!.equals(clean.luma[at]!)).toBe(true);
    expect(recorder.units[2 * GOP]!.isKey).toBe(false);
  });

  it('closes the gap before a key frame', () => {
    const isLost = (index: number) => index >= 2 * GOP - 3 && index < 2 * GOP;
    const recorder = receive(packetsOf(name).map((packets, index) => (isLost(index) ? [] : packets)));
    expect(decodeReceived(recorder).complaints).toBe('');
    expect(timesOf(recorder)).toEqual(EVERY_PICTURE);
  });
});

describe('LossRepair, limits', () => {
  it('waits for the next key frame if pictures are reordered', () => {
    const recorder = receive(packetsOf(REORDERED).map((packets, index) => (index === 4 ? [] : packets)));
    expect(decodeReceived(recorder).complaints).toBe('');
    expect(recorder.units).toHaveLength(PICTURES - GOP + 4);
    expect(recorder.dropped).toEqual([
      ['RTP_PACKET_LOSS', 1],
      ['RTP_REFERENCE_LOST', GOP - 5],
    ]);
  });
});

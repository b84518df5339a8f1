/** Real H.264 with lost packets, repaired, and judged by ffmpeg's decoder, which reports everything it conceals. */

import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AnnexBAccessUnit, joinAccessUnits, splitAnnexB } from '../../codec/h264/annex-b.ts';
import type { H264Track } from '../../codec/track.ts';
import { PacketLoss } from '../../sources/synthetic-camera/packet-loss.ts';
import { FRAME_TICKS, RecordingReceiver, SamplePackets, VIDEO_TRACK_WITHOUT_SETS } from '../sample-stream.ts';
import { MAX_REPAIRED_GAP_SEC, MAX_REPEATS } from './loss-repair.ts';

const GOP = 25;
const PICTURES = 4 * GOP;
const START_CODE = Buffer.from([0, 0, 0, 1]);
const WIDTH_PX = 160;
const HEIGHT_PX = 120;
const NO_REORDERING = ['-bf', '0'];

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
  'B-frames': ['-profile:v', 'high', '-bf', '2'],
};
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

/** Packets per picture. */
function packetsOf(name: string): Buffer[][] {
  const packets = new SamplePackets();
  return streams.get(name)!.map(({ nalus }, index) => packets.picture(index * FRAME_TICKS, nalus));
}

function receive(pictures: readonly (readonly Buffer[])[]): RecordingReceiver {
  const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK_WITHOUT_SETS], lossPolicy: 'repair' });
  pictures.forEach((packets, index) => {
    recorder.feed([...packets], index * 40);
  });
  return recorder;
}

interface Decoded {
  readonly complaints: string;
  readonly luma: readonly Buffer[];
}

function decode(recorder: RecordingReceiver): Decoded {
  const bytes: Uint8Array[] = [];
  const { sps, pps } = recorder.announced[0]![0] as H264Track;
  for (const nalu of [...sps, ...pps]) bytes.push(START_CODE, nalu);
  for (const { data } of recorder.units) {
    for (let at = 0; at < data.length; ) {
      const end = at + 4 + Buffer.from(data.buffer, data.byteOffset).readUInt32BE(at);
      bytes.push(START_CODE, data.subarray(at + 4, end));
      at = end;
    }
  }
  const { stdout, stderr } = spawnSync(
    'ffmpeg',
    [
      ...['-v', 'warning', '-nostdin', '-err_detect', 'explode', '-flags', '+output_corrupt'],
      ...[
        '-f',
        'h264',
        '-i',
        'pipe:0',
        '-fps_mode',
        'passthrough',
        '-pix_fmt',
        'gray',
        '-f',
        'rawvideo',
        '-',
      ],
    ],
    { input: Buffer.concat(bytes), maxBuffer: 256_000_000 },
  );
  const pictureBytes = WIDTH_PX * HEIGHT_PX;
  const luma = Array.from({ length: stdout.length / pictureBytes }, (_, at) =>
    stdout.subarray(at * pictureBytes, (at + 1) * pictureBytes),
  );
  return { complaints: stderr.toString(), luma };
}

/** Times of the units, in pictures. */
function times(recorder: RecordingReceiver): number[] {
  return recorder.units.map(({ ptsTicks }) => ptsTicks / FRAME_TICKS);
}

const everyPicture = Array.from({ length: PICTURES }, (_, index) => index);
const plainEncoders = Object.keys(ENCODERS).filter((name) => name !== 'B-frames');

describe.each(plainEncoders)('LossRepair: %s', (name) => {
  it('replaces a lost picture with a repeat that later pictures refer to', () => {
    const recorder = receive(packetsOf(name).map((packets, index) => (index === 30 ? [] : packets)));
    const { complaints, luma } = decode(recorder);
    expect(complaints).toBe('');
    expect(times(recorder)).toEqual(everyPicture);
    expect(luma).toHaveLength(PICTURES);
    expect(luma[30]!.equals(luma[29]!)).toBe(true);
    expect(luma[31]!.equals(luma[30]!)).toBe(false);
    expect(recorder.dropped).toEqual([['RTP_PACKET_LOSS', 1]]);
  });

  it('continues with the old picture until the next key frame when one is lost', () => {
    const clean = decode(receive(packetsOf(name)));
    const pictures = packetsOf(name).map((packets, index) =>
      index === 2 * GOP ? packets.toSpliced(packets.length - 2, 1) : packets,
    );
    const recorder = receive(pictures);
    const { complaints, luma } = decode(recorder);
    expect(complaints).toBe('');
    expect(times(recorder)).toEqual(everyPicture);
    expect(luma[2 * GOP]!.equals(luma[2 * GOP - 1]!)).toBe(true);
    expect(luma[2 * GOP + 1]!.equals(luma[2 * GOP]!)).toBe(false);
    for (const at of [2 * GOP - 1, 3 * GOP, 4 * GOP - 1])
      expect(luma[at]!.equals(clean.luma[at]!)).toBe(true);
    expect(recorder.units[2 * GOP]!.isKey).toBe(false);
  });

  it('closes the gap before a key frame', () => {
    const isLost = (index: number) => index >= 2 * GOP - 3 && index < 2 * GOP;
    const recorder = receive(packetsOf(name).map((packets, index) => (isLost(index) ? [] : packets)));
    expect(decode(recorder).complaints).toBe('');
    expect(times(recorder)).toEqual(everyPicture);
  });

  it.each([
    [0.02, 1.02],
    [0.2, 1.25],
    [0.1, 60],
  ])('decodes without an error at a loss of %d in bursts of %d', (share, meanBurstPackets) => {
    for (let seed = 1; seed <= 2; seed++) {
      const loss = new PacketLoss({ share, seed, meanBurstPackets });
      const pictures = packetsOf(name).map((packets, index) =>
        packets.filter(() => index < 2 || !loss.takesNext()),
      );
      const recorder = receive(pictures);
      const { complaints, luma } = decode(recorder);
      expect(complaints).toBe('');
      expect(luma).toHaveLength(recorder.units.length);
      const dts = recorder.units.map(({ dtsTicks }) => dtsTicks);
      expect(dts.every((ticks, at) => at === 0 || ticks > dts[at - 1]!)).toBe(true);
    }
  });
});

describe('LossRepair, limits', () => {
  it('makes at most as many repeats as a decoder keeps pictures, however many are lost', () => {
    const isLost = (index: number) => index > 1 && index < GOP - 1;
    const recorder = receive(packetsOf('CABAC').map((packets, index) => (isLost(index) ? [] : packets)));
    expect(decode(recorder).complaints).toBe('');
    const repeats = times(recorder).filter((at) => at > 1 && at < GOP - 1);
    expect(repeats.length).toBeGreaterThan(1);
    expect(repeats.length).toBeLessThanOrEqual(MAX_REPEATS);
  });

  it('waits for the next key frame after a longer gap', () => {
    const gapSec = MAX_REPAIRED_GAP_SEC + 1;
    const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK_WITHOUT_SETS], lossPolicy: 'repair' });
    packetsOf('CABAC').forEach((packets, index) => {
      if (index === 2) return;
      const lateSec = index > 2 ? gapSec : 0;
      for (const packet of packets) packet.writeUInt32BE(packet.readUInt32BE(4) + lateSec * 90_000, 4);
      recorder.feed(packets, index * 40 + lateSec * 1_000);
    });
    expect(times(recorder).slice(0, 4)).toEqual([0, 1, GOP + gapSec * 25, GOP + gapSec * 25 + 1]);
    expect(recorder.dropped).toEqual([
      ['RTP_PACKET_LOSS', 1],
      ['RTP_REFERENCE_LOST', GOP - 3],
    ]);
  });

  it('waits for the next key frame if pictures are reordered', () => {
    const recorder = receive(packetsOf('B-frames').map((packets, index) => (index === 4 ? [] : packets)));
    expect(decode(recorder).complaints).toBe('');
    expect(recorder.units).toHaveLength(PICTURES - GOP + 4);
    expect(recorder.dropped).toEqual([
      ['RTP_PACKET_LOSS', 1],
      ['RTP_REFERENCE_LOST', GOP - 5],
    ]);
  });

  it('never emits a damaged stream of reordered pictures, whatever is lost', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const loss = new PacketLoss({ share: 0.02, seed });
      const recorder = receive(
        packetsOf('B-frames').map((packets, index) => packets.filter(() => index < 4 || !loss.takesNext())),
      );
      expect(decode(recorder).complaints).toBe('');
    }
  });

  it('does not touch a stream that loses nothing', () => {
    const recorder = receive(packetsOf('CABAC'));
    const untouched = new RecordingReceiver({ tracks: [VIDEO_TRACK_WITHOUT_SETS] });
    packetsOf('CABAC').forEach((packets, index) => {
      untouched.feed(packets, index * 40);
    });
    expect(recorder.units).toEqual(untouched.units);
  });
});

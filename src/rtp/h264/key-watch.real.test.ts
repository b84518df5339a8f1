/** Streams without IDR pictures by x264, judged by ffmpeg. */

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { splitAnnexB } from '../../codec/byte-stream.ts';
import { joinAccessUnits } from '../../codec/h264/annex-b.ts';
import { isFirstISlice } from '../../codec/h264/slice-header.ts';
import type { H264Track } from '../../codec/track.ts';
import { FRAME_TICKS, RecordingReceiver, SamplePackets, VIDEO_TRACK } from '../sample-stream-fixture.ts';

const START_CODE = Buffer.from([0, 0, 0, 1]);
/** ffmpeg's messages about pictures that it cannot decode as they are. */
const COMPLAINT = /error|conceal|missing|gap|reference/i;
const RECOVERY_NOW = Buffer.from('060601c480', 'hex');

function encode(parameters: string, seconds: number, more: readonly string[] = []): Uint8Array[][] {
  const { stdout, stderr } = spawnSync(
    'ffmpeg',
    [
      ...[
        '-v',
        'error',
        '-nostdin',
        '-f',
        'lavfi',
        '-i',
        `testsrc2=size=160x120:rate=25:duration=${seconds}`,
      ],
      ...['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-preset', 'fast', '-bf', '0', ...more],
      ...['-x264-params', `repeat-headers=1:${parameters}`],
      ...['-f', 'h264', 'pipe:1'],
    ],
    { maxBuffer: 64_000_000 },
  );
  expect(stderr.toString()).toBe('');
  return joinAccessUnits(splitAnnexB(stdout)).map(({ nalus }) => [...nalus]);
}

interface Received {
  readonly recorder: RecordingReceiver;
  /** Number of the first picture that came out, and of all key frames. */
  readonly keys: readonly number[];
}

/** Pictures from `first` on, at 25 per second; `isLost`: by number. */
function receive(
  pictures: readonly Uint8Array[][],
  first: number,
  isLost = (_index: number) => false,
): Received {
  const sets = pictures[0]!.filter((nalu) => [7, 8].includes(nalu[0]! & 0x1f));
  const sprop = sets.map((nalu) => Buffer.from(nalu).toString('base64')).join(',');
  const track = { ...VIDEO_TRACK, fmtp: new Map([['sprop-parameter-sets', sprop]]) };
  const recorder = new RecordingReceiver({ tracks: [track], lossPolicy: 'repair' });
  const packets = new SamplePackets(0);
  const arrivals: number[] = [];
  pictures.slice(first).forEach((nalus, at) => {
    const sent = packets.picture((first + at) * FRAME_TICKS, nalus);
    if (!isLost(first + at)) recorder.feed(sent, (first + at) * 40);
    while (arrivals.length < recorder.units.length) arrivals.push(first + at);
  });
  const keys = recorder.units.flatMap(({ isKey, arrivalMonoMs }) => (isKey ? [arrivalMonoMs / 40] : []));
  return { recorder, keys };
}

function complaints({ recorder }: Received): { text: string; frames: number } {
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
      '-v',
      'warning',
      '-nostdin',
      '-f',
      'h264',
      '-i',
      'pipe:0',
      '-fps_mode',
      'passthrough',
      '-f',
      'rawvideo',
      'pipe:1',
    ],
    { input: Buffer.concat(bytes), maxBuffer: 64_000_000 },
  );
  return { text: stderr.toString(), frames: stdout.length / (160 * 120 * 1.5) };
}

describe('a camera that sends one IDR picture when it starts, and then intra pictures', () => {
  // At each change of the scene, x264 writes an intra picture that is not IDR. With one reference, nothing after it
  // refers to anything before it, as a recovery point promises.
  const crop = "crop=80:60:'mod(floor(t)*37,80)':'mod(floor(t)*23,60)',scale=160:120";
  const scenes = ['-vf', `${crop},negate=enable='eq(mod(floor(t),2),1)'`, '-refs', '1'];
  const pictures = encode('keyint=infinite:min-keyint=10000:scenecut=100', 8, scenes).map((nalus) => {
    const isIntra = nalus.some((nalu) => (nalu[0]! & 0x1f) === 1 && isFirstISlice(nalu[1]!));
    return isIntra ? [RECOVERY_NOW, ...nalus] : nalus;
  });
  const points = pictures.flatMap((nalus, index) => (nalus[0] === RECOVERY_NOW ? [index] : []));

  it('is what the tests need: no IDR picture but the first', () => {
    const types = pictures.map((nalus) => nalus.some((nalu) => (nalu[0]! & 0x1f) === 5));
    expect([types.indexOf(true), types.lastIndexOf(true)]).toEqual([0, 0]);
    expect(points).toEqual(expect.arrayContaining([50, 75, 100, 125]));
  });

  it('plays on with a key frame at every recovery point, once no IDR picture has come for 4 s', () => {
    const received = receive(pictures, 0);
    expect(received.keys).toEqual([0, ...points.filter((index) => index >= 100)]);
    expect(received.recorder.isUnfit).toBe(false);
    expect(complaints(received).text).not.toMatch(COMPLAINT);
  });

  it('opens at a recovery point, and what comes out decodes from there', () => {
    const received = receive(pictures, 30);
    expect(received.keys).toEqual(points.filter((index) => index >= 50));
    expect(received.recorder.dropped).toEqual([['RTP_JOINING', 20]]);
    const { text, frames } = complaints(received);
    expect(text).not.toMatch(COMPLAINT);
    expect(frames).toBe(received.recorder.units.length);
  });

  it('repairs losses across recovery points, whose numbers go on', () => {
    const received = receive(pictures, 30, (index) => index === 60 || index === 99 || index === 127);
    expect(received.keys).toEqual(points.filter((index) => index >= 50));
    expect(complaints(received).text).not.toMatch(COMPLAINT);
  });

  it('goes on without the recovery point that is lost', () => {
    const received = receive(pictures, 30, (index) => index === 75);
    expect(received.keys).toEqual(points.filter((index) => index >= 50 && index !== 75));
    expect(complaints(received).text).not.toMatch(COMPLAINT);
  });
});

describe('a camera that refreshes its pictures gradually (x264, intra refresh)', () => {
  const stating = encode('intra-refresh=1:keyint=25:min-keyint=25:scenecut=0', 24);
  /** As other encoders do it: without the options, which are in an SEI message of the first picture. */
  const pictures = [stating[0]!.filter((nalu) => (nalu[0]! & 0x1f) !== 6), ...stating.slice(1)];

  it('is keyless from the first picture on if the encoder states it', () => {
    expect(receive(stating.slice(0, 3), 0).recorder.isUnfit).toBe(true);
    expect(receive(pictures.slice(0, 3), 0).recorder.isUnfit).toBe(false);
  });

  it('is keyless when the segment of its only key frame is about to end', () => {
    const { recorder, keys } = receive(pictures.slice(0, 399), 0);
    expect([keys, recorder.isUnfit]).toEqual([[0], false]);
    expect(receive(pictures, 0).recorder.isUnfit).toBe(true);
  });

  it('is keyless after 4 s if it is joined later', () => {
    const early = receive(pictures.slice(0, 125), 30);
    expect([early.keys, early.recorder.isUnfit]).toEqual([[], false]);
    const { keys, recorder } = receive(pictures.slice(0, 160), 30);
    expect([keys, recorder.isUnfit]).toEqual([[], true]);
  });
});

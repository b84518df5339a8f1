/** Jumps of a camera's clock together with sound that stops and a resolution that changes, from packets to parts. */

import { describe, expect, it } from 'vitest';
import { readFragment } from '../cmaf/fake-player.ts';
import { Segmenter } from '../cmaf/segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from '../cmaf/segmenter-limits.ts';
import { WallClock } from '../cmaf/wall-clock.ts';
import { packAacFrames } from '../rtp/aac/aac-packetizer.ts';
import { MediaReceiver } from '../rtp/media-receiver.ts';
import {
  AUDIO_PT,
  AUDIO_TRACK,
  rtpPacket,
  SAMPLE_PPS,
  SAMPLE_PPS_1080,
  SAMPLE_SPS,
  SAMPLE_SPS_1080,
  SamplePackets,
  slice,
  VIDEO_TRACK,
} from '../rtp/sample-stream-fixture.ts';

const SECONDS = 12;
const FRAME_MS = 40;
const GOP = 25;
const AUDIO_FRAME_MS = 1_024 / 48;
/** In the middle of a group of pictures. */
const JUMP_MS = 5_400;
const FIRST_TIMESTAMP = 0xffff_0000;

const JUMPS = { 'an hour ahead': 3_600_000, 'a minute back': -60_000, 'a second and a half back': -1_500 };
const JUMPING = { 'both tracks': 'av', 'the video': 'v', 'the audio': 'a' };
const SOUND: Record<string, readonly [number, number]> = {
  'goes on': [0, 0],
  'stops for 2 s around it': [4_600, 6_600],
  'stops with it': [JUMP_MS, SECONDS * 1_000],
  'returns with it': [3_000, JUMP_MS],
};
const RESOLUTION: Record<string, number> = {
  stays: Number.POSITIVE_INFINITY,
  'changes at the next key frame': 6_000,
  'changes at the key frame before': 5_000,
};

interface Faults {
  readonly jumpMs: number;
  readonly jumping: string;
  readonly muted: readonly [number, number];
  readonly changeMs: number;
}

interface Output {
  readonly dropped: readonly string[];
  readonly discontinuities: number;
  /** Where each part's video and audio end, in milliseconds. */
  readonly videoEndsMs: readonly number[];
  readonly audioEndsMs: readonly number[];
  readonly holes: number;
}

function play({ jumpMs, jumping, muted, changeMs }: Faults): Output {
  const dropped: string[] = [];
  const videoEndsMs: number[] = [];
  const audioEndsMs: number[] = [];
  let discontinuities = 0;
  let holes = 0;
  const segmenter = new Segmenter({
    limits: DEFAULT_SEGMENTER_LIMITS,
    content: 'video-and-audio',
    wallClock: new WallClock(0),
    originMonoMs: 0,
    onPart: (part) => {
      if (part.hasDiscontinuity) discontinuities += 1;
      const [video, audio] = readFragment(part.bytes.join()).runs;
      const startMs = video!.startTicks / 90;
      if (Math.abs(startMs - (videoEndsMs.at(-1) ?? startMs)) > 0.02) holes += 1;
      videoEndsMs.push(video!.endTicks / 90);
      audioEndsMs.push(audio === undefined ? (audioEndsMs.at(-1) ?? 0) : audio.endTicks / 48);
      part.bytes.release();
    },
  });
  const receiver = new MediaReceiver({
    tracks: [VIDEO_TRACK, AUDIO_TRACK],
    transport: 'tcp',
    localSsrc: 1,
    lossPolicy: 'repair',
    events: {
      onTracks: (tracks) => segmenter.setTracks(tracks),
      onAccessUnit: (unit) => segmenter.push(unit),
      onDropped: (frames, code) => frames > 0 && code !== 'RTP_JOINING' && dropped.push(code),
    },
  });
  const packets = new SamplePackets(0);
  const stamp = (ms: number, track: string, perMs: number): number => {
    const jumped = ms >= JUMP_MS && jumping.includes(track) ? ms + jumpMs : ms;
    return (FIRST_TIMESTAMP + Math.round(jumped * perMs)) >>> 0;
  };
  let audioFrame = 0;
  for (let frame = 0; frame < SECONDS * 25; frame++) {
    const ms = frame * FRAME_MS;
    const isKey = frame % GOP === 0;
    const sets = ms < changeMs ? [SAMPLE_SPS, SAMPLE_PPS] : [SAMPLE_SPS_1080, SAMPLE_PPS_1080];
    const nalus = [...(isKey ? sets : []), slice(isKey ? 'idr' : 'reference', `${frame}`)];
    for (const packet of packets.picture(stamp(ms, 'v', 90), nalus)) {
      receiver.rtp(0, packet, 0, packet.length, ms);
    }
    for (; audioFrame * AUDIO_FRAME_MS < ms + FRAME_MS; audioFrame++) {
      const audioMs = audioFrame * AUDIO_FRAME_MS;
      if (audioMs >= muted[0] && audioMs < muted[1]) continue;
      const payload = packAacFrames([Uint8Array.of(1, 2, 3)]);
      const packet = rtpPacket(AUDIO_PT, audioFrame & 0xffff, stamp(audioMs, 'a', 48), payload, true, 7);
      receiver.rtp(1, packet, 0, packet.length, audioMs + AUDIO_FRAME_MS);
    }
  }
  segmenter.discontinuity();
  return { dropped, discontinuities, videoEndsMs, audioEndsMs, holes };
}

const CASES = Object.entries(JUMPS).flatMap(([jump, jumpMs]) =>
  Object.entries(JUMPING).flatMap(([who, jumping]) =>
    Object.entries(SOUND).flatMap(([sound, muted]) =>
      Object.entries(RESOLUTION).map(
        ([resolution, changeMs]) =>
          [
            `${jump}, of ${who}; sound ${sound}; resolution ${resolution}`,
            { jumpMs, jumping, muted, changeMs },
          ] as const,
      ),
    ),
  ),
);

describe("a jump of the camera's clock, with other faults", () => {
  it.each(CASES)('%s', (_title, faults) => {
    const { discontinuities, videoEndsMs, audioEndsMs, holes, dropped } = play(faults);
    expect(dropped.filter((code) => code !== 'RTP_PACKET_LOSS')).toEqual([]);
    // Only another picture size interrupts the timeline, and the time in between is what passed.
    expect(discontinuities).toBe(Number.isFinite(faults.changeMs) ? 1 : 0);
    expect(holes).toBe(0);
    expect(Math.abs(videoEndsMs.at(-1)! - SECONDS * 1_000)).toBeLessThan(150);
    // Players play what both cover.
    for (const [index, endMs] of videoEndsMs.entries())
      expect(Math.abs(endMs - audioEndsMs[index]!), `part ${index} at ${endMs}`).toBeLessThan(120);
  });
});

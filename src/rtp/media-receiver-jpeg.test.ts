/** Motion JPEG in a session: its times, and the session's audio. */

import { expect, it } from 'vitest';
import type { AccessUnit, Track } from '../codec/track.ts';
import { jpegPayloads } from './jpeg/jpeg-packetizer-fixture.ts';
import { MediaReceiver, type ReceivedTrack } from './media-receiver.ts';
import { AUDIO_PT, AUDIO_TRACK, FRAME_TICKS, rtpPacket, VIDEO_TRACK } from './sample-stream-fixture.ts';

const JPEG_PT = 26;
const JPEG_TRACK: ReceivedTrack = { ...VIDEO_TRACK, encoding: 'jpeg', payloadType: JPEG_PT, fmtp: new Map() };
const PAYLOADS = jpegPayloads(
  {
    widthPx: 640,
    heightPx: 360,
    type: 1,
    restartInterval: 0,
    quantizers: Buffer.alloc(0),
    scan: Buffer.alloc(900, 1),
  },
  { q: 50, scanBytes: 400 },
);

function setup(tracks: readonly ReceivedTrack[]) {
  const seen: string[] = [];
  const receiver = new MediaReceiver({
    tracks,
    transport: 'tcp',
    localSsrc: 1,
    events: {
      onTracks: (announced: readonly Track[]) =>
        seen.push(`tracks ${announced.map(({ codec }) => codec).join(' ')}`),
      onAccessUnit: ({ trackIndex, ptsTicks }: AccessUnit) => seen.push(`unit of ${trackIndex} @${ptsTicks}`),
      onJpeg: ({ widthPx, heightPx }, ptsTicks) => seen.push(`${widthPx}x${heightPx} @${ptsTicks}`),
      onDropped: (frames, code) => seen.push(`dropped ${frames} ${code}`),
    },
  });
  let sequence = 65_534;
  const picture = (number: number, lost = -1): void => {
    PAYLOADS.forEach((payload, index) => {
      const isMarked = index === PAYLOADS.length - 1;
      const timestamp = (0xffff_ff00 + number * FRAME_TICKS) >>> 0;
      const packet = rtpPacket(JPEG_PT, sequence++ & 0xffff, timestamp, payload, isMarked);
      if (index !== lost) receiver.rtp(0, packet, 0, packet.length, number * 40);
    });
  };
  const sound = (number: number): void => {
    // One AU header of 16 bits (RFC 3640 §3.2.1) and three bytes.
    const payload = Buffer.from([0, 16, 0, 3 << 3, 1, 2, 3]);
    const packet = rtpPacket(AUDIO_PT, number, number * 1_024, payload, true, 7);
    receiver.rtp(1, packet, 0, packet.length, number * 40);
  };
  return { seen, picture, sound };
}

it('has the times of its packets, across wrapping numbers and a loss', () => {
  const { seen, picture } = setup([JPEG_TRACK]);
  picture(0);
  picture(1);
  picture(2, 1);
  picture(3);
  expect(seen).toEqual([
    'tracks ',
    '640x360 @0',
    `640x360 @${FRAME_TICKS}`,
    'dropped 1 RTP_PACKET_LOSS',
    `640x360 @${3 * FRAME_TICKS}`,
  ]);
});

it('has its audio on the same timeline, from the first picture on', () => {
  const { seen, picture, sound } = setup([JPEG_TRACK, AUDIO_TRACK]);
  sound(0);
  picture(0);
  sound(1);
  sound(2);
  picture(1);
  expect(seen).toEqual([
    'dropped 1 RTP_JOINING',
    'tracks aac',
    '640x360 @0',
    expect.stringMatching(/^unit of 1 @/),
    expect.stringMatching(/^unit of 1 @/),
    `640x360 @${FRAME_TICKS}`,
  ]);
});

/**
 * Measures what looking for the signatures of cameras costs when RTP is received (ONVIF Media Signing): of video without them, 4 Mbit/s
 * at 25 frames per second, and of a recording that the reference implementation signed. The reference is the same packets without the
 * look, in turn. Run: node bench/micro/signed-video.ts
 */

import { withEmulationPrevention } from '../../src/codec/emulation-prevention.ts';
import { unitKind } from '../../src/codec/media-signing/signed-units.ts';
import { type SigningNews, SigningWatch } from '../../src/codec/media-signing/signing-watch.ts';
import { packetizeH264 } from '../../src/rtp/h264/h264-packetizer.ts';
import { MediaReceiver } from '../../src/rtp/media-receiver.ts';
import { writeRtpHeader } from '../../src/rtp/rtp-header-writer.ts';
import { RTP_HEADER_BYTES } from '../../src/rtp/rtp-packet.ts';
import { recordedNalus } from '../../test/support/signed-recording.ts';
import { median, printTable } from '../report.ts';

const FRAMES_PER_SEC = 25;
const FRAME_BYTES = 4_000_000 / 8 / FRAMES_PER_SEC;
const GROUP_FRAMES = 62;
const SAMPLES = 15;
const VIDEO_SEC = 200;
const MAX_PAYLOAD_BYTES = 1_400;
const PAYLOAD_TYPE = 96;
const FMTP = new Map([['sprop-parameter-sets', 'Z2QADay0Cg/YCIAAAAMAgAAAGQeKFVA=,aO8Pyw==']]);

type Picture = readonly Uint8Array[];

function plainPictures(): Picture[] {
  return Array.from({ length: 50 }, (_, frame) => {
    const nalu = new Uint8Array(FRAME_BYTES).fill(0x55);
    nalu.set(frame === 0 ? [0x65, 0x88, 0x80] : [0x41, 0x88, 0x80]);
    return [nalu];
  });
}

/** Four whole groups, and again: the statement about the fourth is never sent. */
function signedPictures(): Picture[] {
  const pictures: Uint8Array[][] = [];
  for (const nalu of recordedNalus('h264')) {
    if (unitKind(nalu, 'h264') === 'sei') pictures.at(-1)!.unshift(withEmulationPrevention(nalu));
    else pictures.push([nalu]);
  }
  return pictures.slice(0, 4 * GROUP_FRAMES);
}

interface Packets {
  readonly chunk: Buffer;
  /** Of each picture. */
  readonly places: readonly (readonly (readonly [number, number])[])[];
}

function packed(pictures: readonly Picture[]): Packets {
  const payloads = pictures.map((nalus) => packetizeH264(nalus, MAX_PAYLOAD_BYTES, 'none'));
  const bytes = payloads.flat().reduce((sum, { length }) => sum + RTP_HEADER_BYTES + length, 0);
  const chunk = Buffer.alloc(bytes);
  let at = 0;
  const places = payloads.map((each) =>
    each.map((payload) => {
      const start = at;
      chunk.set(payload, start + RTP_HEADER_BYTES);
      at += RTP_HEADER_BYTES + payload.length;
      return [start, at] as const;
    }),
  );
  return { chunk, places };
}

/** Microseconds of the receiver for a second of video, and what it found. */
function measure({ chunk, places }: Packets, isWatched: boolean) {
  const verdicts = new Set<SigningNews['verdict']>();
  const onNews = ({ verdict }: SigningNews) => void verdicts.add(verdict);
  const receiver = new MediaReceiver({
    tracks: [
      {
        encoding: 'h264',
        payloadType: PAYLOAD_TYPE,
        clockRateHz: 90_000,
        channelCount: 1,
        fmtp: FMTP,
        ssrc: null,
      },
    ],
    transport: 'tcp',
    localSsrc: 1,
    signing: isWatched ? new SigningWatch({ codec: 'h264', anchors: '', epochMinusMonoMs: 0, onNews }) : null,
    events: {
      onTracks: () => undefined,
      onAccessUnit: () => undefined,
      onDropped: () => undefined,
    },
  });
  const frames = VIDEO_SEC * FRAMES_PER_SEC;
  let sequence = 0;
  const before = process.cpuUsage();
  for (let frame = 0; frame < frames; frame++) {
    const own = places[frame % places.length]!;
    for (const [index, [start, end]] of own.entries()) {
      writeRtpHeader(chunk, start, PAYLOAD_TYPE, index === own.length - 1, sequence++, frame * 3_600, 7);
      receiver.rtp(0, chunk, start, end, frame * 40);
    }
  }
  const { user, system } = process.cpuUsage(before);
  return { microsPerSec: (user + system) / VIDEO_SEC, verdicts: [...verdicts] };
}

const rows = [
  ['without signatures, 4 Mbit/s', packed(plainPictures())] as const,
  ['signed, a group of 45 kB each 2.5 s', packed(signedPictures())] as const,
].map(([name, packets]) => {
  const samples: Record<'off' | 'on', number[]> = { off: [], on: [] };
  for (let sample = 0; sample < SAMPLES; sample++) {
    samples.off.push(measure(packets, false).microsPerSec);
    samples.on.push(measure(packets, true).microsPerSec);
  }
  const [off, on] = [median(samples.off), median(samples.on)];
  const { verdicts } = measure(packets, true);
  return { case: name, 'µs per second, off': off, on, ratio: on / off, found: verdicts.join(' ') };
});
printTable({ name: 'signed video', rows, figures: {} });

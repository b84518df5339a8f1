/**
 * Measures what signatures in live video cost (docs/design/live-signatures.md): RTP of 4 Mbit/s at 25 frames per second is received,
 * packaged, and each part is joined once, as for its first viewer. The reference is the same without signatures, in turn. Several
 * cameras, so that their media do not stay in the processor's caches. Run: node bench/micro/live-signatures.ts
 */

import { LiveSession } from '../../src/c2pa/live-session.ts';
import { systemClock } from '../../src/core/clock.ts';
import { selfSignedCertificate } from '../../src/evidence/certificate.ts';
import { signingKey } from '../../src/evidence/signing-key.ts';
import { packetizeH264 } from '../../src/rtp/h264/h264-packetizer.ts';
import { MediaReceiver } from '../../src/rtp/media-receiver.ts';
import { writeRtpHeader } from '../../src/rtp/rtp-header-writer.ts';
import { RTP_HEADER_BYTES } from '../../src/rtp/rtp-packet.ts';
import { Packager } from '../../src/stream/packaging/packager.ts';
import { median, printTable } from '../report.ts';

const CAMERAS = 20;
const FRAMES_PER_SEC = 25;
const GOP_FRAMES = 50;
const KEY_FRAME_BYTES = 150_000;
const DELTA_FRAME_BYTES = 17_350;
const FRAME_TICKS = 3_600;
const PAYLOAD_TYPE = 96;
const MAX_PAYLOAD_BYTES = 1_400;
const SAMPLES = 11;
const WARM_UP_SEC = 4;
const VIDEO_SEC = 20;
const FMTP = new Map([['sprop-parameter-sets', 'Z2QADay0Cg/YCIAAAAMAgAAAGQeKFVA=,aO8Pyw==']]);

interface Packets {
  readonly chunk: Buffer;
  readonly places: readonly (readonly [number, number])[];
}

function packetsOf(isKey: boolean): Packets {
  const nalu = new Uint8Array(isKey ? KEY_FRAME_BYTES : DELTA_FRAME_BYTES).fill(0x55);
  nalu.set(isKey ? [0x65, 0x88, 0x80] : [0x41, 0x88, 0x80]);
  const payloads = packetizeH264([nalu], MAX_PAYLOAD_BYTES, 'none');
  const chunk = Buffer.alloc(payloads.reduce((sum, { length }) => sum + RTP_HEADER_BYTES + length, 0));
  let at = 0;
  const places = payloads.map((payload) => {
    const start = at;
    chunk.set(payload, start + RTP_HEADER_BYTES);
    at += RTP_HEADER_BYTES + payload.length;
    return [start, at] as const;
  });
  return { chunk, places };
}

const keyPackets = packetsOf(true);
const deltaPackets = packetsOf(false);
const { key, publicKey } = signingKey(Buffer.alloc(32, 7), 1);
const nowEpochMs = systemClock.epochMs();
const certificate = selfSignedCertificate({ commonName: 'Sluice evidence', key, publicKey, nowEpochMs });
const identity = { key, certificate, version: '1.0.0' };

class Camera {
  readonly #packager: Packager;
  readonly #receiver: MediaReceiver;
  #frame = 0;
  #sequence = 0;
  #parts = 0;

  constructor(isSigned: boolean) {
    this.#packager = new Packager({
      clock: systemClock,
      content: 'video-and-audio',
      numbering: { nextMediaSequenceNumber: 0, nextDiscontinuitySequence: 0, initFingerprint: null },
      isContinuation: false,
      onNumbering: () => undefined,
      onPlayable: () => undefined,
      ...(isSigned ? { beginSession: (of) => new LiveSession({ identity, streamId: 'ab12', ...of }) } : {}),
    });
    this.#receiver = new MediaReceiver({
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
      signing: null,
      events: {
        onTracks: (tracks) => this.#packager.setTracks(tracks),
        onAccessUnit: (unit) => this.#packager.push(unit),
        onDropped: () => undefined,
      },
    });
  }

  receiveFrame(): void {
    const { chunk, places } = this.#frame % GOP_FRAMES === 0 ? keyPackets : deltaPackets;
    for (const [index, [start, end]] of places.entries()) {
      const isLast = index === places.length - 1;
      writeRtpHeader(chunk, start, PAYLOAD_TYPE, isLast, this.#sequence++, this.#frame * FRAME_TICKS, 7);
      this.#receiver.rtp(0, chunk, start, end, this.#frame * (1_000 / FRAMES_PER_SEC));
    }
    this.#frame++;
    const { parts } = this.#packager.stats();
    if (parts === this.#parts) return;
    this.#parts = parts;
    const lent = this.#packager.published.window.newestPart();
    if (lent === null || lent.bytes.length === 0) throw new Error('no part');
    lent.release();
  }

  close(): void {
    this.#packager.close();
  }
}

/** Microseconds of a core for a second of one camera's video. */
function measure(isSigned: boolean): number {
  const cameras = Array.from({ length: CAMERAS }, () => new Camera(isSigned));
  const receive = (seconds: number) => {
    for (let frame = 0; frame < seconds * FRAMES_PER_SEC; frame++) {
      for (const camera of cameras) camera.receiveFrame();
    }
  };
  // A session begins once a day.
  receive(WARM_UP_SEC);
  const before = process.cpuUsage();
  receive(VIDEO_SEC);
  const { user, system } = process.cpuUsage(before);
  for (const camera of cameras) camera.close();
  return (user + system) / VIDEO_SEC / CAMERAS;
}

measure(false);
measure(true);
const off: number[] = [];
const on: number[] = [];
for (let sample = 0; sample < SAMPLES; sample++) {
  off.push(measure(false));
  on.push(measure(true));
}
const [without, withSignatures] = [median(off), median(on)];
printTable({
  name: 'live signatures',
  rows: [
    { case: 'without signatures', 'µs per second': without, ratio: 1 },
    { case: 'with signatures', 'µs per second': withSignatures, ratio: withSignatures / without },
  ],
  figures: { percentOfCorePerCamera: (withSignatures - without) / 10_000 },
});

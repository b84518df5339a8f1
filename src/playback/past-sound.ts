/**
 * Recorded sound as Opus, in pieces of two seconds of a range, as clients of this API family load it next to a manifest:
 * `seg_<n>.mpd`, numbered from 1. Opus passes through; anything else is encoded when it is asked for.
 *
 *     <epoch milliseconds, 8 bytes>   when the first packet begins
 *     <length, 2 bytes> <Opus packet> of 20 ms, again and again
 *
 * Numbers are big-endian. A gap is silence, because the format has no place for another time.
 */

import { ticksToMs } from '../cmaf/ticks.ts';
import { opusSamples, silentOpusPacket } from '../codec/opus/opus-packet.ts';
import type { AccessUnit, AudioTrack } from '../codec/track.ts';
import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { FragmentReader } from '../isobmff/fragment-reader.ts';
import { endEpochMs } from '../recording/segment-index.ts';
import type { SoundCoder, SoundEncoder } from '../stream/sounds/sound-feed.ts';
import type { PastPlayback } from './past-playback.ts';
import { isWithin, type PastSegment, type PastTimeline, type TimeSpan } from './past-timeline.ts';

export const PIECE_MS = 2_000;
const PACKET_MS = 20;
const PACKET_SAMPLES = 960;
/** What encoders need to hear before the piece, so that it begins as the one before ended; and after it, to let go of its end. */
const LEAD_MS = 200;
/** Without another packet for this long, an encoder has nothing more. */
const QUIET_MS = 500;
/** A worker may have to be started, or waited for. */
const START_MS = 8_000;
const LOOK_MS = 20;
const SILENCE = silentOpusPacket(PACKET_SAMPLES, 1)!;
const NAME_PATTERN = /^seg_([1-9]\d{0,5})\.mpd$/;

/** The number of a piece; null for any other name. */
export function parsePastSoundName(name: string): number | null {
  const number = NAME_PATTERN.exec(name)?.[1];
  return number === undefined ? null : Number(number);
}

export interface PastSoundOptions {
  readonly playback: Pick<PastPlayback, 'init' | 'segment'>;
  /** Of the cameras of that one's organization. null: only what is Opus can be heard. */
  readonly encoderOf: (cameraUuid: Ruuid) => SoundEncoder | null;
  readonly clock: Clock;
}

/** A frame of recorded sound, with its wall time. */
interface RecordedFrame {
  readonly epochMs: number;
  readonly data: Buffer;
}

interface Recorded {
  readonly track: AudioTrack;
  readonly frames: readonly RecordedFrame[];
}

interface Packet {
  readonly epochMs: number;
  readonly packet: Uint8Array;
}

export class PastSound {
  readonly #options: PastSoundOptions;

  constructor(options: PastSoundOptions) {
    this.#options = options;
  }

  /** null: there is no sound in that time, or none that `shown` includes. Fails like PastPlayback.segment. */
  async piece(timeline: PastTimeline, shown: readonly TimeSpan[], number: number): Promise<Buffer | null> {
    const { fromMs: rangeMs, toMs: endMs } = timeline.range;
    const fromMs = rangeMs + (number - 1) * PIECE_MS;
    const toMs = Math.min(fromMs + PIECE_MS, endMs);
    if (fromMs >= endMs) return null;
    const packets: Packet[] = [];
    for (const segments of sameRuns(timeline, shown, fromMs, toMs)) {
      const recorded = await this.#read(segments);
      if (recorded === null) continue;
      const near = ({ epochMs }: RecordedFrame) => epochMs >= fromMs - LEAD_MS && epochMs < toMs + LEAD_MS;
      const frames = recorded.frames.filter(near);
      packets.push(...(await this.#encode(timeline.camera.recordedUuid, recorded.track, frames, toMs)));
    }
    const own = packets.filter(
      ({ epochMs }) => epochMs >= fromMs - PACKET_MS / 2 && epochMs < toMs - PACKET_MS / 2,
    );
    return own.length === 0 ? null : written(own, fromMs, toMs);
  }

  async #read(segments: readonly PastSegment[]): Promise<Recorded | null> {
    const { run } = segments[0]!;
    const init = await this.#options.playback.init(run, 'audio');
    if (init === null) return null;
    let track: AudioTrack | null = null;
    const frames: RecordedFrame[] = [];
    let epochOfZeroMs = 0;
    const reader = new FragmentReader({
      onTracks: ([first]) => {
        track = first?.kind === 'audio' ? first : null;
      },
      onSample: (index, dtsTicks, _ptsTicks, _isKey, data) => {
        if (index !== 0 || track === null) return;
        frames.push({
          epochMs: epochOfZeroMs + ticksToMs(dtsTicks, track.timescaleHz),
          data: Buffer.from(data),
        });
      },
    });
    reader.push(init);
    for (const segment of segments) {
      const lent = await this.#options.playback.segment(segment, 'audio');
      if (lent === null) return null;
      const { epochMs, startTicks, timescaleHz } = segment.media;
      epochOfZeroMs = epochMs - ticksToMs(startTicks, timescaleHz);
      try {
        reader.push(lent.bytes);
      } finally {
        lent.release();
      }
    }
    return track === null ? null : { track, frames };
  }

  async #encode(
    cameraUuid: Ruuid,
    track: AudioTrack,
    frames: readonly RecordedFrame[],
    toMs: number,
  ): Promise<readonly Packet[]> {
    const [first] = frames;
    if (first === undefined) return [];
    if (track.codec === 'opus') {
      return frames
        .filter(({ data }) => opusSamples(data, 0, data.length) === PACKET_SAMPLES)
        .map(({ epochMs, data }) => ({ epochMs, packet: data }));
    }
    const packets: Packet[] = [];
    const coder = this.#options.encoderOf(cameraUuid)?.open(track, {
      onPacket: (mediaMs, packet) =>
        packets.push({ epochMs: first.epochMs + mediaMs, packet: Uint8Array.from(packet) }),
      urgency: () => 'viewer',
    });
    if (coder === undefined || coder === null) return [];
    try {
      await this.#pushAll(
        coder,
        frames.map((frame) => unitOf(frame, first.epochMs, track)),
      );
      await this.#until(
        QUIET_MS,
        () => packets.length,
        () => (packets.at(-1)?.epochMs ?? 0) >= toMs - PACKET_MS,
      );
    } finally {
      coder.close();
    }
    return packets;
  }

  /** The first frame, again and again, until there is a worker for it. */
  async #pushAll(coder: SoundCoder, units: readonly AccessUnit[]): Promise<void> {
    let isTaken = false;
    await this.#until(
      START_MS,
      () => 0,
      () => {
        isTaken = coder.push(units[0]!);
        return isTaken;
      },
    );
    if (isTaken) for (const unit of units.slice(1)) coder.push(unit);
  }

  /** Resolves when it is so, or when nothing has changed for `patienceMs`. */
  async #until(patienceMs: number, progress: () => number, isSo: () => boolean): Promise<void> {
    const { clock } = this.#options;
    let [reached, sinceMonoMs] = [progress(), clock.monoMs()];
    while (!isSo()) {
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
      const nowMonoMs = clock.monoMs();
      if (progress() !== reached) [reached, sinceMonoMs] = [progress(), nowMonoMs];
      else if (nowMonoMs - sinceMonoMs >= patienceMs) return;
    }
  }
}

/** The segments of the time and around it, those of each run together. */
function sameRuns(
  timeline: PastTimeline,
  shown: readonly TimeSpan[],
  fromMs: number,
  toMs: number,
): readonly PastSegment[][] {
  const runs: PastSegment[][] = [];
  for (const segment of timeline.segments) {
    const { media, run } = segment;
    if (endEpochMs(media) <= fromMs - LEAD_MS || media.epochMs >= toMs + LEAD_MS || !isWithin(segment, shown))
      continue;
    const last = runs.at(-1);
    if (last?.[0]?.run === run) last.push(segment);
    else runs.push([segment]);
  }
  return runs;
}

/** Times begin with the first frame: as numbers of a wall clock, ticks would lose their fractions. */
function unitOf({ epochMs, data }: RecordedFrame, firstMs: number, track: AudioTrack): AccessUnit {
  const ticks = Math.round(((epochMs - firstMs) * track.timescaleHz) / 1_000);
  return { trackIndex: 0, dtsTicks: ticks, ptsTicks: ticks, isKey: true, data, arrivalMonoMs: 0 };
}

/** `packets` in order; where there is none, silence is written. */
function written(packets: readonly Packet[], fromMs: number, toMs: number): Buffer {
  const firstMs = packets[0]!.epochMs;
  const startMs = firstMs - Math.round((firstMs - fromMs) / PACKET_MS) * PACKET_MS;
  const count = Math.max(1, Math.round((toMs - startMs) / PACKET_MS));
  const places: Uint8Array[] = Array.from({ length: count }, () => SILENCE);
  for (const { epochMs, packet } of packets) {
    const place = Math.round((epochMs - startMs) / PACKET_MS);
    if (place >= 0 && place < count) places[place] = packet;
  }
  const head = Buffer.alloc(8);
  head.writeBigUInt64BE(BigInt(Math.round(startMs)));
  const records = places.flatMap((packet) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(packet.length);
    return [length, packet];
  });
  return Buffer.concat([head, ...records]);
}

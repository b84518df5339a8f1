/** A camera that two nodes read, on a clock that is advanced: what the one publishes before a hand-over, and the other after it. */

import type { AccessUnit, Track } from '../../codec/track.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { Source } from '../../stream/source/source.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { LocalStream } from '../local-stream/local-stream.ts';
import { type CutPoint, StreamCut } from '../local-stream/stream-cut.ts';

export const FRAME_MS = 40;
const TICKS_PER_MS = 90;
/** The camera's wall clock at its picture 0. */
const EPOCH_MS = 1_700_000_000_000;

/** How the camera serves one connection. */
export interface Pull {
  /** How late pictures arrive. */
  readonly lateMs: number;
  /** The first picture that it gets. */
  readonly from: number;
  /** Its first timestamp. */
  readonly offsetMs: number;
  /** Its pictures were taken that much later: less than a frame. */
  readonly phaseMs: number;
  /** Its key frames come that many pictures later. */
  readonly keysAfter: number;
  /** NAL units before the slices. */
  readonly before: (number: number) => readonly Uint8Array[];
  /** Makes its slices differ from those of another connection. */
  readonly encoder: number;
  /** The picture behind which its first sender report comes; null: none does. */
  readonly reportAt: number | null;
  /** Its wall clock is wrong by that much. */
  readonly wrongMs: number;
}

export interface Case {
  /** Pictures from one key frame to the next. */
  readonly groupFrames: number;
  /** How late a report of the heir arrives. */
  readonly reportMs: number;
  /** Time from the cut until the heir may publish. */
  readonly leaseMs: number;
  readonly frames: number;
  /** When the stream can be cut, and until when it must be. */
  readonly armMs: number;
  readonly limitMs: number;
  /** Coding order of the pictures in each group, repeated per group. Default: as they are shown. */
  readonly order: readonly number[];
  /** Slices of a picture: its number, unless the picture is frozen. */
  readonly slices: (number: number) => readonly number[];
  readonly codec: 'h264' | 'h265';
  readonly giver: Pull;
  readonly heir: Pull;
}

const PULL: Pull = {
  lateMs: 20,
  from: 0,
  offsetMs: 0,
  phaseMs: 0,
  keysAfter: 0,
  before: () => [],
  encoder: 0,
  reportAt: null,
  wrongMs: 0,
};

export const USUAL: Case = {
  groupFrames: 25,
  reportMs: 5,
  leaseMs: 60,
  frames: 300,
  armMs: 0,
  limitMs: 60_000,
  order: [0],
  slices: (number) => [number >> 8, number & 0xff],
  codec: 'h264',
  giver: PULL,
  heir: { ...PULL, from: 20 },
};

const TRACKS: Record<Case['codec'], readonly Track[]> = {
  h264: [
    {
      kind: 'video',
      codec: 'h264',
      codecString: 'avc1.64001f',
      timescaleHz: 1_000 * TICKS_PER_MS,
      sps: [],
      pps: [],
      widthPx: 320,
      heightPx: 180,
      nominalFrameRateHz: 25,
    },
  ],
  h265: [
    {
      kind: 'video',
      codec: 'h265',
      codecString: 'hvc1.1.6.L93.B0',
      timescaleHz: 1_000 * TICKS_PER_MS,
      vps: [],
      sps: [],
      pps: [],
      widthPx: 320,
      heightPx: 180,
      nominalFrameRateHz: 25,
    },
  ],
};
const HEADERS = { h264: { key: [0x65], other: [0x41] }, h265: { key: [0x26, 1], other: [0x02, 1] } };

class FedSource implements Source {
  readonly engine = 'direct';
  sink: SourceSink | null = null;

  open(sink: SourceSink) {
    this.sink = sink;
    return { close: async () => sink.close() };
  }
}

/** Notes which pictures are published. It goes by their time, because slices of a frozen picture do not tell them apart. */
class Publisher {
  readonly pictures: number[] = [];
  readonly sink: SourceSink;

  constructor({ offsetMs, phaseMs }: Pull) {
    const ms = offsetMs + phaseMs;
    this.sink = new SourceSink({
      onTracks: () => undefined,
      onAccessUnit: ({ ptsTicks }) => void this.pictures.push((ptsTicks / TICKS_PER_MS - ms) / FRAME_MS),
      onDropped: () => undefined,
      onEnded: () => undefined,
    });
  }
}

function prefixed(nalus: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    nalus.flatMap((nalu) => [Uint8Array.of(0, 0, nalu.length >> 8, nalu.length & 0xff), nalu]),
  );
}

function reading({ offsetMs, phaseMs, wrongMs }: Pull): ClockReading {
  return {
    driftPpm: null,
    driftUncertaintyPpm: null,
    uncertaintyMs: null,
    jumps: 0,
    offsetMs: null,
    verdict: 'settling',
    cameraTime: null,
    soundDriftPpm: null,
    reportedTime: { mediaMs: offsetMs + phaseMs, epochMs: EPOCH_MS + phaseMs + wrongMs },
  };
}

/** All that one connection gets, at its time. */
function feed(clock: FakeClock, given: Case, pull: Pull, sink: SourceSink): void {
  const { groupFrames, order, slices, codec, frames } = given;
  const depthMs = Math.max(...order.map((shown, at) => at - shown)) * FRAME_MS;
  for (let at = 0; at < frames; at++) {
    const number = at - (at % order.length) + order[at % order.length]!;
    const isKey = (number - pull.keysAfter) % groupFrames === 0;
    if (at < pull.from) continue;
    const ms = at * FRAME_MS + pull.phaseMs;
    const header = isKey ? HEADERS[codec].key : HEADERS[codec].other;
    const unit: AccessUnit = {
      trackIndex: 0,
      isKey,
      arrivalMonoMs: ms + pull.lateMs,
      ptsTicks: (number * FRAME_MS + pull.phaseMs + pull.offsetMs) * TICKS_PER_MS,
      dtsTicks: (ms - depthMs + pull.offsetMs) * TICKS_PER_MS,
      data: prefixed([...pull.before(number), Uint8Array.of(...header, pull.encoder, ...slices(number))]),
    };
    clock.after(ms + pull.lateMs, () => sink.onAccessUnit(unit));
    if (at - pull.from === pull.reportAt) clock.after(ms + pull.lateMs, () => sink.onClock(reading(pull)));
  }
}

/** Returns the published pictures with their nodes, in order, the position of the cut, and the gap that the heir reports there. */
export function handOver(given: Case) {
  const { reportMs, leaseMs, armMs, limitMs, frames, codec } = given;
  const clock = new FakeClock();
  const [giver, heir] = [new Publisher(given.giver), new Publisher(given.heir)];
  const [giverSource, heirSource] = [new FedSource(), new FedSource()];
  const local = LocalStream.open(giverSource, giver.sink, clock);
  let point: CutPoint | null = null;
  let gapMs: number | null = null;
  const prepared = LocalStream.prepare(
    heirSource,
    {
      onKey: (key) => void clock.after(reportMs, () => cut.reported(key)),
      onFailed: (error) => {
        throw error;
      },
    },
    clock,
  );
  const cut = new StreamCut({
    clock,
    pull: local.pull,
    pass: (unit) => local.pass(unit),
    onCut: (made) => {
      point = made;
      prepared.beginAt(made, (missingMs) => {
        gapMs = missingMs;
      });
      clock.after(leaseMs, () => prepared.passTo(heir.sink));
    },
  });
  giverSource.sink!.onTracks(TRACKS[codec]);
  heirSource.sink!.onTracks(TRACKS[codec]);
  clock.after(armMs, () => {
    local.setCut(cut);
    cut.arm(clock.monoMs() + limitMs);
  });
  clock.after(armMs + limitMs, () => cut.cutAnyway());
  feed(clock, given, given.giver, giverSource.sink!);
  feed(clock, given, given.heir, heirSource.sink!);
  clock.advance(frames * FRAME_MS + 10_000);
  return { giver: giver.pictures, heir: heir.pictures, point: point as CutPoint | null, gapMs };
}

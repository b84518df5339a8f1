/** Cameras that other nodes have handed over to this one, and how much was missing between the pictures of the two nodes. */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ProfileName } from '../../stream/media/renditions.ts';
import type { CutSource } from '../local-stream/stream-cut.ts';

/** `none`: the stream was not cut, its node says why. */
export type HandoverSource = CutSource | 'none';

export interface HandoverCounts {
  readonly handovers: number;
  /** Handovers that left out at least one picture. */
  readonly gaps: number;
  /** How much they left out, as far as it is known. */
  readonly gapMs: number;
}

export const NO_HANDOVERS: HandoverCounts = { handovers: 0, gaps: 0, gapMs: 0 };

/** The gap between two streams. */
export interface StreamGap {
  readonly by: HandoverSource;
  /** undefined: until the first picture here; null: no clock tells. */
  readonly gapMs: number | null | undefined;
  /** Time from one picture to the next; null: unknown. */
  readonly intervalMs: number | null;
}

interface Taken {
  readonly from: string;
  readonly streams: Map<ProfileName, StreamGap>;
  readonly sinceMonoMs: number;
  isTaken: boolean;
  /** Without a picture by then, the stream has no viewers, or the camera sends nothing. */
  limit: TimerHandle;
}

/** How long a camera may take until its first picture. */
const MAX_WAIT_MS = 30_000;
/** The picture interval of a stream without a frame rate. */
const USUAL_INTERVAL_MS = 40;

export class TakenCameras {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #cameras = new Map<Ruuid, Taken>();
  #counts = NO_HANDOVERS;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  get counts(): HandoverCounts {
    return this.#counts;
  }

  /** The node `from` has stopped one of its streams, and this node begins, or will. May be called again with the newest. */
  stream(cameraUuid: Ruuid, from: string, profile: ProfileName, gap: StreamGap): void {
    this.#of(cameraUuid, from).streams.set(profile, gap);
    this.#look(cameraUuid);
  }

  /** This node owns it. */
  taken(cameraUuid: Ruuid): void {
    const taken = this.#cameras.get(cameraUuid);
    if (taken !== undefined) taken.isTaken = true;
    this.#look(cameraUuid);
  }

  /** The node `from` publishes nothing more of these streams, and this one has nothing of them yet. */
  uncut(cameraUuid: Ruuid, from: string, profiles: readonly ProfileName[]): void {
    this.forget(cameraUuid);
    for (const profile of profiles) {
      this.stream(cameraUuid, from, profile, { by: 'none', gapMs: undefined, intervalMs: null });
    }
    this.taken(cameraUuid);
  }

  /** This node, which owns the camera, publishes its first key frame of the stream. */
  begun(cameraUuid: Ruuid, profile: ProfileName): void {
    const taken = this.#cameras.get(cameraUuid);
    const stream = taken?.streams.get(profile);
    if (taken === undefined || stream?.by !== 'none' || stream.gapMs !== undefined) return;
    taken.streams.set(profile, { ...stream, gapMs: this.#clock.monoMs() - taken.sinceMonoMs });
    this.#look(cameraUuid);
  }

  /** The other node keeps it, or this one does not get it. */
  forget(cameraUuid: Ruuid): void {
    this.#cameras.get(cameraUuid)?.limit.cancel();
    this.#cameras.delete(cameraUuid);
  }

  #of(cameraUuid: Ruuid, from: string): Taken {
    const known = this.#cameras.get(cameraUuid);
    if (known !== undefined) return known;
    const limit = this.#clock.after(MAX_WAIT_MS, () => this.forget(cameraUuid));
    const taken = { from, streams: new Map(), sinceMonoMs: this.#clock.monoMs(), isTaken: false, limit };
    this.#cameras.set(cameraUuid, taken);
    return taken;
  }

  #look(cameraUuid: Ruuid): void {
    const taken = this.#cameras.get(cameraUuid);
    if (taken?.isTaken !== true) return;
    if (taken.streams.values().some(({ gapMs }) => gapMs === undefined)) return;
    this.forget(cameraUuid);
    const gaps = [...taken.streams].flatMap(([profile, gap]) => gapOf(profile, gap) ?? []);
    const longest = gaps.toSorted((one, other) => (other.gapMs ?? 0) - (one.gapMs ?? 0))[0];
    const { handovers, gaps: before, gapMs } = this.#counts;
    this.#counts = {
      handovers: handovers + 1,
      gaps: before + Number(longest !== undefined),
      gapMs: gapMs + (longest?.gapMs ?? 0),
    };
    const fields = { camera: cameraUuid, from: taken.from };
    for (const gap of gaps) this.#log.warn({ ...fields, ...gap }, 'camera taken over with a gap');
    if (gaps.length === 0) this.#log.info(fields, 'camera taken over without a gap');
  }
}

/** null: no picture is missing. */
function gapOf(profile: ProfileName, { by, gapMs, intervalMs }: StreamGap) {
  if (gapMs === undefined) return null;
  if (gapMs === null) return { profile, by, gapMs: null, frames: null };
  const frames = Math.round(gapMs / (intervalMs ?? USUAL_INTERVAL_MS));
  return frames < 1 ? null : { profile, by, gapMs: Math.round(gapMs), frames };
}

/**
 * Keeps the cameras that are to be recorded open, as a viewer would, and turns their recordings on and off in time
 * (docs/design/recording.md#when).
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { LiveCamera, LiveCameras, RenditionName } from '../stream/media/live-media.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { Recorder } from './recorder.ts';
import type { RecordingDemand, StreamChoice } from './recording-rule.ts';
import type { RecordingRules } from './recording-rules.ts';
import { NOTHING, OFF, type StreamTurn } from './recording-turn.ts';
import type { RecordedStream } from './segment-index.ts';

/** The recorded rendition of a camera that is played if nothing else is requested: its main stream with audio. */
export const RECORDED_RENDITION = 'main' as const satisfies RenditionName;
/** All that can be recorded of a camera, the largest first. */
export const RECORDED_RENDITIONS = [RECORDED_RENDITION, 'sub'] as const;
export type CameraRendition = (typeof RECORDED_RENDITIONS)[number];

export function isRecordedRendition(name: string): name is CameraRendition {
  return RECORDED_RENDITIONS.some((each) => each === name);
}

/** `streams`: of a camera that has both. */
export function recordedRenditions(streams: StreamChoice, hasSubStream: boolean): readonly CameraRendition[] {
  if (streams === 'main' || !hasSubStream) return [RECORDED_RENDITION];
  return streams === 'sub' ? ['sub'] : RECORDED_RENDITIONS;
}

/** How often cameras are looked at, at most: one that was added is recorded from then on. */
const MAX_LOOK_MS = 2_000;
/** After a change, so that a thousand shares that are created are one look. */
const CHANGES_TOGETHER_MS = 50;
/** Looks per idle time: none may be missed in vain. */
const LOOKS_PER_IDLE_TIME = 3;
/** A camera is opened this long before its scheduled time: connecting and the first key frame take a while. */
export const LEAD_MS = 15_000;
/** Held before a scheduled time: that and the look after it are never apart by more. */
const LEAD_HOLD_MS = MAX_LOOK_MS;
/** An event can arrive this much later than it happened without loss of its pre-roll. */
export const LATE_EVENT_MS = 5_000;
/** No event is longer, or is taken if it is older or further in the future. */
const MAX_EVENT_MS = 3_600_000;

export interface RecordedCamerasOptions {
  readonly cameras: LiveCameras;
  readonly rules: Pick<RecordingRules, 'cameras' | 'demandAt' | 'ruleOf'>;
  readonly recorder: Pick<Recorder, 'start' | 'follow' | 'keep'>;
  /** Whether it is to be recorded here; absent: all are. */
  readonly isPlaced?: (cameraUuid: Ruuid) => boolean;
  readonly clock: Clock;
  /** A camera that nothing needs for this long is closed. */
  readonly idleStopMs: number;
  /** Default for cameras without a choice of their own. */
  readonly streams: StreamChoice;
  /** Default for cameras without a pre-roll of their own. */
  readonly preRollMs: number;
  readonly postRollMs: number;
}

export class RecordedCameras {
  readonly #options: RecordedCamerasOptions;
  /** Cameras of which the recorder knows something. */
  readonly #known = new Map<Ruuid, RecordingDemand>();
  /** Of these, the streams that the recorder follows. */
  readonly #followed = new Map<Ruuid, readonly CameraRendition[]>();
  #timer: TimerHandle | null = null;
  #isLookingSoon = false;
  #isClosed = false;

  constructor(options: RecordedCamerasOptions) {
    this.#options = options;
  }

  /** The rules have changed; many changes are looked at together. */
  lookSoon(): void {
    if (this.#isLookingSoon || this.#isClosed) return;
    this.#isLookingSoon = true;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(CHANGES_TOGETHER_MS, () => this.look());
  }

  look(): void {
    const { rules, recorder, clock, idleStopMs } = this.#options;
    this.#timer?.cancel();
    this.#timer = null;
    this.#isLookingSoon = false;
    if (this.#isClosed) return;
    const nowEpochMs = clock.epochMs();
    const wanted = rules.cameras();
    for (const cameraUuid of this.#known.keys()) {
      if (wanted.has(cameraUuid)) continue;
      this.#known.delete(cameraUuid);
      this.#takeWhatCame(cameraUuid);
      for (const stream of this.#streamsOf(cameraUuid)) recorder.follow(stream, NOTHING);
      this.#followed.delete(cameraUuid);
    }
    let nextMs = Math.min(MAX_LOOK_MS, idleStopMs / LOOKS_PER_IDLE_TIME);
    for (const cameraUuid of wanted) {
      const changesAtEpochMs = this.#lookAt(cameraUuid, nowEpochMs);
      if (changesAtEpochMs !== null) nextMs = Math.min(nextMs, Math.max(1, changesAtEpochMs - nowEpochMs));
    }
    if (wanted.size > 0) this.#timer = clock.after(nextMs, () => this.look());
  }

  /** The node that records the camera may have changed. */
  lookAt(cameraUuid: Ruuid): void {
    const { rules, clock } = this.#options;
    if (!this.#isClosed && rules.cameras().has(cameraUuid)) this.#lookAt(cameraUuid, clock.epochMs());
  }

  /**
   * Something happened in front of the camera: if it records events, what it saw is written, with the pre-roll that is
   * held and the post-roll to come. Epoch milliseconds of the wall clock. Returns the time of the media that is wanted;
   * null: the camera does not record events, or is not running.
   */
  recordAround(
    cameraUuid: Ruuid,
    fromMs: number,
    toMs: number,
  ): { readonly fromMs: number; readonly toMs: number } | null {
    const { cameras, rules, recorder, clock, preRollMs, postRollMs } = this.#options;
    const rule = rules.ruleOf(cameraUuid);
    const camera = cameras.get(cameraUuid);
    if (rule.choice !== 'events' || camera === undefined || this.#isClosed) return null;
    const nowMs = clock.epochMs();
    const endMs = Math.max(fromMs, Math.min(toMs, fromMs + MAX_EVENT_MS));
    if (endMs < nowMs - MAX_EVENT_MS || fromMs > nowMs + MAX_EVENT_MS) return null;
    // The media's clock is that of the camera's opening: a wall clock that was set since then would miss the event.
    const offsetMs = camera.mediaEpochMs() - nowMs;
    const wanted = {
      fromMs: fromMs - (rule.preRollMs ?? preRollMs) + offsetMs,
      toMs: endMs + (rule.postRollMs ?? postRollMs) + offsetMs,
    };
    // Not turned on yet: the rule is newer than the last look.
    if (!this.#known.has(cameraUuid)) this.look();
    for (const stream of this.#streamsOf(cameraUuid)) recorder.keep(stream, wanted.fromMs, wanted.toMs);
    return wanted;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** When to look again at the latest; null: as usual. */
  #lookAt(cameraUuid: Ruuid, nowEpochMs: number): number | null {
    const { cameras, rules, recorder } = this.#options;
    const demand = rules.demandAt(cameraUuid, nowEpochMs);
    const isSoon = demand.mode === 'off' && rules.demandAt(cameraUuid, nowEpochMs + LEAD_MS).mode === 'write';
    const camera = cameras.get(cameraUuid);
    const isPlaced = this.#options.isPlaced?.(cameraUuid) ?? true;
    const isOpen = isPlaced && (demand.mode !== 'off' || isSoon);
    const before = this.#known.get(cameraUuid);
    this.#known.set(cameraUuid, demand);
    const turn =
      camera === undefined || !isOpen ? OFF : this.#turn(camera, { demand, before, nowEpochMs, isSoon });
    if (turn.mode !== 'off') recorder.start();
    else if (before !== undefined && before.mode !== 'off') this.#takeWhatCame(cameraUuid);
    this.#choose(cameraUuid, camera);
    for (const stream of this.#streamsOf(cameraUuid)) {
      recorder.follow(stream, {
        turn,
        reasons: demand.reasons,
        isForbidden: rules.ruleOf(cameraUuid).isForbidden,
        isWaiting: demand.isWaiting,
        code: demand.isScheduleMissing ? RECORDING_ERRORS.RECORDING_SCHEDULE_MISSING.code : null,
      });
    }
    if (isOpen) camera?.touch('sound', 'recording');
    return demand.changesAtEpochMs;
  }

  /** Which streams are followed from now on. What is known of a camera that is not running stays. */
  #choose(cameraUuid: Ruuid, camera: LiveCamera | undefined): void {
    const { rules, recorder, streams } = this.#options;
    if (camera === undefined && this.#followed.has(cameraUuid)) return;
    const hasSubStream = camera?.hasSubStream() ?? false;
    const chosen = recordedRenditions(rules.ruleOf(cameraUuid).streams ?? streams, hasSubStream);
    for (const stream of this.#streamsOf(cameraUuid)) {
      if (!chosen.includes(stream.rendition)) recorder.follow(stream, NOTHING);
    }
    this.#followed.set(cameraUuid, chosen);
  }

  #streamsOf(cameraUuid: Ruuid): (RecordedStream & { readonly rendition: CameraRendition })[] {
    const renditions = this.#followed.get(cameraUuid) ?? [];
    return renditions.map((rendition) => ({ cameraUuid, rendition }));
  }

  /** It was wanted when it came, and may still wait (docs/design/threads.md#camera-threads). */
  #takeWhatCame(cameraUuid: Ruuid): void {
    const camera = this.#options.cameras.get(cameraUuid);
    for (const { rendition } of this.#streamsOf(cameraUuid)) camera?.rendition(rendition);
  }

  #turn(
    camera: LiveCamera,
    {
      demand: { mode, purpose },
      before,
      nowEpochMs,
      isSoon,
    }: {
      readonly demand: RecordingDemand;
      readonly before: RecordingDemand | undefined;
      readonly nowEpochMs: number;
      readonly isSoon: boolean;
    },
  ): StreamTurn {
    const { rules, preRollMs } = this.#options;
    if (isSoon) return { mode: 'hold', holdMs: LEAD_HOLD_MS };
    if (mode === 'hold') {
      const ownMs = rules.ruleOf(camera.uuid).preRollMs ?? preRollMs;
      return { mode: 'hold', holdMs: ownMs + LATE_EVENT_MS };
    }
    // If it was to begin a moment ago, it begins there.
    const dueEpochMs = before?.mode === 'off' ? before.changesAtEpochMs : null;
    const isDue = dueEpochMs !== null && dueEpochMs <= nowEpochMs && dueEpochMs > nowEpochMs - LEAD_MS;
    const fromEpochMs = (isDue ? dueEpochMs : nowEpochMs) + camera.mediaEpochMs() - nowEpochMs;
    return { mode: 'write', purpose, fromEpochMs };
  }
}

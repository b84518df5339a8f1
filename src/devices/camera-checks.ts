/**
 * Checks cameras that no one watches, so that lists, alerts, and colors are true: each at an interval, spread out, one connection at a
 * time, and without video. A camera that is open, or was until a moment ago, shows its state anyway. A viewer who opens a camera during
 * its check ends the check.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { type GatewayError, toGatewayError } from '../core/errors.ts';
import { FairQueue, queueOptionsOf } from '../core/fair-queue.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CameraCheck } from '../stream/camera-check.ts';
import type { CameraReport, ProbeVerdict } from '../stream/camera-connection.ts';
import { type CameraFaultReason, cameraFaultOf } from '../stream/source/camera-fault.ts';
import { SourceSink } from '../stream/source/source-sink.ts';

/** A camera of the hub; another object once its address has changed. */
export interface CheckedCamera {
  readonly uuid: Ruuid;
  readonly check: CameraCheck | null;
}

export interface CameraChecksOptions {
  readonly cameras: { get(cameraUuid: Ruuid): CheckedCamera | undefined; all(): Iterable<CheckedCamera> };
  /** The camera as this gateway or, in a cluster, the node that speaks for it sees it; null: unknown. */
  readonly seen: (cameraUuid: Ruuid) => CameraReport | null;
  /** Whether the camera is this node's to check. */
  readonly isHere: (cameraUuid: Ruuid) => boolean;
  /** Takes the verdict of a camera that is still closed. */
  readonly onVerdict: (orgUuid: Ruuid, cameraUuid: Ruuid, verdict: ProbeVerdict) => Promise<unknown>;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** In [0, 1). */
  readonly random: () => number;
}

/** After a start, the states of all cameras are known this soon, or after one interval if that is shorter. */
export const FIRST_ROUND_MS = 60_000;
/** A camera that was added or changed is checked this soon. */
const CHANGED_MS = 2_000;
/** One lost packet is not an outage: a camera that was fine is checked again this soon before it counts as offline. */
export const CONFIRM_MS = 10_000;
/** A check that its source does not end. */
const HUNG_MS = 30_000;

/** What these say is about the gateway, or about this way to ask: another engine may play the camera. */
const UNDECIDED: ReadonlySet<CameraFaultReason> = new Set([
  'gateway',
  'no-worker',
  'protocol',
  'unsupported',
  'login-unsupported',
]);

interface Entry {
  readonly camera: CheckedCamera;
  /** Its place within the interval. */
  readonly phaseMs: number;
  timer: TimerHandle | null;
  /** Aborted when the camera opens, or goes; null: no check waits or runs. */
  running: AbortController | null;
  /** The last check failed and is about to be confirmed. */
  isSuspect: boolean;
}

/** null: it was ended before there was one. */
type Outcome = { readonly error: GatewayError | null } | null;

export class CameraChecks {
  readonly #options: CameraChecksOptions;
  readonly #entries = new Map<Ruuid, Entry>();
  readonly #turns = new FairQueue(queueOptionsOf(LIMITS.cameraChecks));
  #hasStarted = false;

  constructor(options: CameraChecksOptions) {
    this.#options = options;
  }

  /** From now on: the cameras of the hub first, within a round. */
  start(): void {
    const { cameras, intervalMs, random } = this.#options;
    this.#hasStarted = true;
    for (const camera of cameras.all()) this.#add(camera, random() * Math.min(FIRST_ROUND_MS, intervalMs));
  }

  /** A camera was added, changed, opened, or closed. `report`: null if it was removed. */
  noted(cameraUuid: Ruuid, report: CameraReport | null): void {
    if (!this.#hasStarted) return;
    const { cameras, random } = this.#options;
    const known = this.#entries.get(cameraUuid);
    const camera = report === null ? undefined : cameras.get(cameraUuid);
    if (known !== undefined && known.camera !== camera) this.#forget(known);
    if (camera === undefined) return;
    if (known?.camera !== camera) this.#add(camera, CHANGED_MS * (1 + random()));
    else if (report !== null && isOpen(report)) known.running?.abort();
  }

  stop(): void {
    this.#hasStarted = false;
    for (const entry of [...this.#entries.values()]) this.#forget(entry);
  }

  #add(camera: CheckedCamera, delayMs: number): void {
    if (camera.check === null) return;
    const phaseMs = this.#options.random() * this.#options.intervalMs;
    const entry: Entry = { camera, phaseMs, timer: null, running: null, isSuspect: false };
    this.#entries.set(camera.uuid, entry);
    this.#arm(entry, delayMs);
  }

  #forget(entry: Entry): void {
    if (this.#entries.get(entry.camera.uuid) === entry) this.#entries.delete(entry.camera.uuid);
    entry.timer?.cancel();
    entry.running?.abort();
  }

  #arm(entry: Entry, delayMs: number): void {
    entry.timer?.cancel();
    if (this.#entries.get(entry.camera.uuid) !== entry) return;
    entry.timer = this.#options.clock.after(delayMs, () => void this.#due(entry));
  }

  /** Until the camera's next place in the interval: half an interval from now at the earliest, so that rounds spread out. */
  #pauseMs({ phaseMs }: Entry): number {
    const { clock, intervalMs } = this.#options;
    const earliestMs = clock.monoMs() + intervalMs / 2;
    const turns = Math.ceil((earliestMs - phaseMs) / intervalMs);
    return phaseMs + turns * intervalMs - clock.monoMs();
  }

  /** As `#pauseMs`, after a turn without a result: a camera of which nothing is known does not stay unknown for an interval. */
  #pauseWithoutResultMs(entry: Entry): number {
    const isUnknown = this.#options.seen(entry.camera.uuid)?.main.checkedAtEpochMs === null;
    return isUnknown ? Math.min(FIRST_ROUND_MS, this.#pauseMs(entry)) : this.#pauseMs(entry);
  }

  async #due(entry: Entry): Promise<void> {
    const { uuid, check } = entry.camera;
    if (check === null || entry.running !== null) return;
    if (!this.#isWanted(entry)) {
      this.#arm(entry, this.#pauseWithoutResultMs(entry));
      return;
    }
    const running = new AbortController();
    entry.running = running;
    let nextMs: number | null = null;
    try {
      const turn = { group: check.organization, member: check.address };
      const run = () => this.#run(entry, check, running.signal);
      nextMs = await this.#turns.run(turn, run, running.signal);
    } catch (thrown) {
      // The signal ends the wait for a turn.
      if (!running.signal.aborted) {
        this.#options.log.error({ camera: uuid, err: toGatewayError(thrown) }, 'camera check failed');
      }
    }
    entry.running = null;
    this.#arm(entry, nextMs ?? this.#pauseWithoutResultMs(entry));
  }

  #isWanted({ camera, isSuspect }: Entry): boolean {
    const { seen, isHere, clock, intervalMs } = this.#options;
    const report = seen(camera.uuid);
    if (report === null || isOpen(report) || !isHere(camera.uuid)) return false;
    const agoMs = clock.epochMs() - (report.main.checkedAtEpochMs ?? Number.NEGATIVE_INFINITY);
    // A wall clock that was set back hides nothing.
    return isSuspect || agoMs < 0 || agoMs >= intervalMs / 2;
  }

  /** Returns the pause before the next check. */
  async #run(entry: Entry, check: CameraCheck, signal: AbortSignal): Promise<number> {
    const { camera } = entry;
    // Others went first, and someone may have watched in the meantime.
    const before = this.#isWanted(entry) ? this.#options.seen(camera.uuid) : null;
    const outcome = before === null ? null : await this.#ask(check, signal);
    const isStill = this.#entries.get(camera.uuid) === entry;
    const after = this.#options.seen(camera.uuid);
    if (outcome === null || before === null || !isStill || after === null || isOpen(after)) {
      return this.#pauseWithoutResultMs(entry);
    }
    const pauseMs = this.#pauseMs(entry);
    const fault = outcome.error === null ? null : cameraFaultOf(outcome.error);
    if (fault !== null && UNDECIDED.has(fault.reason)) return pauseMs;
    const isRefusedLogin = fault?.reason === 'wrong-password';
    const wasSuspect = entry.isSuspect;
    entry.isSuspect = fault !== null && !isRefusedLogin && before.main.state === 'reachable' && !wasSuspect;
    if (entry.isSuspect) return CONFIRM_MS;
    const { loginPauseMs, isLoginHeld } = outcome.error?.context ?? {};
    const nextMs = Math.max(pauseMs, typeof loginPauseMs === 'number' ? loginPauseMs : 0);
    // Not contacted now: the earlier result still holds.
    if (isLoginHeld === true && before.main.fault?.reason === 'wrong-password') return nextMs;
    const nextEpochMs = this.#options.clock.epochMs() + Math.round(nextMs);
    await this.#options.onVerdict(check.organization, camera.uuid, { fault, nextEpochMs });
    return nextMs;
  }

  #ask({ source }: CameraCheck, signal: AbortSignal): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const sink = new SourceSink({
      onTracks: () => resolve({ error: null }),
      onAccessUnit: () => undefined,
      onDropped: () => undefined,
      onEnded: (error) => resolve({ error }),
    });
    const instance = source.open(sink);
    const end = (): void => {
      resolve(null);
      void instance.close();
    };
    signal.addEventListener('abort', end, { once: true });
    const timer = this.#options.clock.after(HUNG_MS, end);
    return promise.finally(async () => {
      timer.cancel();
      signal.removeEventListener('abort', end);
      await instance.close();
    });
  }
}

function isOpen({ streamState, main }: CameraReport): boolean {
  return streamState !== 'idle' || main.state === 'live' || main.state === 'connecting';
}

/**
 * Chooses between a camera's variants: the best one that the network carries and that fits the video's size. hls.js's own
 * choice is off. It relies on download times, which reveal little about a live stream (link-probe.ts), and it leaves out
 * variants whose frame rate differs, as cameras' streams do.
 */

import Hls, { type FragLoadedData } from './hls.js';
import { carries } from './link-probe.ts';

const STEP_MS = 200;
/** Video that is frozen this long while the gateway has newer frames means that the network is too slow. */
const SLOW_MS = 800;
/** After a jump, the video freezes for a while in any case. */
const SEEKING_SHARE = 0.5;
/** Frozen time is forgotten at this fraction of the time spent moving: many short stops count as well. */
const FORGET_SHARE = 0.2;
/** So do consecutive parts whose bytes arrive for longer than they play. */
const SLOW_LOADS = 2;
/** A load that takes this long is not awaited: before the first frame, there is nothing else to go by. */
const MAX_LOAD_MS = 2_500;
/** Or this many times as long as what it loads plays, for long segments. */
const MAX_LOAD_SHARE = 1.25;
/** The first loads on a new variant say little: they are larger than what plays in the meantime. */
const SETTLE_MS = 1_000;
/** The newest frames are in flight. */
const UNDER_WAY_SEC = 1;
/**
 * A better variant is tried this long after the last change, at growing intervals while the network does not carry
 * it.
 */
const FIRST_PROBE_MS = 4_000;
const LAST_PROBE_MS = 6_000;
/** A better variant that did not last this long was a mistake, and is tried less and less often. */
const TRIAL_MS = 10_000;
const LAST_TRIAL_PROBE_MS = 60_000;
/** A start on less than the best is corrected sooner, and a probe that found nothing to fetch is repeated. */
const SOON_MS = 1_000;

/** Whether the network was too slow at the last report: a player that replaces another starts from it. */
let wasTooSlow = false;

export interface QualityCalls {
  /** The current load is abandoned, and playback may continue anywhere. */
  onLowered(): void;
  /**
   * Parts are loaded: the round trips of a network that carries the stream may still be too long for them
   * (load-plan.ts).
   */
  mayWaitForSegments(): boolean;
}

export class QualityControl {
  readonly #hls: Hls;
  readonly #video: HTMLVideoElement;
  readonly #calls: QualityCalls;
  #timer: number | undefined;
  #slowLoads = 0;
  /** null: nothing is being loaded, or not the first of a row. */
  #loadingSinceMs: number | null = null;
  #maxLoadMs = MAX_LOAD_MS;
  #lastTimeSec = 0;
  #stillMs = 0;
  #probeAtMs = 0;
  #probeDelayMs = FIRST_PROBE_MS;
  #trialDelayMs = FIRST_PROBE_MS;
  #switchedAtMs = 0;
  #raisedAtMs = Number.NEGATIVE_INFINITY;
  #isProbing = false;

  constructor(hls: Hls, video: HTMLVideoElement, calls: QualityCalls) {
    this.#hls = hls;
    this.#video = video;
    this.#calls = calls;
    hls.on(Hls.Events.MANIFEST_PARSED, () => this.#start());
    hls.on(Hls.Events.FRAG_LOADING, (_event, { frag, part }) => {
      this.#loadingSinceMs = performance.now();
      this.#maxLoadMs = Math.max(MAX_LOAD_MS, (part ?? frag).duration * 1000 * MAX_LOAD_SHARE);
    });
    hls.on(Hls.Events.FRAG_LOADED, (_event, data) => this.#onLoaded(data));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #start(): void {
    const { levels, maxAutoLevel } = this.#hls;
    if (levels.length < 2) return;
    this.#probeAtMs = performance.now() + SOON_MS;
    this.#switchTo(wasTooSlow || isSlowNetwork() ? 0 : maxAutoLevel);
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  #onLoaded({ frag, part }: FragLoadedData): void {
    this.#loadingSinceMs = null;
    if (frag.sn === 'initSegment' || frag.level !== this.#hls.loadLevel) return;
    const { stats, duration } = part ?? frag;
    if (performance.now() - this.#switchedAtMs < SETTLE_MS) return;
    const sinceMs = this.#calls.mayWaitForSegments() ? stats.loading.first : stats.loading.start;
    const isSlow = stats.loading.end - sinceMs > duration * 1000;
    this.#slowLoads = isSlow ? this.#slowLoads + 1 : 0;
  }

  #step(): void {
    const { loadLevel, maxAutoLevel } = this.#hls;
    const nowMs = performance.now();
    this.#noteStanding();
    if (this.#video.paused || document.visibilityState !== 'visible') {
      this.#forgetMeasurements();
    } else if (loadLevel > 0 && this.#isTooSlow(nowMs)) {
      this.#lower(nowMs, loadLevel - 1);
    } else if (loadLevel > maxAutoLevel) {
      this.#switchTo(maxAutoLevel);
    } else if (loadLevel < maxAutoLevel && nowMs >= this.#probeAtMs && !this.#isProbing) {
      void this.#probe(loadLevel + 1);
    }
  }

  #isTooSlow(nowMs: number): boolean {
    const isHanging = this.#loadingSinceMs !== null && nowMs - this.#loadingSinceMs > this.#maxLoadMs;
    const isStill = this.#stillMs > SLOW_MS && !this.#calls.mayWaitForSegments();
    return isHanging || isStill || this.#slowLoads >= SLOW_LOADS;
  }

  /** Adds up how long the video is frozen although there is more to show. */
  #noteStanding(): void {
    const { currentTime, seeking } = this.#video;
    const { latestLevelDetails } = this.#hls;
    const hasMore = latestLevelDetails !== null && latestLevelDetails.edge - currentTime > UNDER_WAY_SEC;
    const isStanding = currentTime === this.#lastTimeSec && currentTime > 0 && hasMore;
    this.#stillMs = isStanding
      ? this.#stillMs + STEP_MS * (seeking ? SEEKING_SHARE : 1)
      : Math.max(0, this.#stillMs - STEP_MS * FORGET_SHARE);
    this.#lastTimeSec = currentTime;
  }

  #lower(nowMs: number, level: number): void {
    wasTooSlow = true;
    const wasTrial = nowMs - this.#raisedAtMs < TRIAL_MS;
    this.#trialDelayMs = wasTrial ? Math.min(LAST_TRIAL_PROBE_MS, this.#trialDelayMs * 2) : FIRST_PROBE_MS;
    this.#probeDelayMs = FIRST_PROBE_MS;
    this.#probeAtMs = nowMs + this.#trialDelayMs;
    this.#forgetMeasurements();
    // unlike `loadLevel`, this ends the current load, which would take bandwidth from the new one
    this.#hls.currentLevel = level;
    this.#calls.onLowered();
  }

  async #probe(level: number): Promise<void> {
    const { uri, bitrate } = this.#hls.levels[level]!;
    this.#isProbing = true;
    const isCarried = await carries(uri, bitrate);
    this.#isProbing = false;
    if (this.#timer === undefined) return;
    const nowMs = performance.now();
    if (isCarried === null) {
      this.#probeAtMs = nowMs + SOON_MS;
    } else if (!isCarried) {
      this.#probeDelayMs = Math.min(LAST_PROBE_MS, this.#probeDelayMs * 1.5);
      this.#probeAtMs = nowMs + this.#probeDelayMs;
    } else if (level <= this.#hls.maxAutoLevel) {
      wasTooSlow = false;
      this.#raisedAtMs = nowMs;
      this.#probeAtMs = nowMs + FIRST_PROBE_MS;
      this.#switchTo(level);
    }
  }

  #switchTo(level: number): void {
    this.#forgetMeasurements();
    this.#hls.loadLevel = level;
  }

  #forgetMeasurements(): void {
    this.#switchedAtMs = performance.now();
    this.#slowLoads = 0;
    this.#loadingSinceMs = null;
    this.#stillMs = 0;
  }
}

/** The browser's own estimate of the network before anything is loaded; false if it has none. */
function isSlowNetwork(): boolean {
  const connection: unknown = 'connection' in navigator ? navigator.connection : null;
  if (typeof connection !== 'object' || connection === null || !('effectiveType' in connection)) return false;
  // the best class that browsers distinguish, which begins at 0.7 Mbit/s
  return connection.effectiveType !== '4g';
}

/** Measures how hls.js loads a live stream, and lets it load as load-plan.ts decides. */

import { bufferedAheadSec } from './buffered.ts';
import Hls, { type FragLoadedData } from './hls.js';
import type { LiveEdge } from './live-edge.ts';
import { LoadPlan } from './load-plan.ts';

const STEP_MS = 250;
/** More media than this at the gateway than in the buffer: the camera is not what the video waits for. */
const MORE_SEC = 0.1;

/** Shared by all players of the page: what one learned about the network holds for the next. */
const sharedPlan = new LoadPlan();

export class LoadControl {
  readonly #hls: Hls;
  readonly #video: HTMLVideoElement;
  readonly #edge: LiveEdge;
  readonly #plan = sharedPlan;
  readonly #timer: ReturnType<typeof setInterval>;
  #level = -1;
  #isLoading = false;
  #lastTimeSec = 0;
  #isStanding = false;

  constructor(hls: Hls, video: HTMLVideoElement, edge: LiveEdge) {
    this.#hls = hls;
    this.#video = video;
    this.#edge = edge;
    this.#plan.forget(performance.now());
    this.#apply();
    hls.on(Hls.Events.FRAG_LOADING, () => {
      this.#isLoading = true;
    });
    hls.on(Hls.Events.FRAG_LOADED, (_event, data) => this.#onLoaded(data));
    video.addEventListener('seeking', this.#onSeeking);
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  /** Segments are loaded, so stops are not what parts cost. */
  get isSteady(): boolean {
    return this.#plan.mode === 'steady';
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#video.removeEventListener('seeking', this.#onSeeking);
  }

  /** A jump leaves the buffer empty. */
  readonly #onSeeking = (): void => this.#plan.forget(performance.now());

  #onLoaded({ frag, part }: FragLoadedData): void {
    this.#isLoading = false;
    if (frag.sn === 'initSegment' || frag.level !== this.#hls.loadLevel) return;
    const { stats, duration } = part ?? frag;
    const { start, first, end } = stats.loading;
    const load = {
      isPart: part !== null,
      durationMs: duration * 1000,
      waitMs: first - start,
      transferMs: end - first,
    };
    this.#plan.noteLoad(load, performance.now());
  }

  #step(): void {
    const nowMs = performance.now();
    const { latestLevelDetails: details, loadLevel } = this.#hls;
    if (loadLevel !== this.#level) {
      this.#level = loadLevel;
      this.#plan.forget(nowMs);
    }
    if (this.#video.paused || document.visibilityState !== 'visible') {
      this.#isStanding = false;
      this.#plan.forget(nowMs);
      return;
    }
    this.#noteStanding(nowMs);
    if (details === null || details.partTarget === 0) return;
    if (this.#plan.step(details.partTarget * 1000, nowMs)) this.#apply();
  }

  #noteStanding(nowMs: number): void {
    const { currentTime, seeking, playbackRate } = this.#video;
    const movedSec = currentTime - this.#lastTimeSec;
    this.#lastTimeSec = currentTime;
    const hasStood = !seeking && currentTime > 0 && movedSec < (STEP_MS / 2_000) * playbackRate;
    if (!hasStood || !this.#hasMore()) {
      this.#isStanding = false;
      return;
    }
    this.#plan.noteStall(STEP_MS, !this.#isStanding, nowMs);
    this.#isStanding = true;
  }

  #hasMore(): boolean {
    const details = this.#hls.latestLevelDetails;
    if (details === null) return false;
    return (
      this.#isLoading || details.edge - this.#video.currentTime - bufferedAheadSec(this.#video) > MORE_SEC
    );
  }

  #apply(): void {
    const { mode } = this.#plan;
    this.#hls.lowLatencyMode = mode !== 'steady';
    this.#edge.setFar(mode !== 'close');
    document.documentElement.dataset.loading = mode;
  }
}

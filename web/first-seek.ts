/**
 * Starts a video that has media and no picture. Over a network with long round trips, Chromium can find itself at the
 * beginning of the first part without ever having sought there. It then decodes nothing, and neither does hls.js see a
 * gap to jump over: the page stayed empty for 7 to 10 s, until it was far enough behind to jump to live.
 */

import { bufferedAheadSec } from './buffered.ts';

const STEP_MS = 250;
/** So long, this is how browsers start: media is there before its picture. */
const PATIENCE_STEPS = 2;
/** Enough media for a picture. */
const MIN_AHEAD_SEC = 0.2;

export class FirstSeek {
  readonly #video: HTMLVideoElement;
  readonly #timer: ReturnType<typeof setInterval>;
  #steps = 0;

  /** Until the first picture, or `stop`. */
  constructor(video: HTMLVideoElement) {
    this.#video = video;
    this.#timer = setInterval(() => this.#step(), STEP_MS);
    video.addEventListener('loadeddata', this.stop);
  }

  readonly stop = (): void => {
    clearInterval(this.#timer);
    this.#video.removeEventListener('loadeddata', this.stop);
  };

  #step(): void {
    const { readyState, seeking, currentTime } = this.#video;
    const isStuck = readyState === HTMLMediaElement.HAVE_METADATA && !seeking;
    this.#steps = isStuck && bufferedAheadSec(this.#video) > MIN_AHEAD_SEC ? this.#steps + 1 : 0;
    if (this.#steps <= PATIENCE_STEPS) return;
    this.#steps = 0;
    this.#video.currentTime = currentTime;
  }
}

/**
 * Keeps the buffer behind the playback position in one piece. A jump to the live edge, or a start that a slow network
 * overtakes, leaves a range behind. As long as there is one, hls.js 1.7 takes each wait for data for a hole: it seeks 0.1 s
 * ahead, and sets the video up again after three times without motion. On a slow phone, that is often.
 */

import Hls from './hls.js';

export class OneRange {
  readonly #hls: Hls;
  readonly #video: HTMLVideoElement;

  constructor(hls: Hls, video: HTMLVideoElement) {
    this.#hls = hls;
    this.#video = video;
    for (const event of ['playing', 'seeked']) video.addEventListener(event, this.#drop);
  }

  stop(): void {
    for (const event of ['playing', 'seeked']) this.#video.removeEventListener(event, this.#drop);
  }

  readonly #drop = (): void => {
    const { buffered, currentTime } = this.#video;
    let endSec = 0;
    for (let range = 0; range < buffered.length; range++) {
      if (buffered.start(range) <= currentTime) endSec = range === 0 ? 0 : buffered.end(range - 1);
    }
    if (endSec === 0 || endSec > currentTime) return;
    this.#hls.trigger(Hls.Events.BUFFER_FLUSHING, { startOffset: 0, endOffset: endSec, type: null });
  };
}

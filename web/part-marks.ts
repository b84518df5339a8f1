/**
 * Keeps hls.js 1.7 from forgetting parts that it has. When it trims the buffer behind the playback position while a
 * part is being appended, it takes the segment of that part for lost and unmarks the parts before it
 * (`detectEvictedFragments`). At the end of the segment it then finds parts to load in a segment that it knows to be
 * complete, and loads nothing more until those parts leave the playlist: the video froze for 5 s. The slower the
 * machine, the more often.
 */

import { isBuffered } from './buffered.ts';
import Hls, { type ElementaryStreams } from './hls.js';

export class PartMarks {
  readonly #hls: Hls;
  readonly #video: HTMLVideoElement;
  /** By the object that marks a part as loaded: all its generations, one for each playlist, have the same one. */
  readonly #marks = new WeakMap<ElementaryStreams, ElementaryStreams>();

  constructor(hls: Hls, video: HTMLVideoElement) {
    this.#hls = hls;
    this.#video = video;
    hls.on(Hls.Events.BUFFER_APPENDED, (_event, { part }) => {
      if (part?.loaded) this.#marks.set(part.elementaryStreams, { ...part.elementaryStreams });
    });
    hls.on(Hls.Events.BUFFER_FLUSHED, () => this.#restore());
  }

  /** Marks parts that were loaded and are still in the buffer as loaded again. */
  #restore(): void {
    for (const part of this.#hls.latestLevelDetails?.partList ?? []) {
      const marks = this.#marks.get(part.elementaryStreams);
      if (marks === undefined || part.loaded) continue;
      if (isBuffered(this.#video, part.start + part.duration / 2))
        Object.assign(part.elementaryStreams, marks);
    }
  }
}

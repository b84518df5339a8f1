/** The newest key frame that a rendition published, for still images. */

import { singlePictureFragment } from '../../cmaf/fragment-writer.ts';
import { VIDEO_TRACK_ID } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import type { KeyFrame, LentMedia } from '../media/live-media.ts';

export class NewestKeyFrame {
  /** The newest part with a key frame, and the loan of its bytes, until the frame is copied. */
  #part: CmafPart | null = null;
  #loan: LentMedia | null = null;
  #frame: KeyFrame | null = null;

  /** Takes over `loan`, which lends the bytes of `part`. */
  published(part: CmafPart, loan: LentMedia | null): void {
    this.#release();
    this.#part = part;
    this.#loan = loan;
  }

  /** Another node published it. */
  take(frame: KeyFrame): void {
    this.#release();
    this.#frame = frame;
  }

  /** null: there was none. Copies it on first request. */
  get(): KeyFrame | null {
    if (this.#part !== null && this.#loan !== null) {
      this.#frame = pictureOf(this.#part, this.#loan.bytes);
      this.#release();
    }
    return this.#frame;
  }

  /** Gives the loan back. */
  close(): void {
    this.#release();
  }

  #release(): void {
    this.#loan?.release();
    this.#part = null;
    this.#loan = null;
  }
}

function pictureOf(part: CmafPart, bytes: Buffer): KeyFrame | null {
  if (part.keySample === null) return null;
  const { offsetBytes, sizeBytes, epochMs } = part.keySample;
  const { video, init } = part.tracks;
  if (video === null) return null;
  const picture = Buffer.from(bytes.subarray(offsetBytes, offsetBytes + sizeBytes));
  return {
    fmp4: [init, ...singlePictureFragment(VIDEO_TRACK_ID, picture)],
    widthPx: video.widthPx,
    heightPx: video.heightPx,
    atEpochMs: Math.round(epochMs),
  };
}

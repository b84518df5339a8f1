/**
 * What a worker has to do with a camera's tracks: copy what viewers can play, encode what they cannot. Known from
 * the camera's description, or learnt from what ffmpeg says of its input.
 */

import type { WorkerPlan } from '../../ffmpeg/command.ts';

/** True when the direct engine cannot carry a camera with these encodings (names as in RTP, any case; null: no such track). */
export function needsTranscode(videoEncoding: string | null, audioEncoding: string | null): boolean {
  const plan = planFor(videoEncoding, audioEncoding);
  return plan.video === 'encode' || plan.audio === 'encode';
}

/** The plan for a camera with these encodings. */
export function planFor(videoEncoding: string | null, audioEncoding: string | null): WorkerPlan {
  return {
    video: videoEncoding?.toLowerCase() === 'h264' ? 'copy' : 'encode',
    audio: audioEncoding === null ? 'off' : isAac(audioEncoding) ? 'copy' : 'encode',
  };
}

/** `aac` is ffmpeg's name; RTP's generic mode is AAC nearly always, and ffmpeg says otherwise if not. */
function isAac(encoding: string): boolean {
  const name = encoding.toLowerCase();
  return name === 'aac' || name === 'mpeg4-generic';
}

/** `  Stream #0:1: Audio: pcm_mulaw, 8000 Hz, …`, with language or identifier behind the numbers at times. */
const INPUT_STREAM = /^Stream #0:\d+\S*: (Video|Audio): (\w+)/;
const OUTPUT_BEGINS = /^Output #/;

/** Follows what a worker writes, and knows in the end which tracks its input has. */
export class InputDescription {
  #videoCodec: string | null = null;
  #audioCodec: string | null = null;
  #hasOutputBegun = false;

  /** One line of standard error. */
  read(line: string): void {
    if (this.#hasOutputBegun) return;
    if (OUTPUT_BEGINS.test(line)) this.#hasOutputBegun = true;
    const match = INPUT_STREAM.exec(line);
    if (match === null) return;
    if (match[1] === 'Video') this.#videoCodec ??= match[2]!;
    else this.#audioCodec ??= match[2]!;
  }

  /** The plan these tracks need; null before ffmpeg has said that there is video. */
  get plan(): WorkerPlan | null {
    return this.#videoCodec === null ? null : planFor(this.#videoCodec, this.#audioCodec);
  }
}

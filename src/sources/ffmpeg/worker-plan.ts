/**
 * What a worker must do with a camera's tracks: copy what viewers can play, encode what they cannot. Learned from
 * ffmpeg's report of its input.
 */

import type { WorkerPlan } from '../../ffmpeg/command.ts';

/** `  Stream #0:1: Audio: pcm_mulaw, 8000 Hz, …`, sometimes with a language or identifier after the numbers. */
const INPUT_STREAM = /^Stream #0:\d+\S*: (Video|Audio): (\w+)/;
const OUTPUT_BEGINS = /^Output #/;

/** Follows a worker's output to learn which tracks its input has. */
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

  /** The plan for these tracks; null before ffmpeg has reported video. */
  get plan(): WorkerPlan | null {
    if (this.#videoCodec === null) return null;
    return {
      video: this.#videoCodec === 'h264' ? 'copy' : 'encode',
      audio: this.#audioCodec === null ? 'off' : this.#audioCodec === 'aac' ? 'copy' : 'encode',
    };
  }
}

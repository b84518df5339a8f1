/**
 * A worker's plan for a camera's tracks: copy those that viewers can play, encode the others. Learned from ffmpeg's report
 * of its input.
 */

import type { WorkerPlan } from '../../ffmpeg/command.ts';
import type { PictureRate } from '../../ffmpeg/worker-cores.ts';

/** `  Stream #0:1: Audio: pcm_mulaw, 8000 Hz, …`, sometimes with a language or identifier after the numbers. */
const INPUT_STREAM = /^Stream #0:\d+\S*: (Video|Audio): (\w+)/;
/** `1920x1080` and `25 fps` (or `12.5 fps`) somewhere after it. */
const PICTURE_SIZE = /, (\d{2,5})x(\d{2,5})\b/;
const FRAME_RATE = /, (\d{1,6}(?:\.\d{1,3})?) fps\b/;
/** A camera whose rate ffmpeg does not know yet. */
const USUAL_FRAMES_PER_SEC = 25;
/** `Duration: 01:23:00.04, start: 0.000000`; `N/A` if it is not known. */
const DURATION = /^Duration: (\d+):(\d{2}):(\d{2}(?:\.\d+)?),/;
/** `Input #0, avi, from 'pipe:0':` */
const INPUT_FORMAT = /^Input #0, ([\w,]+), from /;
/** They have no time for each picture: copied video with B-frames would have its pictures in the wrong order. */
const WITHOUT_TIMES: ReadonlySet<string> = new Set(['avi', 'mpeg', 'dhav', 'h264', 'hevc']);
const OUTPUT_BEGINS = /^Output #/;

/** Follows a worker's output to learn which tracks its input has. */
export class InputDescription {
  #videoCodec: string | null = null;
  #audioCodec: string | null = null;
  #hasOutputBegun = false;
  #rate: PictureRate | null = null;
  #durationSec: number | null = null;
  #hasTimes = true;
  readonly #encodesVideo: boolean;

  /** `encodesVideo`: whatever its codec is. */
  constructor(encodesVideo = false) {
    this.#encodesVideo = encodesVideo;
  }

  /** One line of standard error. */
  read(line: string): void {
    if (this.#hasOutputBegun) return;
    if (OUTPUT_BEGINS.test(line)) this.#hasOutputBegun = true;
    const format = INPUT_FORMAT.exec(line);
    if (format !== null) this.#hasTimes = !WITHOUT_TIMES.has(format[1]!);
    const duration = DURATION.exec(line);
    if (duration !== null) {
      const [hours, minutes, seconds] = duration.slice(1).map(Number);
      this.#durationSec ??= hours! * 3_600 + minutes! * 60 + seconds!;
    }
    const match = INPUT_STREAM.exec(line);
    if (match === null) return;
    if (match[1] === 'Video') {
      if (this.#videoCodec === null) this.#rate = rateOf(line);
      this.#videoCodec ??= match[2]!;
    } else this.#audioCodec ??= match[2]!;
  }

  /** How many pixels it has to work on; null: unknown. */
  get rate(): PictureRate | null {
    return this.#rate;
  }

  /** As the file's header says; null: it does not. */
  get durationSec(): number | null {
    return this.#durationSec;
  }

  /** The plan for these tracks; null before ffmpeg has reported video. */
  get plan(): WorkerPlan | null {
    if (this.#videoCodec === null) return null;
    return {
      video: this.#videoCodec === 'h264' && this.#hasTimes && !this.#encodesVideo ? 'copy' : 'encode',
      audio: this.#audioCodec === null ? 'off' : this.#audioCodec === 'aac' ? 'copy' : 'encode',
    };
  }
}

function rateOf(line: string): PictureRate | null {
  const size = PICTURE_SIZE.exec(line);
  if (size === null) return null;
  const framesPerSec = Number(FRAME_RATE.exec(line)?.[1] ?? USUAL_FRAMES_PER_SEC);
  return { framePx: Number(size[1]) * Number(size[2]), framesPerSec };
}

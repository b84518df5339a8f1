/** How each audio other than AAC reaches viewers: as FLAC, as it is, or through a worker. */

import type { Clock } from '../../core/clock.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import { FlacSound } from './flac-sound.ts';
import { isOpus, OpusSound } from './opus-sound.ts';
import { pcmFormatOf } from './pcm-format.ts';
import type { SoundPath, SoundPathEvents, SoundPaths } from './sound-path.ts';

/** Carries formats for which browsers need no worker; others, such as G.722 and MP3, go to the worker. */
export class CameraSoundPaths implements SoundPaths {
  readonly #clock: Clock;
  readonly #worker: SoundPaths | null;

  /** `worker`: null where none may be started. */
  constructor(clock: Clock, worker: SoundPaths | null) {
    this.#clock = clock;
    this.#worker = worker;
  }

  carries(format: MediaFormat): boolean {
    return pcmFormatOf(format) !== null || isOpus(format) || (this.#worker?.carries(format) ?? false);
  }

  open(format: MediaFormat, events: SoundPathEvents): SoundPath {
    const pcm = pcmFormatOf(format);
    if (pcm !== null) return new FlacSound(pcm, this.#clock, events);
    return isOpus(format) ? new OpusSound(format, events) : this.#worker!.open(format, events);
  }
}

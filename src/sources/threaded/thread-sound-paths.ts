/** How a thread that reads cameras carries their audio: without workers. */

import type { Clock } from '../../core/clock.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import { CameraSoundPaths } from '../sound/camera-sound.ts';
import { codedSoundOf } from '../sound/coded-sound.ts';
import type { SoundPath, SoundPathEvents, SoundPaths } from '../sound/sound-path.ts';

/** Carries formats that need no worker. */
export class ThreadSoundPaths implements SoundPaths {
  /** The camera has audio that a worker would carry. */
  lacksWorker = false;
  readonly #paths: CameraSoundPaths;
  readonly #hasWorker: boolean;

  constructor(clock: Clock, hasWorker: boolean) {
    this.#paths = new CameraSoundPaths(clock, null);
    this.#hasWorker = hasWorker;
  }

  carries(format: MediaFormat): boolean {
    if (this.#paths.carries(format)) return true;
    if (this.#hasWorker && codedSoundOf(format) !== null) this.lacksWorker = true;
    return false;
  }

  open(format: MediaFormat, events: SoundPathEvents): SoundPath {
    return this.#paths.open(format, events);
  }
}

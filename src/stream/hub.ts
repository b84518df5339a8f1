/** All live cameras, by uuid. Cameras come and go with the configuration; viewers of unchanged ones notice nothing. */

import { toGatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { CameraStream, type CameraStreamOptions } from './camera-stream.ts';
import type { LiveCameras, LiveState } from './live-media.ts';
import type { SoundState } from './sound-state.ts';
import type { Source } from './source.ts';

/** What a camera is to the hub. */
export interface HubCamera {
  readonly uuid: Ruuid;
  /** Changes exactly when the camera must be opened anew: addresses, credentials, engine, transport. */
  readonly fingerprint: string;
  readonly main: Source;
  readonly sub: Source | null;
}

export interface HubOptions
  extends Omit<CameraStreamOptions, 'cameraUuid' | 'main' | 'sub' | 'onStatusChange' | 'onSoundChange'> {
  readonly onStatusChange: (cameraUuid: Ruuid, state: LiveState) => void;
  readonly onSoundChange?: (cameraUuid: Ruuid, sound: SoundState) => void;
  /** A camera was put, and is idle, or it was removed. */
  readonly onCamera?: (cameraUuid: Ruuid, change: 'put' | 'removed') => void;
}

interface Entry {
  readonly fingerprint: string;
  readonly stream: CameraStream;
}

export class StreamHub implements LiveCameras {
  readonly #options: HubOptions;
  readonly #cameras = new Map<Ruuid, Entry>();

  constructor(options: HubOptions) {
    this.#options = options;
  }

  get(cameraUuid: Ruuid): CameraStream | undefined {
    return this.#cameras.get(cameraUuid)?.stream;
  }

  all(): Iterable<CameraStream> {
    return this.#cameras.values().map((entry) => entry.stream);
  }

  /** Adds the camera, or replaces it when its fingerprint changed. */
  put(camera: HubCamera): void {
    const known = this.#cameras.get(camera.uuid);
    if (known?.fingerprint === camera.fingerprint) return;
    if (known !== undefined) this.#close(known);
    const { uuid, fingerprint, main, sub } = camera;
    const onStatusChange = (state: LiveState) => this.#options.onStatusChange(uuid, state);
    const onSoundChange = (sound: SoundState) => this.#options.onSoundChange?.(uuid, sound);
    const events = { onStatusChange, onSoundChange };
    const stream = new CameraStream({ ...this.#options, cameraUuid: uuid, main, sub, ...events });
    this.#cameras.set(uuid, { fingerprint, stream });
    this.#options.onCamera?.(uuid, 'put');
  }

  remove(cameraUuid: Ruuid): void {
    const known = this.#cameras.get(cameraUuid);
    if (known === undefined) return;
    this.#cameras.delete(cameraUuid);
    this.#close(known);
    this.#options.onCamera?.(cameraUuid, 'removed');
  }

  /** Resolves when every connection is gone and all numbers are saved. */
  async close(): Promise<void> {
    const closing = [...this.#cameras.values()].map((entry) => entry.stream.close());
    this.#cameras.clear();
    await Promise.all(closing);
  }

  #close(entry: Entry): void {
    entry.stream.close().catch((thrown) => {
      this.#options.log.error(
        { camera: entry.stream.uuid, err: toGatewayError(thrown) },
        'camera did not close',
      );
    });
  }
}

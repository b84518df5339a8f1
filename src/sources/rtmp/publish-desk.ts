/**
 * Brings publishers and cameras together: who can push with which key, and which instance of a camera's source gets
 * what a publisher sends. A key has one publisher at a time.
 */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import { RTMP_ERRORS } from './errors.ts';
import { PushedMedia, type PushedSound } from './pushed-media.ts';

/** A publisher that has been silent for this long makes room for another with the same key: its device came back. */
export const STALE_PUBLISHER_MS = 3_000;

/** Devices that have to be set up differently. */
const LASTING: ReadonlySet<string> = new Set([
  RTMP_ERRORS.RTMP_UNSUPPORTED_VIDEO.code,
  RTMP_ERRORS.RTMP_NO_PARAMETER_SETS.code,
]);

/** A connection whose key is accepted. */
export interface Publisher {
  /** Its IP address. */
  readonly address: string;
  readonly media: PushedMedia;
  readonly lastBytesMonoMs: number;
  /** Ends the connection; calls nothing back. */
  close(): void;
}

/** An instance of a camera's source that wants the pushed media. */
export interface PublishListener {
  readonly sink: SourceSink;
  /** The publisher's media go to `sink` from now on. */
  onPublisher(publisher: Publisher): void;
  /** The publisher is gone. */
  onGone(error: GatewayError): void;
}

/** A camera with a publish key. */
export class PublishSlot {
  readonly cameraUuid: Ruuid;
  readonly digest: string;
  /** The audio setting for the next publisher. */
  sound: PushedSound;
  publisher: Publisher | null = null;
  listener: PublishListener | null = null;
  /** Why the last publisher was rejected, if its device has to be set up differently. */
  lastFault: GatewayError | null = null;

  constructor(cameraUuid: Ruuid, digest: string, sound: PushedSound) {
    this.cameraUuid = cameraUuid;
    this.digest = digest;
    this.sound = sound;
  }
}

export interface PublishDeskOptions {
  readonly clock: Clock;
  /** A publisher for this camera is there: its source can be opened without waiting. */
  readonly onPublisher: (cameraUuid: Ruuid) => void;
  /** Every publisher that is seated, and that leaves. In a cluster, the camera goes where its publisher is. */
  readonly onSeated?: ((cameraUuid: Ruuid) => void) | undefined;
  readonly onLeft?: ((cameraUuid: Ruuid) => void) | undefined;
}

export class PublishDesk {
  readonly #options: PublishDeskOptions;
  readonly #byCamera = new Map<Ruuid, PublishSlot>();
  readonly #byDigest = new Map<string, PublishSlot>();

  constructor(options: PublishDeskOptions) {
    this.#options = options;
  }

  /** Cameras with a publish key. */
  get size(): number {
    return this.#byCamera.size;
  }

  get publishers(): number {
    let count = 0;
    for (const { publisher } of this.#byCamera.values()) if (publisher !== null) count += 1;
    return count;
  }

  /** Whether a publisher from this address is there. */
  hasPublisherFrom(address: string): boolean {
    return this.#byCamera.values().some(({ publisher }) => publisher?.address === address);
  }

  /** The camera's place; a publisher with an earlier key of the camera is closed. */
  put(cameraUuid: Ruuid, digest: string, sound: PushedSound): PublishSlot {
    const known = this.#byCamera.get(cameraUuid);
    if (known?.digest === digest) {
      known.sound = sound;
      return known;
    }
    this.remove(cameraUuid);
    const slot = new PublishSlot(cameraUuid, digest, sound);
    this.#byCamera.set(cameraUuid, slot);
    this.#byDigest.set(digest, slot);
    return slot;
  }

  remove(cameraUuid: Ruuid): void {
    const slot = this.#byCamera.get(cameraUuid);
    if (slot === undefined) return;
    this.#byCamera.delete(cameraUuid);
    if (this.#byDigest.get(slot.digest) === slot) this.#byDigest.delete(slot.digest);
    this.leave(slot, new GatewayError(RTMP_ERRORS.RTMP_NO_PUBLISHER));
  }

  /**
   * Seats a publisher whose key has this digest. Fails RTMP_KEY_REFUSED, RTMP_KEY_IN_USE. Reads nothing of the
   * publisher that a stranger could influence but its address.
   */
  admit(digest: string | null, make: (media: PushedMedia) => Publisher): PublishSlot {
    const slot = digest === null ? undefined : this.#byDigest.get(digest);
    if (slot === undefined) throw new GatewayError(RTMP_ERRORS.RTMP_KEY_REFUSED);
    if (!this.#makeRoom(slot)) throw new GatewayError(RTMP_ERRORS.RTMP_KEY_IN_USE);
    const publisher = make(new PushedMedia(slot.sound, this.#options.clock));
    slot.publisher = publisher;
    slot.lastFault = null;
    this.#options.onSeated?.(slot.cameraUuid);
    if (slot.listener === null) this.#options.onPublisher(slot.cameraUuid);
    else slot.listener.onPublisher(publisher);
    return slot;
  }

  /** The camera's place; null: it has no key. */
  find(cameraUuid: Ruuid): PublishSlot | null {
    return this.#byCamera.get(cameraUuid) ?? null;
  }

  /** False: a publisher is there. One that is silent gives way to another, which may be at another node. */
  makeRoom(cameraUuid: Ruuid): boolean {
    const slot = this.#byCamera.get(cameraUuid);
    return slot === undefined || this.#makeRoom(slot);
  }

  #makeRoom(slot: PublishSlot): boolean {
    if (slot.publisher === null) return true;
    const silentMs = this.#options.clock.monoMs() - slot.publisher.lastBytesMonoMs;
    if (silentMs < STALE_PUBLISHER_MS) return false;
    this.leave(slot, new GatewayError(RTMP_ERRORS.RTMP_PUBLISHER_LEFT, { reason: 'replaced' }));
    return true;
  }

  /** The slot's publisher is over, or is to be closed. */
  leave(slot: PublishSlot, error: GatewayError): void {
    const { publisher } = slot;
    if (publisher === null) return;
    slot.publisher = null;
    if (LASTING.has(error.code)) slot.lastFault = error;
    publisher.close();
    slot.listener?.onGone(error);
    this.#options.onLeft?.(slot.cameraUuid);
  }

  /** Closes every publisher. */
  close(): void {
    for (const cameraUuid of [...this.#byCamera.keys()]) this.remove(cameraUuid);
  }
}

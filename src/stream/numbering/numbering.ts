/**
 * Keeps a rendition's numbering from ever going back (RFC 8216 §6.2.1: a client may not see a Media Sequence Number
 * decrease). Numbers are reserved ahead in blocks, and the reservation is on disk before any of them is published. A
 * crash skips the rest of a block; a clean stop writes the exact numbers.
 */

import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { RenditionName } from '../media/live-media.ts';

export interface Numbering {
  /** No segment with this number or a higher one has been published. */
  readonly nextMediaSequenceNumber: number;
  readonly nextDiscontinuitySequence: number;
  /** Fingerprint of the init segment that `seg_init.mp4` names; null before the first. */
  readonly initFingerprint: string | null;
}

export interface NumberingKey {
  readonly cameraUuid: Ruuid;
  readonly rendition: RenditionName;
  /** The fencing number of the lease under which the numbers are used (CameraOwnership); 0: only this node can use them. */
  readonly fence: number;
}

export interface NumberingEntry extends Numbering, NumberingKey {}

/** The ledger's view of the store. */
export interface NumberingStore {
  find(cameraUuid: Ruuid, rendition: RenditionName): Promise<Numbering | null>;
  /** Fails with the kind `conflict` if the lease has ended: someone else may number it now. */
  save(entry: NumberingEntry): Promise<void>;
}

/** About half an hour of two-second segments between two writes. */
const SEGMENTS_PER_BLOCK = 1_000;
const SEGMENTS_LEFT_BEFORE_NEXT_BLOCK = 200;
const DISCONTINUITIES_PER_BLOCK = 100;
const DISCONTINUITIES_LEFT_BEFORE_NEXT_BLOCK = 20;

/** Number 0 is reserved for the gap before the first segment (src/hls/media-playlist.ts). */
export const UNUSED: Numbering = {
  nextMediaSequenceNumber: 1,
  nextDiscontinuitySequence: 0,
  initFingerprint: null,
};

/** Stands for the window of another node until it arrives: no number that a viewer requests is too far ahead. */
export const UNKNOWN: Numbering = { ...UNUSED, nextMediaSequenceNumber: -1 };

/** The numbering of one open rendition. */
export class RenditionNumbering {
  readonly #store: NumberingStore;
  readonly #log: Log;
  readonly #key: NumberingKey;
  #current: Numbering;
  #reserved: Numbering;
  /** The numbering that the store has. */
  #stored: Numbering;
  #writes: Promise<void> = Promise.resolve();

  private constructor(store: NumberingStore, log: Log, key: NumberingKey, start: Numbering) {
    this.#store = store;
    this.#log = log;
    this.#key = key;
    this.#current = start;
    this.#reserved = start;
    this.#stored = start;
  }

  /**
   * Reads the current numbering and reserves the first block. A store that does not respond must not keep a camera from
   * being watched: numbering then continues in memory, and the log says what may be lost. With a fence it fails instead: another
   * node may have used what would come next.
   */
  static async open(store: NumberingStore, key: NumberingKey, log: Log): Promise<RenditionNumbering> {
    let start = UNUSED;
    try {
      start = (await store.find(key.cameraUuid, key.rendition)) ?? UNUSED;
    } catch (thrown) {
      if (key.fence > 0) throw thrown;
      log.error({ ...key, err: toGatewayError(thrown) }, 'segment numbering not readable, starting over');
    }
    const numbering = new RenditionNumbering(store, log, key, start);
    if (key.fence > 0) await numbering.#reserveFirst();
    else {
      numbering.#reserve();
      await numbering.#writes;
    }
    return numbering;
  }

  get current(): Numbering {
    return this.#current;
  }

  /** True when segments were published before this opening: the first new one is a discontinuity. */
  get isContinuation(): boolean {
    return this.#current.nextMediaSequenceNumber > UNUSED.nextMediaSequenceNumber;
  }

  /**
   * Records how far the live window has got; called once per segment, writes once per block. False: with a fence, these are the last
   * reserved numbers, so another node may use those that follow.
   */
  advance(to: Numbering): boolean {
    const hasNewInit = to.initFingerprint !== this.#reserved.initFingerprint;
    this.#current = to;
    const segmentsLeft = this.#reserved.nextMediaSequenceNumber - to.nextMediaSequenceNumber;
    const discontinuitiesLeft = this.#reserved.nextDiscontinuitySequence - to.nextDiscontinuitySequence;
    if (
      hasNewInit ||
      segmentsLeft < SEGMENTS_LEFT_BEFORE_NEXT_BLOCK ||
      discontinuitiesLeft < DISCONTINUITIES_LEFT_BEFORE_NEXT_BLOCK
    ) {
      this.#reserve();
    }
    return this.#key.fence === 0 || isWithin(to, this.#stored);
  }

  /** Writes the exact numbers; resolves when they are on disk. */
  async close(): Promise<void> {
    this.#write(this.#current);
    await this.#writes;
  }

  #reserve(): void {
    this.#reserved = this.#nextBlock();
    this.#write(this.#reserved);
  }

  /** Nothing may be published without it. */
  async #reserveFirst(): Promise<void> {
    this.#reserved = this.#nextBlock();
    await this.#store.save({ ...this.#key, ...this.#reserved });
    this.#stored = this.#reserved;
  }

  #nextBlock(): Numbering {
    return {
      nextMediaSequenceNumber: this.#current.nextMediaSequenceNumber + SEGMENTS_PER_BLOCK,
      nextDiscontinuitySequence: this.#current.nextDiscontinuitySequence + DISCONTINUITIES_PER_BLOCK,
      initFingerprint: this.#current.initFingerprint,
    };
  }

  /** In order: an older reservation must not overwrite a newer one. */
  #write(numbering: Numbering): void {
    const entry = { ...this.#key, ...numbering };
    this.#writes = this.#writes
      .then(async () => {
        await this.#store.save(entry);
        this.#stored = numbering;
      })
      .catch((thrown) => {
        // The next segment tries again.
        this.#reserved = this.#stored;
        const error = toGatewayError(thrown);
        // The lease has ended, and the log says so: the next owner numbers the camera, and players miss nothing.
        if (error.kind === 'conflict') return;
        this.#log.error(
          { ...this.#key, err: error },
          'segment numbering not saved: after a crash, players of this camera may have to reload',
        );
      });
  }
}

function isWithin(numbers: Numbering, reserved: Numbering): boolean {
  return (
    numbers.nextMediaSequenceNumber < reserved.nextMediaSequenceNumber &&
    numbers.nextDiscontinuitySequence < reserved.nextDiscontinuitySequence
  );
}

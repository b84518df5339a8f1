/**
 * How many uploads there may be, and how much room they may take, of one key, one organization, and all. What has
 * arrived takes room, and a small step ahead of it; announced bytes take none.
 */

import { GatewayError } from '../core/errors.ts';
import { type NotTaken, Pool, type Taken } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import type { Spool } from './spool-protocol.ts';
import type { Uploader } from './upload-access.ts';

export interface UploadLimits {
  readonly maxBytes: number;
  /** Requests that send at the same time, from one key and from all. */
  readonly atOncePerKey: number;
  readonly atOnce: number;
  /** Time from its announcement to its last byte. */
  readonly keepUnfinishedMs: number;
  /** Room to leave on the disk: live recordings and what ends access have it for themselves. */
  readonly minFreeBytes: number;
}

/** Room is made this far ahead of what has arrived. */
export const STEP_BYTES = 16 * 1_048_576;
/** A file becomes a recording of its size before it is deleted. */
export const COPIES = 2;
const RETRY_AFTER_SEC = 30;

/** The share of the room that a credential alone can have. */
const SHARE = Object.values(LIMITS.uploadBytes.levels).reduce((all, { share }) => all * share, 1);

/** Room is missing for this much of the organization, beyond `minFreeBytes`: with the next attempt, there may be some. */
export type OnNoRoom = (orgUuid: Ruuid, byteLength: number) => void;

/** The resources that one upload holds while it is neither done nor refused. */
export class UploadPlace {
  readonly uploader: Uploader;
  /** Bytes that are on the disk. */
  arrivedBytes = 0;
  /** Bytes of the file for which room is made. */
  reservedBytes = 0;
  /** Given back when it ends. */
  readonly taken: Taken[] = [];
  readonly #onLeave: (place: UploadPlace) => void;

  constructor(uploader: Uploader, onLeave: (place: UploadPlace) => void) {
    this.uploader = uploader;
    this.#onLeave = onLeave;
  }

  /** The upload has ended, and its files are gone, or soon will be. Idempotent. */
  leave(): void {
    for (const { giveBack } of this.taken) giveBack();
    this.#onLeave(this);
  }
}

interface Measured {
  /** Bytes for all uploads together, including those that have arrived. */
  readonly totalBytes: number;
  readonly arrivedBytes: number;
}

export class UploadRoom {
  readonly #spool: Spool;
  readonly #limits: UploadLimits;
  readonly #announced = new Pool(LIMITS.announcedUploads);
  readonly #bytes = new Pool(LIMITS.uploadBytes);
  readonly #onNoRoom: OnNoRoom | undefined;
  readonly #places = new Set<UploadPlace>();

  constructor(spool: Spool, limits: UploadLimits, onNoRoom?: OnNoRoom) {
    this.#spool = spool;
    this.#limits = limits;
    this.#onNoRoom = onNoRoom;
  }

  /** Takes the place of one more upload. */
  enter(uploader: Uploader): UploadPlace | NotTaken {
    const taken = this.#announced.take(holdersOf(uploader));
    return taken.isTaken ? this.#add(uploader, taken) : taken;
  }

  /** Takes the place of an upload that an earlier gateway began: it exists, whatever room there is. */
  restore(uploader: Uploader): UploadPlace {
    const entered = this.enter(uploader);
    return entered instanceof UploadPlace ? entered : this.#add(uploader, null);
  }

  /** Whether a file would fit now without other senders. Nothing is reserved. Fails UPLOAD_NO_ROOM. */
  async expectFits(uploader: Uploader, byteLength: number): Promise<void> {
    const measured = await this.#measure();
    const neededBytes = COPIES * byteLength;
    if (this.#bytes.free < neededBytes) throw this.#noRoom(uploader, neededBytes, measured);
  }

  /** Room up to `endBytes` of a file of `byteLength`, for the file and for its recording. Fails UPLOAD_NO_ROOM. */
  async reserve(place: UploadPlace, endBytes: number, byteLength: number): Promise<void> {
    if (endBytes <= place.reservedBytes) return;
    const measured = await this.#measure();
    const aheadBytes = Math.min(byteLength, Math.max(endBytes, place.arrivedBytes + STEP_BYTES));
    const moreBytes = COPIES * (aheadBytes - place.reservedBytes);
    const taken = this.#bytes.take(holdersOf(place.uploader), moreBytes);
    if (!taken.isTaken) throw this.#noRoom(place.uploader, moreBytes, measured, taken);
    place.taken.push(taken);
    place.reservedBytes = aheadBytes;
  }

  #add(uploader: Uploader, taken: Taken | null): UploadPlace {
    const place = new UploadPlace(uploader, () => this.#places.delete(place));
    if (taken !== null) place.taken.push(taken);
    this.#places.add(place);
    return place;
  }

  /** Bytes that have arrived are no longer free, and count among the taken ones. */
  async #measure(): Promise<Measured> {
    const freeBytes = await this.#spool.call({ name: 'freeBytes' });
    let arrivedBytes = 0;
    for (const place of this.#places) arrivedBytes += place.arrivedBytes;
    const totalBytes = Math.max(0, freeBytes - this.#limits.minFreeBytes + arrivedBytes);
    this.#bytes.total = totalBytes;
    return { totalBytes, arrivedBytes };
  }

  /** Says how much must be free, so that with the next attempt it is. */
  #noRoom(
    uploader: Uploader,
    moreBytes: number,
    { totalBytes, arrivedBytes }: Measured,
    refused?: NotTaken,
  ): GatewayError {
    const level = refused?.level ?? 'all';
    const { used } = this.#bytes;
    const missingBytes = Math.max(0, moreBytes - this.#bytes.left(holdersOf(uploader)));
    // Its shares are parts of the total: they grow with it, but less.
    const wantedBytes = level === 'all' ? used + moreBytes : totalBytes + Math.ceil(missingBytes / SHARE);
    this.#onNoRoom?.(uploader.orgUuid, wantedBytes - arrivedBytes);
    const boundOf = refused === undefined ? {} : { boundOf: level };
    return new GatewayError(UPLOAD_ERRORS.UPLOAD_NO_ROOM, { ...boundOf, retryAfterSec: RETRY_AFTER_SEC });
  }
}

export function holdersOf({ orgUuid, keyUuid }: Uploader) {
  return { organization: orgUuid, credential: keyUuid };
}

/** Fails UPLOAD_TOO_MANY. */
export function tooMany({ level }: NotTaken, retryAfterSec = RETRY_AFTER_SEC): GatewayError {
  return new GatewayError(UPLOAD_ERRORS.UPLOAD_TOO_MANY, { boundOf: level, retryAfterSec });
}

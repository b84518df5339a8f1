/**
 * How much of the disk each organization uses, and who gives up recordings when it is full: the one that uses most. So
 * whatever one stores, others keep at least an equal part (docs/design/recording.md#retention).
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { RecordingHead, RecordingUsage, StoredStream } from '../store/recording.ts';

/** null: of cameras whose organization is not known. */
export type Owner = Ruuid | null;

export interface DiskUse {
  readonly owner: Owner;
  readonly streams: readonly StoredStream[];
  readonly recordedBytes: number;
  /** Files that are not recordings: copies of clips. */
  readonly otherBytes: number;
}

interface StreamUse {
  readonly stream: StoredStream;
  /** undefined: not read from the store yet. */
  readonly owner: Owner | undefined;
  bytes: number;
  /** Nothing of it can be deleted. Until the next read, or the next file. */
  isExhausted: boolean;
}

export class DiskUses {
  readonly #streams = new Map<string, StreamUse>();

  /** Replaces the known uses. */
  put(usage: readonly RecordingUsage[]): void {
    this.#streams.clear();
    for (const { cameraUuid, rendition, orgUuid, byteLength } of usage) {
      const stream = { cameraUuid, rendition };
      this.#streams.set(keyOf(stream), { stream, owner: orgUuid, bytes: byteLength, isExhausted: false });
    }
  }

  /** Files of streams of which nothing was known have an owner that must be read. */
  get isComplete(): boolean {
    return this.#streams.values().every(({ owner }) => owner !== undefined);
  }

  get streams(): StoredStream[] {
    return this.#streams
      .values()
      .map(({ stream }) => stream)
      .toArray();
  }

  bytesOf(stream: StoredStream): number {
    return this.#streams.get(keyOf(stream))?.bytes ?? 0;
  }

  ownerOf(stream: StoredStream): Owner | undefined {
    return this.#streams.get(keyOf(stream))?.owner;
  }

  added({ cameraUuid, rendition, byteLength }: StoredStream & Pick<RecordingHead, 'byteLength'>): void {
    const stream = { cameraUuid, rendition };
    const known = this.#streams.get(keyOf(stream));
    if (known === undefined) {
      this.#streams.set(keyOf(stream), { stream, owner: undefined, bytes: byteLength, isExhausted: false });
    } else {
      known.bytes += byteLength;
      known.isExhausted = false;
    }
  }

  removed(file: StoredStream & Pick<RecordingHead, 'byteLength'>): void {
    const known = this.#streams.get(keyOf(file));
    if (known !== undefined) known.bytes = Math.max(0, known.bytes - file.byteLength);
  }

  /** There are no files of these streams that can be deleted: only held ones, whose bytes still count. */
  exhausted(streams: readonly StoredStream[], heldBytes: ReadonlyMap<StoredStream, number>): void {
    for (const stream of streams) {
      const known = this.#streams.get(keyOf(stream));
      if (known === undefined) continue;
      known.bytes = heldBytes.get(stream) ?? 0;
      known.isExhausted = true;
    }
  }

  /** The largest first. */
  byOwner(otherBytes: ReadonlyMap<Ruuid, number>): DiskUse[] {
    const streams = Map.groupBy(this.#streams.values(), ({ owner }) => owner ?? null);
    const owners = new Set<Owner>([...streams.keys(), ...otherBytes.keys()]);
    return [...owners]
      .map((owner): DiskUse => {
        const own = streams.get(owner) ?? [];
        return {
          owner,
          streams: own
            .filter(({ bytes, isExhausted }) => bytes > 0 && !isExhausted)
            .map(({ stream }) => stream),
          recordedBytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
          otherBytes: owner === null ? 0 : (otherBytes.get(owner) ?? 0),
        };
      })
      .sort((a, b) => usedBy(b) - usedBy(a));
  }
}

export function usedBy({ recordedBytes, otherBytes }: DiskUse): number {
  return recordedBytes + otherBytes;
}

function keyOf({ cameraUuid, rendition }: StoredStream): string {
  return `${cameraUuid}/${rendition}`;
}

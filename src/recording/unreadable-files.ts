/**
 * Recording files that cannot be listed: their header is damaged, they were encrypted with a key that is lost, or a newer
 * version wrote them. They stay as evidence. Files of a stream are numbered in the order of time, so each goes when
 * retention has deleted the file after it (docs/design/recording.md#retention).
 */

import type { GatewayError } from '../core/errors.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { RecordedStream } from './segment-index.ts';

const { RECORDING_DAMAGED, RECORDING_KEY_UNKNOWN, RECORDING_UNREADABLE } = RECORDING_ERRORS;
const CODES = new Set<string>(
  [RECORDING_DAMAGED, RECORDING_KEY_UNKNOWN, RECORDING_UNREADABLE].map(({ code }) => code),
);

interface UnreadableFile {
  readonly stream: RecordedStream;
  readonly number: number;
  /** The first listed file after it; null: none has been listed since. */
  next: number | null;
}

export class UnreadableFiles {
  readonly #files = new Map<string, UnreadableFile>();

  get count(): number {
    return this.#files.size;
  }

  /** False: it is known already. */
  add(stream: RecordedStream, number: number): boolean {
    const key = keyOf(stream, number);
    if (this.#files.has(key)) return false;
    this.#files.set(key, { stream, number, next: null });
    return true;
  }

  /** It was deleted, or can be read now. */
  delete(stream: RecordedStream, number: number): void {
    this.#files.delete(keyOf(stream, number));
  }

  /** Those whose next file is not listed anymore. `listed`: the numbers of a stream's listed files, ascending. */
  async outlived(listed: (stream: RecordedStream) => Promise<readonly number[]>): Promise<UnreadableFile[]> {
    const outlived: UnreadableFile[] = [];
    for (const file of this.#files.values()) {
      const numbers = await listed(file.stream);
      if (file.next !== null && !numbers.includes(file.next)) outlived.push(file);
      else file.next ??= numbers.find((number) => number > file.number) ?? null;
    }
    return outlived;
  }
}

/** Reading the file again would fail again. */
export function isUnreadable({ code }: GatewayError): boolean {
  return CODES.has(code);
}

function keyOf({ cameraUuid, rendition }: RecordedStream, number: number): string {
  return `${cameraUuid}/${rendition}/${number}`;
}

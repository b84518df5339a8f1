/** Checks files of live video, as they were saved or as a playlist lists them (docs/design/live-signatures.md). Without Node.js. */

import { topBoxes } from './boxes.ts';
import {
  checkInit,
  checkSegment,
  type InitProblem,
  type LiveSigner,
  type SegmentProblem,
} from './check-live.ts';

export interface LiveFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The Media Sequence Number; null: not known. */
  readonly number: number | null;
}

export type LiveFileFinding =
  | { readonly state: 'signed'; readonly name: string; readonly signedAtSec: number }
  | { readonly state: 'unsigned'; readonly name: string }
  | { readonly state: 'broken'; readonly name: string; readonly problem: InitProblem | SegmentProblem };

export interface LiveFinding {
  /** One for each init segment that is signed. */
  readonly signers: readonly LiveSigner[];
  /** In the order of the files. */
  readonly files: readonly LiveFileFinding[];
  readonly segments: number;
  /** Segments between those of a session that are not there. */
  readonly missing: number;
}

/** Init segments come before their segments. */
export async function verifyLive(files: AsyncIterable<LiveFile> | Iterable<LiveFile>): Promise<LiveFinding> {
  const check = new LiveCheck();
  for await (const file of files) await check.take(file);
  return check;
}

class LiveCheck implements LiveFinding {
  readonly signers: LiveSigner[] = [];
  readonly files: LiveFileFinding[] = [];
  segments = 0;
  missing = 0;
  /** The newest segment's number, by session. */
  readonly #newest = new Map<LiveSigner, number>();

  async take(file: LiveFile): Promise<void> {
    if (isInit(file.bytes)) return this.#takeInit(file);
    this.segments++;
    return this.#takeSegment(file);
  }

  async #takeInit({ name, bytes }: LiveFile): Promise<void> {
    const finding = await checkInit(bytes);
    if (finding.state === 'signed') {
      if (!this.signers.some(({ manifestId }) => manifestId === finding.signer.manifestId)) {
        this.signers.push(finding.signer);
      }
    } else this.files.push({ name, ...finding });
  }

  /** Its own session is the one for which it is anything but of another session. */
  async #takeSegment({ name, bytes, number }: LiveFile): Promise<void> {
    let last: LiveFileFinding = { name, state: 'unsigned' };
    for (const signer of this.signers) {
      const finding = await checkSegment(bytes, signer, number);
      last = { name, ...finding };
      if (finding.state === 'signed') this.#follow(signer, finding.sequenceNumber);
      if (finding.state !== 'broken' || finding.problem !== 'session') break;
    }
    this.files.push(last);
  }

  #follow(signer: LiveSigner, sequenceNumber: number): void {
    const newest = this.#newest.get(signer);
    if (newest !== undefined) this.missing += Math.max(0, sequenceNumber - newest - 1);
    this.#newest.set(signer, Math.max(newest ?? 0, sequenceNumber));
  }
}

function isInit(bytes: Uint8Array): boolean {
  try {
    return topBoxes(bytes).some(({ type }) => type === 'moov');
  } catch {
    return false;
  }
}

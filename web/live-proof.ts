/**
 * Checks what hls.js loads against the signatures of live video (docs/design/live-signatures.md): whole segments, and segments in
 * parts once the part with the signature is there. A segment of which this player did not load all parts is not judged.
 */

import { topBoxes } from '../src/c2pa/boxes.ts';
import { joined } from '../src/c2pa/cbor.ts';
import { canCheck, checkInit, checkSegment, type InitFinding } from '../src/c2pa/check-live.ts';
import { isSegmentInfo } from '../src/c2pa/segment-info.ts';
import type { FragLoadedData } from './hls.js';
import Hls from './hls.js';
import type { LiveProofState } from './playback.ts';

/** The parts of a segment, from the first one on. */
interface LoadedParts {
  readonly sn: number;
  readonly level: number;
  readonly init: Uint8Array;
  readonly bytes: Uint8Array[];
  /** Of these parts. */
  durationSec: number;
}

/** Durations of parts are rounded. */
const ROUNDING_SEC = 0.02;

export class LiveProof {
  readonly #hls: Hls;
  /** Of the certificate that must vouch for the video. */
  readonly #fingerprint: string;
  readonly #onState: (state: LiveProofState | null) => void;
  readonly #inits = new WeakMap<Uint8Array, Promise<InitFinding>>();
  #parts: LoadedParts | null = null;
  #hasChanged = false;
  #isStopped = false;

  constructor(hls: Hls, fingerprint: string, onState: (state: LiveProofState | null) => void) {
    this.#hls = hls;
    this.#fingerprint = fingerprint;
    this.#onState = onState;
    void this.#begin();
  }

  stop(): void {
    this.#isStopped = true;
    this.#hls.off(Hls.Events.FRAG_LOADED, this.#onLoaded);
    this.#onState(null);
  }

  async #begin(): Promise<void> {
    const isAble = await canCheck();
    if (this.#isStopped) return;
    if (isAble) this.#hls.on(Hls.Events.FRAG_LOADED, this.#onLoaded);
    else this.#onState({ kind: 'unchecked' });
  }

  readonly #onLoaded = (_event: unknown, { frag, part, payload }: FragLoadedData): void => {
    const init = frag.initSegment?.data;
    if (typeof frag.sn !== 'number' || init == null) return;
    // hls.js continues with its own bytes.
    const bytes = new Uint8Array(payload.slice(0));
    if (part === null) void this.#check(frag.sn, init, [bytes]);
    else {
      const { index, duration: durationSec } = part;
      this.#takePart({ sn: frag.sn, level: frag.level, init, bytes: [bytes], durationSec }, index);
    }
  };

  #takePart(loaded: LoadedParts, index: number): void {
    const before = this.#parts;
    const [bytes] = loaded.bytes;
    if (index === 0) {
      if (before !== null && this.#isWhole(before)) void this.#check(before.sn, before.init, before.bytes);
      this.#parts = loaded;
    } else if (before?.sn === loaded.sn && before.level === loaded.level && before.bytes.length === index) {
      before.bytes.push(bytes!);
      before.durationSec += loaded.durationSec;
    } else this.#parts = null;
    if (this.#parts === null || !hasSignature(bytes!)) return;
    void this.#check(this.#parts.sn, this.#parts.init, this.#parts.bytes);
    this.#parts = null;
  }

  /** Without its signature: no part of the segment has one. */
  #isWhole({ sn, level, durationSec }: LoadedParts): boolean {
    const segment = this.#hls.levels[level]?.details?.fragments.find((each) => each.sn === sn);
    return segment !== undefined && durationSec > segment.duration - ROUNDING_SEC;
  }

  async #check(sn: number, init: Uint8Array, parts: readonly Uint8Array[]): Promise<void> {
    const state = await this.#stateOf(sn, init, parts);
    this.#hasChanged ||= state.kind === 'changed';
    if (!this.#isStopped) this.#onState(this.#hasChanged ? { kind: 'changed' } : state);
  }

  async #stateOf(sn: number, init: Uint8Array, parts: readonly Uint8Array[]): Promise<LiveProofState> {
    let checked = this.#inits.get(init);
    if (checked === undefined) {
      checked = checkInit(init);
      this.#inits.set(init, checked);
    }
    const finding = await checked;
    if (finding.state === 'unsigned') return { kind: 'unsigned' };
    if (finding.state === 'broken' || finding.signer.fingerprint !== this.#fingerprint)
      return { kind: 'changed' };
    const { state } = await checkSegment(joined(parts), finding.signer, sn);
    if (state === 'broken') return { kind: 'changed' };
    return state === 'signed' ? { kind: 'signed', signer: this.#fingerprint } : { kind: 'unsigned' };
  }
}

function hasSignature(bytes: Uint8Array): boolean {
  try {
    return topBoxes(bytes).some(isSegmentInfo);
  } catch {
    return false;
  }
}

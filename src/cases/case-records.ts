/** What the store has of cases. */

import type { Ruuid } from '../core/ruuid.ts';
import { type Resource, resourceKind } from '../store/resource.ts';

/** A time of a camera, or a clip. Each has its hold. */
export interface CaseItem {
  readonly uuid: Ruuid;
  /** null: a clip. */
  readonly cameraUuid: Ruuid | null;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly clipUuid: Ruuid | null;
  /** Its camera, or those of the clip: who sees all of them sees the item. */
  readonly cameraUuids: readonly Ruuid[];
  readonly note: string;
  readonly addedBy: string;
  readonly addedAtMs: number;
  readonly holdUuid: Ruuid;
}

/** `sealing`: its archive is being hashed and signed. `failed`: that ended with an error. */
export type CaseState = 'open' | 'sealing' | 'sealed' | 'failed';

/** Its title is the resource's name. */
export interface CaseBody {
  readonly number: string;
  readonly notes: string;
  readonly createdBy: string;
  /** null: not known. */
  readonly createdByUuid: Ruuid | null;
  readonly state: CaseState;
  /** The code of an error; null: none. */
  readonly failureCode: string | null;
  readonly sealedBy: string | null;
  readonly sealedAtMs: number | null;
  /** Of the certificate of its seal; absent in cases that were sealed before it was kept. */
  readonly fingerprint?: string | null;
  readonly items: readonly CaseItem[];
}

export type Case = Resource<CaseBody>;

/** A file of a sealed archive. */
export interface SealedFile {
  readonly name: string;
  readonly byteLength: number;
  readonly sha256Hex: string;
  readonly crc32: number;
}

/** Segments of a recording file that an archive has, from the first to the last one, by where they begin. */
export interface SealedStretch {
  readonly name: string;
  readonly firstOffset: number;
  readonly lastOffset: number;
}

/** Its uuid is the case's. */
export interface SealBody {
  /** manifest.json, byte for byte, and its JWS with detached content. */
  readonly manifest: string;
  readonly signature: string;
  readonly certificatePem: string;
  /** The response of the time stamp authority, base64; null: none is configured. */
  readonly timeStamp: string | null;
  /** Files whose text is stored, by name. */
  readonly texts: Readonly<Record<string, string>>;
  /** All files but the manifest and its signature, in the order of the archive. */
  readonly files: readonly SealedFile[];
  /** By item: what was recorded of its time when it was sealed. More can be there later, such as the end of a running recording. */
  readonly stretches: readonly (readonly SealedStretch[])[];
}

export const CASES = resourceKind<CaseBody>('case');
export const CASE_SEALS = resourceKind<SealBody>('caseSeal');

/** A recorder's claims about a clip that it announces: the metadata of tus (creation extension), as one value. */

import { GatewayError } from '../core/errors.ts';
import { deriveRuuid, parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import type { StoredUpload } from '../store/upload.ts';
import { UPLOAD_ERRORS } from './errors.ts';

export interface ClipClaims {
  readonly clipId: string;
  readonly cameraUuid: Ruuid;
  /** When it begins, epoch milliseconds. */
  readonly startMs: number;
  readonly title: string;
  readonly fileType: string;
  /** 64 hexadecimal digits in lower case; null: not said. */
  readonly sha256: string | null;
  readonly byteLength: number;
}

const MAX_CLIP_ID_CHARS = 256;
const MAX_TITLE_CHARS = 256;
const MAX_FILE_TYPE_CHARS = 128;
const WHOLE_NUMBER = /^\d{1,15}$/;
const SHA256 = /^[0-9a-f]{64}$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a text must not contain
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** Fails UPLOAD_METADATA; `context.field` names the field. */
export function readClipClaims(
  metadata: Readonly<Record<string, string | null>>,
  byteLength: number,
): ClipClaims {
  const { clipId, cameraUuid, timestampMs, title, filetype, sha256 } = metadata;
  const camera = parseDeviceFacetUuid(cameraUuid ?? '')?.uuid;
  if (camera === undefined) throw invalid('cameraUuid');
  if (!WHOLE_NUMBER.test(timestampMs ?? '')) throw invalid('timestampMs');
  const sum = sha256 === undefined || sha256 === null || sha256 === '' ? null : sha256;
  if (sum !== null && !SHA256.test(sum)) throw invalid('sha256');
  const id = text('clipId', clipId, MAX_CLIP_ID_CHARS);
  if (id === '') throw invalid('clipId');
  return {
    clipId: id,
    cameraUuid: camera,
    startMs: Number(timestampMs),
    title: text('title', title, MAX_TITLE_CHARS),
    fileType: text('filetype', filetype, MAX_FILE_TYPE_CHARS),
    sha256: sum?.toLowerCase() ?? null,
    byteLength,
  };
}

/** The same key, camera and clipId are the same upload. */
export function uploadUuid(
  keyUuid: Ruuid,
  { cameraUuid, clipId }: Pick<ClipClaims, 'cameraUuid' | 'clipId'>,
): Ruuid {
  return deriveRuuid(`upload ${keyUuid} ${cameraUuid}`, clipId);
}

/** Whether it can be the same file as the one that was announced before. The title may have changed. */
export function isSameClip(known: StoredUpload, { byteLength, startMs, sha256 }: ClipClaims): boolean {
  const hasSameSum = known.sha256 === null || sha256 === null || known.sha256 === sha256;
  return known.byteLength === byteLength && known.startMs === startMs && hasSameSum;
}

function text(field: string, value: string | null | undefined, maxChars: number): string {
  const given = value ?? '';
  if (given.length > maxChars || CONTROL_CHARACTER.test(given)) throw invalid(field);
  return given;
}

function invalid(field: string): GatewayError {
  return new GatewayError(UPLOAD_ERRORS.UPLOAD_METADATA, { field });
}

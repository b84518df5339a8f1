/** The calls of a link to shared clips, timelapses, or a case: opening it, and reading what it shows now. */

import { call, isRecord, type Refusal, refused } from './open.ts';

/** A file of a clip: of a clip of several cameras, each has one. */
export interface ClipFile {
  /** Which camera it shows; '' if that is not known. */
  readonly label: string;
  readonly url: string;
  readonly imageUrl: string | null;
  readonly byteLength: number;
}

/** `withheld`: its camera has privacy masks, and the file does not. `deleted`: nothing else is known of it. */
export type ClipState = 'making' | 'ready' | 'failed' | 'withheld' | 'deleted';

export interface SharedClip {
  /** The same for as long as the link works. */
  readonly id: string;
  readonly state: ClipState;
  readonly title: string;
  readonly description: string;
  /** Start of the recorded time, by the gateway's clock; null: not known. */
  readonly startEpochMs: number | null;
  readonly durationSec: number | null;
  /** While it is being made; null if that is not known. */
  readonly percent: number | null;
  /** Empty unless it is ready. */
  readonly files: readonly ClipFile[];
}

/** A case as its signed archive has it. */
export interface SealedCase {
  readonly number: string;
  readonly notes: string;
  readonly sealedAtMs: number;
  readonly sealedBy: string;
  /** Of the key that signed it, hexadecimal. */
  readonly fingerprint: string;
  readonly archiveUrl: string;
  readonly archiveBytes: number;
  /** It shows areas that this link must not show. */
  readonly isWithheld: boolean;
  /** The page that checks the archive. */
  readonly verifyUrl: string;
  readonly items: readonly {
    /** null: a clip; '': the camera was removed. */
    readonly camera: string | null;
    readonly fromMs: number | null;
    readonly toMs: number | null;
    readonly note: string;
    readonly byteLength: number;
  }[];
}

export interface OpenGroup {
  readonly kind: 'clip' | 'timelapse';
  readonly title: string;
  readonly description: string;
  readonly clips: readonly SharedClip[];
  /** null: the link is not that of a case. `sealed` null: the case is not sealed. */
  readonly ofCase: { readonly sealed: SealedCase | null } | null;
  /** When the link ends, by the gateway's clock; null: it does not. */
  readonly expiresAtEpochMs: number | null;
}

export type GroupOpening =
  | { readonly kind: 'open'; readonly itemsUrl: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unreachable' };

export type GroupResult =
  | { readonly kind: 'shown'; readonly group: OpenGroup }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unreachable' };

const STATES: readonly string[] = [
  'making',
  'ready',
  'failed',
  'withheld',
  'deleted',
] satisfies readonly ClipState[];

/** The page's own path is the link: `/clips/<token>`. */
const groupUrl = new URL(location.pathname.replace(/\/+$/, ''), location.href);

/** Never rejects. `password`: null if none was typed. */
export async function openGroup(password: string | null): Promise<GroupOpening> {
  const response = await call(`${groupUrl.href}/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(password === null ? {} : { password }),
  });
  if (response === null) return { kind: 'unreachable' };
  const { itemsUrl } = response.body;
  if (response.status !== 200 || typeof itemsUrl !== 'string') return refused(response);
  return { kind: 'open', itemsUrl: new URL(itemsUrl, groupUrl).href };
}

/** Never rejects. */
export async function readGroup(itemsUrl: string): Promise<GroupResult> {
  const response = await call(itemsUrl, {});
  if (response === null) return { kind: 'unreachable' };
  const { kind, title, description, items, case: ofCase, expiresAtSec } = response.body;
  if (response.status !== 200 || !Array.isArray(items)) return refused(response);
  return {
    kind: 'shown',
    group: {
      kind: kind === 'timelapse' ? 'timelapse' : 'clip',
      title: textOf(title),
      description: textOf(description),
      clips: items.filter(isRecord).map((item) => clipOf(item, itemsUrl)),
      ofCase: isRecord(ofCase)
        ? { sealed: isRecord(ofCase.sealed) ? caseOf(ofCase.sealed, itemsUrl) : null }
        : null,
      expiresAtEpochMs: typeof expiresAtSec === 'number' ? expiresAtSec * 1_000 : null,
    },
  };
}

function caseOf(given: Record<string, unknown>, base: string): SealedCase {
  const { number, notes, sealedBy, fingerprint, archiveUrl, verifyUrl, items } = given;
  return {
    number: textOf(number),
    notes: textOf(notes),
    sealedAtMs: numberOf(given.sealedAtMs) ?? 0,
    sealedBy: textOf(sealedBy),
    fingerprint: textOf(fingerprint),
    archiveUrl: new URL(textOf(archiveUrl), base).href,
    archiveBytes: numberOf(given.archiveBytes) ?? 0,
    isWithheld: given.isWithheld === true,
    verifyUrl: new URL(textOf(verifyUrl), base).href,
    items: Array.isArray(items) ? items.filter(isRecord).map(caseItemOf) : [],
  };
}

function caseItemOf(given: Record<string, unknown>): SealedCase['items'][number] {
  return {
    camera: typeof given.camera === 'string' ? given.camera : null,
    fromMs: numberOf(given.fromMs),
    toMs: numberOf(given.toMs),
    note: textOf(given.note),
    byteLength: numberOf(given.byteLength) ?? 0,
  };
}

function clipOf(given: Record<string, unknown>, base: string): SharedClip {
  const { id, state, title, description, files } = given;
  return {
    id: String(id),
    state: STATES.includes(String(state)) ? (state as ClipState) : 'failed',
    title: textOf(title),
    description: textOf(description),
    startEpochMs: numberOf(given.startMs),
    durationSec: numberOf(given.durationSec),
    percent: numberOf(given.percent),
    files: Array.isArray(files) ? files.filter(isRecord).map((file) => fileOf(file, base)) : [],
  };
}

function fileOf({ label, url, imageUrl, byteLength }: Record<string, unknown>, base: string): ClipFile {
  return {
    label: textOf(label),
    url: new URL(textOf(url), base).href,
    imageUrl: typeof imageUrl === 'string' ? new URL(imageUrl, base).href : null,
    byteLength: numberOf(byteLength) ?? 0,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

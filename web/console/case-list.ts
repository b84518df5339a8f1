/** Cases and legal holds: what is kept as evidence, why, and who gets it. */

import { type Answer, CallError, call, type Request } from './api.ts';
import { timelinePlace } from './camera-history.ts';
import { takeTurn } from './few-at-once.ts';
import { place } from './places.ts';
import { readSites, type Sites, type Span, type TimelineClip } from './timeline-state.ts';
import { t } from './words.ts';

export type EvidenceCase = Answer<'evidence/getCase'>['case'];
export type EvidenceItem = EvidenceCase['items'][number];
export type LegalHold = Answer<'evidence/findHolds'>['holds'][number];
export type CaseLink = Answer<'evidence/findCaseLinks'>['links'][number];

/** A time of a camera, or a clip, as calls name it. */
export type Thing =
  | { readonly cameraUuid: string; readonly fromMs: number; readonly toMs: number }
  | { readonly clipUuid: string };

export interface CaseClip {
  readonly title: string;
  readonly span: Span;
}

/** One case with what its items are called. */
export interface CaseRead {
  readonly evidenceCase: EvidenceCase;
  readonly sites: Sites;
  /** By UUID; those that were deleted are absent. */
  readonly clips: ReadonlyMap<string, CaseClip>;
}

export interface HoldsRead {
  readonly holds: readonly LegalHold[];
  readonly heldBytes: number;
  /** null: there is no bound. */
  readonly allowedBytes: number | null;
}

/** The head is in the middle of the axis. */
const SHOWN_SHARE = 2.4;
const MIN_SHOWN_MS = 120_000;

export const CASES_PLACE = place('cases');
export const MAX_ITEM_MS = 86_400_000;
export const MAX_TITLE_CHARS = 256;
export const MAX_NUMBER_CHARS = 64;
export const MAX_NOTES_CHARS = 16_384;
export const MAX_NOTE_CHARS = 1_024;

export const CASE_STATES: Readonly<Record<EvidenceCase['state'], string>> = {
  open: t('Open'),
  sealing: t('Being sealed…'),
  sealed: t('Sealed'),
  failed: t('Not sealed'),
};

/** Why a case could not be sealed, by code. */
const FAILURES: Readonly<Record<string, string>> = {
  CASE_WITHOUT_MEDIA: t('Nothing was recorded in the times of the case.'),
  TIME_STAMP_UNAVAILABLE: t('The time stamp authority does not answer. Seal the case again later.'),
  TIME_STAMP_INVALID: t('The time stamp authority answered with an invalid time stamp.'),
  TOO_MANY_SEALS: t('Many cases are being sealed. Try again later.'),
};

export function casePlace(uuid: string): string {
  return place(`cases/${encodeURIComponent(uuid)}`);
}

export function sealFailureText(code: string): string {
  return FAILURES[code] ?? t('It could not be sealed ({code}).', { code });
}

/** The newest first. Fails with a CallError. */
export async function readCases(signal?: AbortSignal): Promise<readonly EvidenceCase[]> {
  return (await call('evidence/findCases', {}, signal)).cases;
}

/** null: there is none, or it has no items that the person may see. Fails with a CallError. */
export async function readCase(caseUuid: string, signal: AbortSignal): Promise<CaseRead | null> {
  try {
    const [{ case: evidenceCase }, sites] = await Promise.all([
      call('evidence/getCase', { caseUuid }, signal),
      readSites(signal),
    ]);
    return { evidenceCase, sites, clips: await readClips(evidenceCase, signal) };
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.code === 'CASE_NOT_FOUND') return null;
    throw thrown;
  }
}

async function readClips(
  { items }: EvidenceCase,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CaseClip>> {
  const read = items.flatMap(({ clipUuid }) =>
    clipUuid === undefined
      ? []
      : [takeTurn(signal, () => call('event/getSavedClipDetails', { clipUuid }, signal))],
  );
  const clips = new Map<string, CaseClip>();
  for (const outcome of await Promise.allSettled(read)) {
    // A clip that cannot be read has no name here; the case still has it.
    if (outcome.status === 'rejected') continue;
    const { uuid, title = t('Clip'), timestampMs, durationSec = 0 } = outcome.value.savedClip;
    clips.set(uuid, { title, span: { fromMs: timestampMs, toMs: timestampMs + durationSec * 1_000 } });
  }
  return clips;
}

/** Fails with a CallError. */
export async function readHolds(signal?: AbortSignal): Promise<HoldsRead> {
  const { holds, heldBytes, allowedBytes = null } = await call('evidence/findHolds', {}, signal);
  return { holds, heldBytes, allowedBytes };
}

/** Fails with a CallError. */
export async function readCaseLinks(caseUuid: string, signal: AbortSignal): Promise<readonly CaseLink[]> {
  return (await call('evidence/findCaseLinks', { caseUuid }, signal)).links;
}

/** Opens a case. Fails with a CallError. */
export async function openCase(fields: Request<'evidence/createCase'>): Promise<string> {
  return (await call('evidence/createCase', { ...fields })).case.uuid;
}

/** Fails with a CallError at the first that is refused; a second try adds none twice. */
export async function addToCase(caseUuid: string, things: readonly Thing[], note: string): Promise<void> {
  for (const thing of things) await call('evidence/addToCase', { caseUuid, ...thing, note });
}

/** Fails with a CallError. */
export async function holdThings(things: readonly Thing[], reason: string): Promise<void> {
  for (const thing of things) await call('evidence/createHold', { ...thing, reason });
}

/** Times of the camera that are held. */
export function heldSpans(holds: readonly LegalHold[], cameraUuid: string): Span[] {
  return holds.flatMap(({ cameraUuid: held, fromMs, toMs }) =>
    held === cameraUuid && fromMs !== undefined && toMs !== undefined ? [{ fromMs, toMs }] : [],
  );
}

/** null: it can be deleted. */
export function holdOfClip(
  holds: readonly LegalHold[],
  { uuid }: Pick<TimelineClip, 'uuid'>,
): LegalHold | null {
  return holds.find(({ clipUuid }) => clipUuid === uuid) ?? null;
}

/** Items of one camera, or of clips of several. */
export interface ItemGroup {
  /** null: clips of several cameras. */
  readonly cameraUuid: string | null;
  readonly items: readonly EvidenceItem[];
}

/** By camera in the order in which they came, each by time; clips of several cameras last. */
export function itemGroups(
  items: readonly EvidenceItem[],
  clips: ReadonlyMap<string, CaseClip>,
): readonly ItemGroup[] {
  const keyOf = ({ cameraUuids }: EvidenceItem) => (cameraUuids.length === 1 ? cameraUuids[0]! : null);
  const groups = Array.from(Map.groupBy(items, keyOf), ([cameraUuid, own]) => ({
    cameraUuid,
    items: own.toSorted((a, b) => (spanOf(a, clips)?.fromMs ?? 0) - (spanOf(b, clips)?.fromMs ?? 0)),
  }));
  return [
    ...groups.filter(({ cameraUuid }) => cameraUuid !== null),
    ...groups.filter(({ cameraUuid }) => cameraUuid === null),
  ];
}

/** null: a clip that is not known. */
export function spanOf(
  { fromMs, toMs, clipUuid }: EvidenceItem,
  clips: ReadonlyMap<string, CaseClip>,
): Span | null {
  if (fromMs !== undefined && toMs !== undefined) return { fromMs, toMs };
  return clipUuid === undefined ? null : (clips.get(clipUuid)?.span ?? null);
}

/** Name and time zone of a camera; without them: it was removed. */
export function cameraFacts(
  { cameras, sites }: Sites,
  cameraUuid: string,
): { readonly name: string; readonly timeZone: string } {
  const camera = cameras.find(({ uuid }) => uuid === cameraUuid);
  const site = sites.find(({ uuid }) => uuid === camera?.locationUuid);
  return { name: camera?.name ?? t('Removed camera'), timeZone: site?.timeZone ?? 'UTC' };
}

/** The timeline at the start of the time, with all of it in sight. */
export function spanPlace(cameraUuid: string, { fromMs, toMs }: Span): string {
  return timelinePlace(cameraUuid, fromMs, Math.max(MIN_SHOWN_MS, SHOWN_SHARE * (toMs - fromMs)));
}

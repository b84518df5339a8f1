/** Texts of the page of shared clips. Pure; locale and time zone are the viewer's. */

import type { ClipFile, OpenGroup, SharedClip } from './clips-open.ts';
import type { Refusal } from './open.ts';
import { type CardText, refusalCard } from './wording.ts';
import { TIME_ZONE } from './words/choices.ts';
import { numberFormat, timeFormat } from './words/formats.ts';
import { t } from './words/plain-words.ts';

const BYTES_PER_MEGABYTE = 1_000_000;

/** Kind of what a link shows. A link that was never open here does not say. */
export type SharedKind = 'case' | 'clips' | 'unknown';

/** A refusal, in the words of a page that shows files. */
export function clipsCard(refusal: Refusal, nowEpochMs: number, kind: SharedKind): CardText {
  const card = refusalCard(refusal, nowEpochMs);
  switch (refusal.reason) {
    case 'revoked':
      return { ...card, text: revokedText(kind) };
    case 'expired':
      return { ...card, text: t('Ask the person who sent it to extend it.') };
    case 'too-many-opens':
    case 'busy':
    case 'restarting':
      return { ...card, text: t('This page opens automatically in a moment.') };
    default:
      return card;
  }
}

function revokedText(kind: SharedKind): string {
  switch (kind) {
    case 'case':
      return t('The person who shared this case has stopped sharing it.');
    case 'clips':
      return t('The person who shared these clips has stopped sharing them.');
    case 'unknown':
      return t('The person who sent this link has stopped sharing what it shows.');
  }
}

export function groupTitle({ title, kind, ofCase }: Pick<OpenGroup, 'title' | 'kind' | 'ofCase'>): string {
  if (title !== '') return title;
  if (ofCase !== null) return t('Shared case');
  return kind === 'clip' ? t('Shared clips') : t('Shared timelapses');
}

export function clipTitle(clip: Pick<SharedClip, 'title' | 'state' | 'files'>): string {
  if (clip.title !== '') return clip.title;
  const [file] = clip.files;
  if (clip.files.length === 1 && file!.label !== '') return file!.label;
  return clip.state === 'deleted' ? t('Deleted clip') : t('Clip');
}

/** "4 clips, 1 being made. Available until 5 Dec 2026, 14:00." */
export function summaryText({ kind, clips, ofCase, expiresAtEpochMs }: OpenGroup): string {
  const until =
    expiresAtEpochMs === null
      ? ''
      : t('Available until {time}', { time: timeText(expiresAtEpochMs, 'dateZone') });
  if (ofCase !== null) return until;
  const making = clips.filter(({ state }) => state === 'making').length;
  const items = countText(kind, clips.filter(({ state }) => state !== 'deleted').length);
  const text = making === 0 ? items : t('{clips}, {count} being made', { clips: items, count: making });
  return until === '' ? text : `${text} · ${until}`;
}

function countText(kind: OpenGroup['kind'], count: number): string {
  if (kind === 'clip') return count === 1 ? t('1 clip') : t('{count} clips', { count });
  return count === 1 ? t('1 timelapse') : t('{count} timelapses', { count });
}

/** The fault or the progress of a clip; '' for a clip that can be played. */
export function statusText({ state, percent }: Pick<SharedClip, 'state' | 'percent'>): string {
  switch (state) {
    case 'ready':
      return '';
    case 'making':
      return percent === null || percent === 0 ? t('Being made…') : t('Being made: {percent} %', { percent });
    case 'failed':
      return t('This clip could not be made.');
    case 'withheld':
      return t('This clip shows areas that this link must not show.');
    case 'deleted':
      return t('This clip was deleted.');
  }
}

/** With the zone: the one who reads it may be elsewhere. */
export function timeText(epochMs: number | null, form: 'dateZone' | 'zonedDate' = 'zonedDate'): string {
  return epochMs === null ? '' : timeFormat(form).format(epochMs);
}

/** "Dock · 1 Jul 2026, 14:05:09 CEST": the camera unless the title is its name, or there are several. */
export function placeText(clip: Pick<SharedClip, 'title' | 'state' | 'files' | 'startEpochMs'>): string {
  const [file] = clip.files;
  const camera = clip.files.length === 1 && file!.label !== clipTitle(clip) ? file!.label : '';
  return [camera, timeText(clip.startEpochMs)].filter((part) => part !== '').join(' · ');
}

/** The address of a file to save: its name has the time in the zone of this page. */
export function downloadUrl({ url }: Pick<ClipFile, 'url'>): string {
  return `${url}?download&tz=${encodeURIComponent(TIME_ZONE)}`;
}

/** "0:42", "12:05", "1:02:03"; '' if it is not known. */
export function durationText(durationSec: number | null): string {
  if (durationSec === null) return '';
  const [hours, minutes, seconds] = [
    Math.floor(durationSec / 3_600),
    Math.floor(durationSec / 60) % 60,
    Math.floor(durationSec) % 60,
  ];
  const ofMinute = String(seconds).padStart(2, '0');
  return hours === 0 ? `${minutes}:${ofMinute}` : `${hours}:${String(minutes).padStart(2, '0')}:${ofMinute}`;
}

/** "2.4 MB" */
export function sizeText({ byteLength }: Pick<ClipFile, 'byteLength'>): string {
  const megabytes = byteLength / BYTES_PER_MEGABYTE;
  const format = numberFormat({ maximumFractionDigits: megabytes < 10 ? 1 : 0 });
  return `${format.format(Math.max(0.1, megabytes))} MB`;
}

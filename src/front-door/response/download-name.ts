/** The name of a downloaded file: what it shows, which camera, and when it began, with the zone. */

import type { FastifyRequest } from 'fastify';
import { withoutBidiControls } from '../../core/bidi-controls.ts';
import { isTimeZone } from '../../core/time-zone.ts';
import { rawQuery } from './raw-query.ts';

export interface DownloadedFile {
  /** Empty ones, and those that another one contains, are left out. */
  readonly titles: readonly string[];
  /** Epoch milliseconds; null: not known. */
  readonly fromMs: number | null;
  readonly extension: string;
  /** Of the camera's site; default: UTC. */
  readonly zone?: string;
}

const MAX_TITLE_CHARS = 80;
/** Which no common file system allows in a name. */
const NOT_IN_NAMES = /[/\\:*?"<>|\p{Cc}]/gu;

/** null: the request does not ask for a download. `tz` in its query is the zone of the one who asks; default: the file's. */
export function downloadNameFor(request: FastifyRequest, file: DownloadedFile): string | null {
  const query = new URLSearchParams(rawQuery(request));
  if (!query.has('download')) return null;
  return downloadName(file, query.get('tz') ?? file.zone ?? '');
}

/** As in `Van at the gate - Dock - 2026-01-01 13.00.00 UTC+1.mp4`. */
export function downloadName({ titles, fromMs, extension }: DownloadedFile, zone: string): string {
  const shown = [...new Set(titles.map(fileText))].filter(
    (title, _at, all) => title !== '' && !all.some((other) => other !== title && other.includes(title)),
  );
  const parts = [...shown, ...(fromMs === null ? [] : [timeText(fromMs, isTimeZone(zone) ? zone : 'UTC')])];
  return `${parts.join(' - ')}.${extension}`;
}

function fileText(title: string): string {
  return withoutBidiControls(title).replaceAll(NOT_IN_NAMES, '_').slice(0, MAX_TITLE_CHARS).trim();
}

function timeText(epochMs: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
  });
  const parts = Object.fromEntries(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, second, timeZoneName = 'GMT' } = parts;
  const offset = timeZoneName.replace(/^GMT(?:\+0)?/, 'UTC').replace(':', '.');
  return `${year}-${month}-${day} ${hour}.${minute}.${second} ${offset}`;
}

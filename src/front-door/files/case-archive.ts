/** The files of a shared group as one archive, with a note that says what each of them is. */

import { createHash } from 'node:crypto';
import type { PastMedia } from '../../playback/recorded-media.ts';
import type { SharedFile, SharedGroup, SharedItem } from '../../sharing/shared-group.ts';
import { downloadName } from '../response/download-name.ts';
import { servedFileOf } from './stored-file-response.ts';
import { ZipArchive, type ZipEntry } from './zip-archive.ts';

export const NOTE_NAME = 'case.txt';
const UTC = 'UTC';
const MAX_NAME_CHARS = 120;
/** What file systems do not take in names, and characters that change the direction of others. */
const UNSAFE = /[\p{Cc}\p{Cf}\\/:*?"<>|]/gu;

interface NamedFile {
  readonly file: SharedFile;
  readonly item: SharedItem;
  readonly name: string;
}

/** `items`: of the group, in its order; null: deleted. Null: none of them has a file yet. */
export function caseArchive(
  group: SharedGroup,
  items: readonly (SharedItem | null)[],
  media: Pick<PastMedia, 'lend'>,
): ZipArchive | null {
  const files = namedFiles(items);
  if (files.length === 0) return null;
  const note = Buffer.from(caseNote(group, items, files));
  return new ZipArchive([
    {
      name: NOTE_NAME,
      byteLength: note.length,
      digest: createHash('sha256').update(note).digest('hex'),
      modifiedEpochMs: group.createdAtMs,
      crc32: null,
      async *read() {
        yield { buffers: [note], release: () => undefined };
      },
    },
    ...files.map(({ file, name }) => storedEntry(file, name, media)),
  ]);
}

/** The name under which a browser saves it. */
export function archiveName(group: SharedGroup): string {
  return `${safeName(group.name) || 'Clips'}.zip`;
}

function storedEntry(file: SharedFile, name: string, media: Pick<PastMedia, 'lend'>): ZipEntry {
  const { byteLength, sha256Hex, writtenAtMs } = file;
  const served = servedFileOf(file, writtenAtMs, media);
  return {
    name,
    byteLength,
    digest: sha256Hex,
    modifiedEpochMs: writtenAtMs,
    crc32: null,
    read: () => served.read(0, byteLength),
  };
}

/** Without those that need masks: their length is not known before they are encoded. */
function namedFiles(items: readonly (SharedItem | null)[]): NamedFile[] {
  const all = items.flatMap((item) =>
    (item?.files ?? []).filter(({ masks }) => masks === null).map((file) => ({ item: item!, file })),
  );
  return all.map(({ item, file }, index) => {
    const number = String(index + 1).padStart(2, '0');
    const titles = [item.title, file.cameraName];
    const named = downloadName({ titles, fromMs: file.startMs, extension: file.extension }, file.timeZone);
    return { item, file, name: `${number} - ${named}` };
  });
}

function caseNote(
  { name, body, createdAtMs }: SharedGroup,
  items: readonly (SharedItem | null)[],
  files: readonly NamedFile[],
): string {
  const head = [name || 'Clips', body.description, `Exported: ${localTime(createdAtMs, UTC)}`];
  const parts = files.map(({ file, item, name: fileName }) =>
    [
      `File: ${fileName}`,
      `Title: ${item.title}`,
      `Camera: ${file.cameraName}`,
      `Site: ${file.siteName ?? 'none'}`,
      `Time zone: ${file.timeZone}`,
      `From: ${localTime(file.startMs, file.timeZone)}`,
      `To: ${localTime(file.endMs, file.timeZone)}`,
      `Bytes: ${file.byteLength}`,
      `SHA-256: ${file.sha256Hex}`,
    ].join('\n'),
  );
  const missing = items
    .filter((item) => item === null || item.files.length === 0)
    .map(
      (item) =>
        `Not in this archive: ${item === null ? 'a deleted clip' : item.title} (${item?.state ?? 'deleted'})`,
    );
  const masked = items.flatMap((item) =>
    (item?.files ?? []).flatMap(({ masks, cameraName }) =>
      masks === null ? [] : [`Not in this archive: ${item!.title}, ${cameraName} (privacy masks)`],
    ),
  );
  return `${[...head.filter((line) => line !== ''), ...missing, ...masked].join('\n')}\n\n${parts.join('\n\n')}\n`;
}

/** As `2026-11-28 14:00:05 GMT+01:00`: a zone's rules may change, its distance from UTC then does not. */
function localTime(epochMs: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(epochMs);
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}:${of('second')} ${of('timeZoneName')}`;
}

function safeName(text: string): string {
  return text.replaceAll(UNSAFE, '_').trim().slice(0, MAX_NAME_CHARS);
}

/** Frames that a person keeps: full size, with camera, time, and zone in the file's name. */

import { call } from './api.ts';
import { saveBytes } from './ui/file-download.ts';

const QUALITY = 92;
const MAX_NAME_CHARS = 80;
/** Not allowed in names of files, or able to disguise what a name ends with. */
const UNSAFE = /[\p{C}\p{Z}\\/:*?"<>|.]+/gu;

/** Saves what the camera showed at the instant. Returns the file's name. Fails with a CallError. */
export async function saveSnapshot(
  camera: { readonly uuid: string; readonly name: string; readonly timeZone: string },
  atMs: number,
): Promise<string> {
  const timestampMs = Math.round(atMs);
  const { frameData } = await call('video/getExactFrameData', {
    cameraUuid: camera.uuid,
    timestampMs,
    jpgQuality: QUALITY,
  });
  const name = snapshotName(camera.name, timestampMs, camera.timeZone);
  saveBytes(name, 'image/jpeg', frameData);
  return name;
}

/** As in `Dock_2026-04-15_10-20-05_GMT+2_Europe-Berlin.jpg`. */
export function snapshotName(camera: string, epochMs: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
  }).formatToParts(epochMs);
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  const date = `${of('year')}-${of('month')}-${of('day')}`;
  const time = `${of('hour')}-${of('minute')}-${of('second')}`;
  const offset = of('timeZoneName').replaceAll(':', '-');
  const zone = timeZone === 'UTC' ? 'UTC' : `${offset}_${timeZone.replaceAll('/', '-')}`;
  return `${safeName(camera)}_${date}_${time}_${zone}.jpg`;
}

function safeName(name: string): string {
  const safe = Array.from(name.replaceAll(UNSAFE, '-').replaceAll(/^-+|-+$/g, ''));
  return safe.length === 0 ? 'camera' : safe.slice(0, MAX_NAME_CHARS).join('');
}

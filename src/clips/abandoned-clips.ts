/**
 * Jobs and files of clips that no longer exist, or never did: the gateway was killed between the record that comes first and the
 * one that comes second. They are deleted at the next start, because they could never be listed, delivered or deleted. Another
 * gateway on the same database may be about to store the second one: then they are left alone until they are old.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { ClipFile, ClipJob } from './clip-records.ts';

export interface ClipPlace {
  readonly orgUuid: Ruuid;
  readonly clipUuid: Ruuid;
}

/** Far longer than it takes another gateway to store a clip after its job, whatever its clock says. */
export const ABANDONED_AFTER_MS = 600_000;

/** Whether the saved clip or the timelapse exists. */
export type IsListed = (clip: ClipPlace) => Promise<boolean>;

/**
 * Jobs that are abandoned. The job of a clip that was handed over is not: it comes before its clip, and the import of the upload
 * lists the clip later (uploaded-clips.ts). The job of an alert has no saved clip: the alert lists its files (alert-clips.ts).
 * `storedBeforeMs`: jobs that are newer may belong to a clip that another gateway is just storing.
 */
export function abandonedJobs(
  jobs: readonly ClipJob[],
  isListed: IsListed,
  storedBeforeMs: number,
): Promise<ClipPlace[]> {
  const ordered = jobs.filter(
    ({ createdAtMs, body: { recordingNumber, alertUuid } }) =>
      recordingNumber === undefined && alertUuid === undefined && createdAtMs < storedBeforeMs,
  );
  const places = ordered.map(({ orgUuid, uuid: clipUuid }) => ({ orgUuid, clipUuid }));
  return abandoned(places, isListed);
}

/** Files that are abandoned. A clip has none before it is listed. Those of alerts stay until retention deletes them. */
export function abandonedFiles(files: readonly ClipFile[], isListed: IsListed): Promise<ClipPlace[]> {
  const places = new Map<Ruuid, ClipPlace>();
  for (const { orgUuid, parentUuid: clipUuid, body } of files) {
    if (clipUuid !== null && body.alertUuid === undefined) places.set(clipUuid, { orgUuid, clipUuid });
  }
  return abandoned(places.values(), isListed);
}

async function abandoned(places: Iterable<ClipPlace>, isListed: IsListed): Promise<ClipPlace[]> {
  const found: ClipPlace[] = [];
  for (const place of places) if (!(await isListed(place))) found.push(place);
  return found;
}

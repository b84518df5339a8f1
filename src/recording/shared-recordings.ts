/**
 * Nodes of a cluster without S3 must have one folder of recordings. A file in it has an ID, which the database has as well: a
 * node whose folder has another one, or none, does not start (docs/design/recording.md#many-nodes).
 */

import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '../core/errors.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { RecordingBlockRepository } from '../store/recording-block.ts';
import { RECORDING_ERRORS } from './errors.ts';

export const STORAGE_ID_FILE = 'storage-id';

/** Fails RECORDING_FOLDER_NOT_SHARED, RECORDING_IO, and like the store. */
export async function checkSharedRecordings(
  folder: string,
  blocks: Pick<RecordingBlockRepository, 'storageId'>,
): Promise<void> {
  const path = join(folder, STORAGE_ID_FILE);
  const { id, isNew } = attempt(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return idIn(path);
  });
  const common = await blocks.storageId(id);
  if (common === id) return;
  if (isNew) attempt(folder, () => unlinkSync(path));
  throw new GatewayError(RECORDING_ERRORS.RECORDING_FOLDER_NOT_SHARED, { folder, file: STORAGE_ID_FILE });
}

/** Whole or not at all, whichever node is first. */
function idIn(path: string): { readonly id: string; readonly isNew: boolean } {
  const id = newRuuid();
  const draft = `${path}.${id}`;
  writeFileSync(draft, `${id}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
    return { id, isNew: true };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    return { id: readFileSync(path, 'utf8').trim(), isNew: false };
  } finally {
    unlinkSync(draft);
  }
}

function attempt<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const { code: errno = 'unknown' } = thrown as NodeJS.ErrnoException;
    throw new GatewayError(RECORDING_ERRORS.RECORDING_IO, { name, errno }, thrown);
  }
}

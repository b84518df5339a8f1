/** File names in the data folder. */

import { join } from 'node:path';
import type { Config } from './schema.ts';

export const DATABASE_FILE = 'sluice.db';
/** Recordings, unless the configuration names another folder. */
const RECORDINGS_FOLDER = 'recordings';
/** Uploads that are not finished, in the folder of the recordings. */
export const UPLOADS_FOLDER = 'uploads';

/** The folder of the recordings. */
export function recordingsFolder({ data, recording }: Pick<Config, 'data' | 'recording'>): string {
  return recording.folder ?? join(data, RECORDINGS_FOLDER);
}

/** H.264 of recordings, made for viewers: at most `recording.h264Cache`, and empty at each start. */
const H264_FOLDER = 'h264-cache';

export function h264Folder({ data }: Pick<Config, 'data'>): string {
  return join(data, H264_FOLDER);
}

/** The account and the certificate of the ACME server. */
const ACME_FOLDER = 'acme';

export function acmeFolder({ data }: Pick<Config, 'data'>): string {
  return join(data, ACME_FOLDER);
}

/** Space reserved for revocations on a full disk. */
export const RESERVE_FILE = 'reserve';
/** Ends of access that the store does not have yet. */
export const UNSTORED_ENDS_FILE = 'unstored-ends.jsonl';
/** File for keys made at the first start without a terminal. Readable only by the owner. */
export const FIRST_KEYS_FILE = 'first-keys.txt';
/** Where the link to the console goes while it has no people, in the same case. */
export const CONSOLE_LINK_FILE = 'console-link.txt';
/** The master secret, see secrets.ts. */
export const SECRET_KEY_FILE = 'secret.key';
/** Where a node of a cluster hears `sluice drain`: a socket that only its user can open. */
export const DRAIN_SOCKET = 'drain.sock';

/**
 * The gateway's secrets. One master secret of 32 random bytes is created at the first run and never shipped; every
 * use has its own key, derived from it by HKDF (RFC 5869), so that no use can weaken another.
 */

import { hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '../../core/errors.ts';
import { SECRET_KEY_FILE } from './data-folder.ts';
import type { Environment } from './environment.ts';
import { CONFIG_ERRORS } from './errors.ts';

const VARIABLE = 'SLUICE_SECRET_KEY';
const KEY_BYTES = 32;
const HEX_PATTERN = /^[0-9a-f]{64}$/i;
const OTHERS_PERMISSIONS = 0o077;

/** Keys of 32 bytes each. They live as long as the process and are never logged. */
export interface Secrets {
  /** Signs viewers' grants. */
  readonly grantSigningKey: Buffer;
  /** Signs the grants of viewers who need no share. */
  readonly deviceGrantKey: Buffer;
  /** Makes the unguessable part of share links. */
  readonly shareTokenKey: Buffer;
  /** Encrypts fields of the database. */
  readonly fieldKey: Buffer;
  /** Seals what browsers keep during and after single sign-on. */
  readonly ssoKey: Buffer;
  /** Seals what shows that someone has signed in in a browser before. */
  readonly knownBrowserKey: Buffer;
  /** Signs the links in mails. */
  readonly mailLinkKey: Buffer;
  /** Keys of encrypted recordings are derived from it. */
  readonly recordingKey: Buffer;
  /** Keys that sign recordings and cases are derived from it. */
  readonly evidenceKey: Buffer;
  /** Signs the media paths that viewers share. */
  readonly mediaPathKey: Buffer;
}

/**
 * The secrets from `SLUICE_SECRET_KEY` or `<dataDir>/secret.key`, which is created if it is missing. Creates `dataDir`
 * too. Fails with SECRETS_EXPOSED, SECRETS_DAMAGED or SECRETS_UNAVAILABLE.
 */
export function loadSecrets(dataDir: string, env: Environment): Secrets {
  const path = join(dataDir, SECRET_KEY_FILE);
  const fromEnvironment = env[VARIABLE];
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const master = fromEnvironment
      ? parseMaster(fromEnvironment, VARIABLE)
      : (readMaster(path) ?? createMaster(dataDir, path));
    return {
      grantSigningKey: derive(master, 'grant signing'),
      deviceGrantKey: derive(master, 'device grant signing'),
      shareTokenKey: derive(master, 'share tokens'),
      fieldKey: derive(master, 'field encryption'),
      ssoKey: derive(master, 'single sign-on'),
      knownBrowserKey: derive(master, 'known browsers'),
      mailLinkKey: derive(master, 'links in mails'),
      recordingKey: derive(master, 'recordings'),
      evidenceKey: derive(master, 'evidence'),
      mediaPathKey: derive(master, 'shared media paths'),
    };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError(CONFIG_ERRORS.SECRETS_UNAVAILABLE, { path }, error);
  }
}

function derive(master: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `sluice ${use} 1`, KEY_BYTES));
}

function parseMaster(text: string, source: string): Buffer {
  if (!HEX_PATTERN.test(text.trim())) throw new GatewayError(CONFIG_ERRORS.SECRETS_DAMAGED, { source });
  return Buffer.from(text.trim(), 'hex');
}

/** null if the file does not exist yet. */
function readMaster(path: string): Buffer | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
  try {
    if ((fstatSync(file).mode & OTHERS_PERMISSIONS) !== 0) {
      throw new GatewayError(CONFIG_ERRORS.SECRETS_EXPOSED, { path });
    }
    return parseMaster(readFileSync(file, 'utf8'), path);
  } finally {
    closeSync(file);
  }
}

/**
 * Written to a draft and linked into place: the file is complete or absent, and if two processes start at the same time,
 * both use the first one's.
 */
function createMaster(dataDir: string, path: string): Buffer {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  syncFolder(dataDir);
  const master = readMaster(path);
  if (master === null) throw new GatewayError(CONFIG_ERRORS.SECRETS_UNAVAILABLE, { path });
  return master;
}

function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

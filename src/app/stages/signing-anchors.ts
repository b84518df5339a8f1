/** The certificates that a camera's must lead to, if it signs its video (`sources.signingAnchors`). */

import { readFile } from 'node:fs/promises';
import { certificatesOf } from '../../codec/media-signing/signing-watch.ts';
import { ConfigError } from '../config/errors.ts';

/** PEM; empty: there are none. Fails CONFIG_INVALID. */
export async function readSigningAnchors(file: string | null): Promise<string> {
  if (file === null) return '';
  const pem = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) =>
    refuse(file, `cannot be read (${thrown.code})`),
  );
  return hasCertificates(pem) ? pem : refuse(file, 'is not a PEM file with certificates');
}

function hasCertificates(pem: string): boolean {
  try {
    return certificatesOf(pem).length > 0;
  } catch {
    // Something between the lines of a certificate is not one.
    return false;
  }
}

function refuse(file: string, what: string): never {
  throw new ConfigError([
    { source: 'configuration', key: 'sources.signingAnchors', message: `${file} ${what}` },
  ]);
}

/**
 * The signed list of an archive's files. `manifest.json` is signed as it is, byte for byte, by a JSON Web Signature with detached
 * content (RFC 7515, Appendix F) in `manifest.jws`: EdDSA with Ed25519 (RFC 8037), and the certificate in `x5c`.
 */

import { type KeyObject, sign } from 'node:crypto';

export const MANIFEST_NAME = 'manifest.json';
export const SIGNATURE_NAME = 'manifest.jws';
/** A TimeStampResp (RFC 3161) for the bytes of the signature. */
export const TIME_STAMP_NAME = 'manifest.tsr';
export const VERIFY_PAGE_NAME = 'verify.html';
export const MANIFEST_FORMAT = 'sluice-case/1';

/** `certificatePem`: of the key. */
export function signManifest(manifest: string, key: KeyObject, certificatePem: string): string {
  const x5c = [certificatePem.replaceAll(/-----[^-]+-----|\s/g, '')];
  const header = base64url(JSON.stringify({ alg: 'EdDSA', typ: MANIFEST_FORMAT, x5c }));
  const signature = sign(null, Buffer.from(`${header}.${base64url(manifest)}`), key);
  return `${header}..${signature.toString('base64url')}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/**
 * Where a release comes from: an in-toto statement (https://in-toto.io/Statement/v1) with SLSA provenance
 * (https://slsa.dev/provenance/v1), and its signature in a DSSE envelope (https://github.com/secure-systems-lab/dsse). No time and no
 * random number: the same commit and key always lead to the same bytes, as Ed25519 signatures do.
 */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

export interface ReleaseFacts {
  readonly version: string;
  /** Of the source: 40 hexadecimal digits. */
  readonly commit: string;
  /** SHA-256 of package-lock.json, in hexadecimal. */
  readonly lockSha256: string;
  /** Node.js that built it. */
  readonly nodeVersion: string;
  /** SHA-256 of each file, in hexadecimal, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** The statement, as JSON text. */
export function renderStatement({ version, commit, lockSha256, nodeVersion, files }: ReleaseFacts): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: Object.entries(files).map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:sluice:release:v1',
        externalParameters: { version },
        internalParameters: { node: nodeVersion },
        resolvedDependencies: [
          { uri: 'urn:sluice:source', digest: { gitCommit: commit } },
          { uri: 'urn:sluice:package-lock.json', digest: { sha256: lockSha256 } },
        ],
      },
      runDetails: { builder: { id: 'urn:sluice:scripts/release.mjs' } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

/** The statement with its signature, as one line of JSON. `keyPem`: an Ed25519 key in PKCS #8. Throws if it is another kind. */
export function renderEnvelope(statement: string, keyPem: string): string {
  const key = createPrivateKey(keyPem);
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`The signing key is ${key.asymmetricKeyType}: expected Ed25519`);
  const payload = Buffer.from(statement);
  const signature = sign(null, preAuthentication(payload), key);
  const envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid: keyIdOf(createPublicKey(key)), sig: signature.toString('base64') }],
  };
  return `${JSON.stringify(envelope)}\n`;
}

/** What is signed: DSSE's pre-authentication encoding. */
function preAuthentication(payload: Buffer): Buffer {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** SHA-256 of the public key (SubjectPublicKeyInfo), in hexadecimal. */
function keyIdOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

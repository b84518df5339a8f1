/**
 * `node verify-release.mjs FOLDER [--key PUBLIC_KEY_FILE]`: whether the files of a release are whole, and who signed them. It needs
 * Node.js 20 or newer and nothing else, so that you can take it from another place than the release.
 */

import { createHash, createPublicKey, verify } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const SUMS = 'SHA256SUMS';

/**
 * The result for each check, in order. `publicKeyPem`: of the one who must have signed; null: no signature is needed. Fails like
 * the file system.
 */
export function verifyRelease(folder, publicKeyPem) {
  const results = [];
  const check = (what, isRight) => results.push({ what, isRight });
  const names = readdirSync(folder).sort();
  const hashes = new Map(
    names.filter((name) => name !== SUMS).map((name) => [name, sha256(readFileSync(join(folder, name)))]),
  );
  const sums = sumsIn(readText(folder, SUMS));
  for (const [name, hash] of sums) check(`${name} has the hash in ${SUMS}`, hashes.get(name) === hash);
  for (const name of hashes.keys()) if (!sums.has(name)) check(`${name} is listed in ${SUMS}`, false);
  const statementName = [...hashes.keys()].find((name) => name.endsWith('.provenance.json'));
  const statementText = statementName === undefined ? null : readText(folder, statementName);
  const subjects = subjectsOf(statementText);
  check('the provenance names files', subjects.length > 0);
  for (const { name, digest } of subjects)
    check(`${name} has the hash in the provenance`, hashes.get(name) === digest?.sha256);
  for (const suffix of ['.tar.gz', '.cdx.json', '-notices.txt'])
    check(
      `the provenance names the file *${suffix}`,
      subjects.some(({ name }) => name.endsWith(suffix)),
    );
  if (publicKeyPem !== null) {
    const envelopeName = [...hashes.keys()].find((name) => name.endsWith('.intoto.jsonl'));
    const envelope = envelopeName === undefined ? null : readText(folder, envelopeName);
    check('the provenance is signed with your key', isSigned(envelope, statementText, publicKeyPem));
  }
  return results;
}

function readText(folder, name) {
  return readFileSync(join(folder, name), 'utf8');
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** By file name. */
function sumsIn(text) {
  return new Map(
    Array.from(text.matchAll(/^([0-9a-f]{64}) {2}([\w.-]+)$/gm), ([, hash, name]) => [name, hash]),
  );
}

/** Empty if the statement is not provenance. */
function subjectsOf(text) {
  const statement = parsed(text);
  const isProvenance =
    statement?._type === 'https://in-toto.io/Statement/v1' &&
    statement.predicateType === 'https://slsa.dev/provenance/v1' &&
    Array.isArray(statement.subject);
  return isProvenance ? statement.subject.filter(({ name }) => typeof name === 'string') : [];
}

/** Whether the envelope holds exactly this statement, with a signature of this key (DSSE). */
function isSigned(envelopeText, statement, publicKeyPem) {
  const envelope = parsed(envelopeText);
  if (envelope === null || statement === null || envelope.payloadType !== PAYLOAD_TYPE) return false;
  const payload = Buffer.from(String(envelope.payload), 'base64');
  if (!payload.equals(Buffer.from(statement))) return false;
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  const signed = Buffer.concat([Buffer.from(head), payload]);
  const key = createPublicKey(publicKeyPem);
  if (key.asymmetricKeyType !== 'ed25519' || !Array.isArray(envelope.signatures)) return false;
  return envelope.signatures.some(({ sig }) => verify(null, signed, key, Buffer.from(String(sig), 'base64')));
}

/** null if there is no JSON object. */
function parsed(text) {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    // Then the check that needs it fails.
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, option, keyFile] = process.argv.slice(2);
  if (folder === undefined || (option !== undefined && (option !== '--key' || keyFile === undefined))) {
    process.stderr.write('node verify-release.mjs FOLDER [--key PUBLIC_KEY_FILE]\n');
    process.exit(2);
  }
  const results = verifyRelease(folder, keyFile === undefined ? null : readFileSync(keyFile, 'utf8'));
  for (const { what, isRight } of results) process.stdout.write(`${isRight ? 'yes' : 'NO '}  ${what}\n`);
  if (keyFile === undefined)
    process.stdout.write('The signature was not checked: pass the public key of its maker with --key.\n');
  process.exitCode = results.every(({ isRight }) => isRight) ? 0 : 1;
}

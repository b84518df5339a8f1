/**
 * Builds the files of a release from the commit that is checked out: source archive, bill of materials, notices, hashes, and
 * provenance. Refuses if something is missing, changed, or not reproducible.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { changelogProblem } from './changelog.ts';
import { renderEnvelope, renderStatement } from './provenance.ts';
import { compareVersions, versionIn } from './version.ts';

const ARCHIVE_LIMIT_BYTES = 1024 ** 3;
/** Byte of a gzip header that names the system (RFC 1952 §2.3.1). */
const GZIP_OS_BYTE = 9;
const GZIP_UNKNOWN_OS = 255;

export interface BuildOptions {
  readonly root: string;
  /** Must not exist, or be empty. */
  readonly out: string;
  /** PEM file with the Ed25519 key that signs; null: the provenance is not signed. */
  readonly keyFile: string | null;
  /** Throws if a generated document does not fit the sources. */
  readonly checkDocuments: () => void;
}

/** Names of the files that it wrote, in order. Throws with the reason why there is no release. */
export function buildRelease({ root, out, keyFile, checkDocuments }: BuildOptions): string[] {
  const version = versionIn(readFileSync(join(root, 'package.json'), 'utf8'));
  expectReady(root, version);
  checkDocuments();
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty`);
  const name = `sluice-${version}`;
  const archive = archiveOf(root, name);
  if (!archive.equals(archiveOf(root, name))) throw new Error('The source archive is not reproducible');
  const files: Record<string, Buffer> = {
    [`${name}.tar.gz`]: archive,
    [`${name}.cdx.json`]: readFileSync(join(root, 'sbom.cdx.json')),
    [`${name}-notices.txt`]: readFileSync(join(root, 'THIRD-PARTY-NOTICES.txt')),
  };
  const statement = renderStatement({
    version,
    commit: git(root, 'rev-parse', 'HEAD').trim(),
    lockSha256: sha256(readFileSync(join(root, 'package-lock.json'))),
    nodeVersion: process.versions.node,
    files: hashesOf(files),
  });
  files[`${name}.provenance.json`] = Buffer.from(statement);
  if (keyFile !== null) {
    files[`${name}.intoto.jsonl`] = Buffer.from(renderEnvelope(statement, readFileSync(keyFile, 'utf8')));
  }
  const sums = Object.entries(hashesOf(files)).map(([file, hash]) => `${hash}  ${file}\n`);
  files.SHA256SUMS = Buffer.from(sums.join(''));
  mkdirSync(out, { recursive: true });
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(out, file), bytes);
  return Object.keys(files);
}

/** What a person has to do first. */
function expectReady(root: string, version: string): void {
  const changed = git(root, 'status', '--porcelain').trim();
  if (changed !== '') throw new Error(`Commit or remove these changes first:\n${changed}`);
  compareVersions(version, version);
  const problem = changelogProblem(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (problem !== null) throw new Error(`${problem}: run \`npm run release -- prepare VERSION\``);
  const locked = versionIn(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  if (locked !== version) throw new Error(`package-lock.json has version ${locked}, package.json ${version}`);
  for (const file of ['sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt', 'SECURITY.md']) {
    if (!existsSync(join(root, file))) throw new Error(`${file} is missing`);
  }
  const { metadata } = JSON.parse(readFileSync(join(root, 'sbom.cdx.json'), 'utf8'));
  if (metadata.component.version !== version)
    throw new Error(`sbom.cdx.json is of version ${metadata.component.version}: run \`npm run docs\``);
}

/** Depends on the commit alone: not on settings of git, the clock, or the system. */
function archiveOf(root: string, name: string): Buffer {
  const settings = ['-c', 'tar.umask=0022', '-c', 'core.autocrlf=false'];
  const tar = execFileSync('git', [...settings, 'archive', '--format=tar', `--prefix=${name}/`, 'HEAD'], {
    cwd: root,
    maxBuffer: ARCHIVE_LIMIT_BYTES,
  });
  const compressed = gzipSync(tar, { level: 9 });
  compressed[GZIP_OS_BYTE] = GZIP_UNKNOWN_OS;
  return compressed;
}

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' });
}

function hashesOf(files: Readonly<Record<string, Buffer>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, sha256(bytes)]));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

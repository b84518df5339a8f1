/**
 * First step of `npm start` and `npm test`, before the first line of TypeScript can run: installs the npm packages, a
 * current Node.js, Debian's packages where allowed, and the jail launcher. Plain JavaScript, because it must run on the
 * Node.js that is already there (20 or newer).
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildJail, buildSoundServer, hasSoundServerHeaders } from '../native/build.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NODE_MODULES = join(ROOT, 'node_modules');
const MINIMUM_NODE_MAJOR = 24;
/** Running does not need this package. */
const TEST_RUNNER = join(NODE_MODULES, 'vitest');
/** Node.js for running, where the machine's own is too old and the packages for tests are not installed. */
const OWN_NODE = join(ROOT, '.node');
const OWN_NODE_NAME = `node-${process.platform}-${process.arch}`;

// Node.js keeps the code that it has compiled, and the types that it has stripped: a gateway starts with a third less work.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, '.cache', 'compile');

/** A program we need and the Debian packages that contain it. */
const START_NEEDS = [
  { what: 'ffmpeg', has: () => hasCommand('ffmpeg'), packages: ['ffmpeg'] },
  {
    what: 'a C compiler, for the jail launcher',
    has: () => hasCommand('cc'),
    packages: ['gcc', 'libc6-dev'],
  },
  {
    what: "FFmpeg's headers, for the sound server",
    has: hasSoundServerHeaders,
    packages: ['libavcodec-dev', 'libswresample-dev'],
  },
];

const GSTREAMER_PACKAGES = [
  'python3-gi',
  'gir1.2-gst-rtsp-server-1.0',
  'gstreamer1.0-plugins-base',
  'gstreamer1.0-plugins-good',
  'gstreamer1.0-plugins-bad',
  'gstreamer1.0-plugins-ugly',
  'gstreamer1.0-libav',
];

const TEST_NEEDS = [
  ...START_NEEDS,
  { what: 'Chromium', has: () => hasCommand('chromium'), packages: ['chromium'] },
  { what: 'the FLAC tools', has: () => hasCommand('flac'), packages: ['flac'] },
  { what: 'a Redis server', has: () => hasCommand('redis-server'), packages: ['redis-server'] },
  { what: 'a PostgreSQL server', has: hasPostgres, packages: ['postgresql'] },
  {
    what: 'nginx',
    has: () => hasCommand('nginx') || existsSync('/usr/sbin/nginx'),
    packages: ['nginx-light'],
  },
  { what: 'Varnish', has: () => existsSync('/usr/sbin/varnishd'), packages: ['varnish'] },
  {
    what: "nginx's stream module",
    has: () => existsSync('/usr/lib/nginx/modules/ngx_stream_module.so'),
    packages: ['libnginx-mod-stream'],
  },
  { what: 'curl with HTTP/2', has: () => hasCommand('curl'), packages: ['curl'] },
  { what: 'xmlsec1', has: () => hasCommand('xmlsec1'), packages: ['xmlsec1'] },
  { what: 'h2load', has: () => hasCommand('h2load'), packages: ['nghttp2-client'] },
  { what: "Python's venv, for Schemathesis", has: hasPythonVenv, packages: ['python3-venv'] },
  { what: "GStreamer's RTSP server", has: hasGstRtspServer, packages: GSTREAMER_PACKAGES },
];

/** Needed only by `npm run long`. */
const LONG_NEEDS = [
  ...TEST_NEEDS,
  { what: 'HAProxy', has: () => existsSync('/usr/sbin/haproxy'), packages: ['haproxy'] },
];

const NEEDS = { start: START_NEEDS, test: TEST_NEEDS, long: LONG_NEEDS };

/** Debian's own Python: the one python3-gi installs into, whatever comes first in PATH. */
function hasGstRtspServer() {
  if (!existsSync('/usr/bin/python3')) return false;
  const script =
    'import gi; gi.require_version("GstRtspServer", "1.0"); from gi.repository import Gst, GstRtspServer; Gst.init(None); ' +
    'import sys; sys.exit(0 if all(Gst.ElementFactory.find(e) for e in ("x264enc","x265enc","jpegenc","mulawenc","opusenc","rtpg726pay","avenc_aac","avenc_g726","avenc_g722","lamemp3enc","vp8enc","rtph264pay")) else 1)';
  return spawnSync('/usr/bin/python3', ['-c', script], { stdio: 'ignore' }).status === 0;
}

function hasPythonVenv() {
  return spawnSync('python3', ['-c', 'import ensurepip, venv'], { stdio: 'ignore' }).status === 0;
}

/** Debian keeps each version's programs in their own folder, outside PATH. */
function hasPostgres() {
  const versions = '/usr/lib/postgresql';
  return (
    hasCommand('initdb') ||
    (existsSync(versions) &&
      readdirSync(versions).some((each) => existsSync(join(versions, each, 'bin', 'initdb'))))
  );
}

function hasCommand(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function run(command, args, options = {}) {
  return spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], ...options });
}

/**
 * Installs the npm packages if the lock file is newer than the installed packages: for `start` those that running needs,
 * and a current Node.js if this one is too old; for `test` all.
 */
export async function ensureNodeModules(purpose) {
  // A link to those of another checkout, which installs them: `npm ci` here would remove them there.
  if (lstatSync(NODE_MODULES, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const isForTests = purpose === 'test';
  // npm's own record of installed packages: `npm ci` by hand counts too.
  const stamp = join(NODE_MODULES, '.package-lock.json');
  const lock = join(ROOT, 'package-lock.json');
  const isCurrent = existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs;
  const needsPackages = !isCurrent || (isForTests && !existsSync(TEST_RUNNER));
  const needsNode = !isForTests && foundNode() === null;
  if (needsPackages || needsNode) say('Installing npm packages…');
  const [packages, node] = await Promise.all([
    needsPackages ? runNpm(['ci', ...(isForTests ? [] : ['--omit=dev'])]) : 0,
    needsNode ? runNpm(['install', '--no-save', '--prefix', OWN_NODE, ownNodePackage()]) : 0,
  ]);
  if (packages !== 0) fail('npm ci failed; see above. Sluice needs its npm packages. Run `npm ci` yourself.');
  if (node !== 0) fail(`npm could not install Node.js; see above. ${nodeNeed()}`);
}

/** The exit code. Versions are pinned, so npm does not ask the registry whether what it has cached is current. */
function runNpm(args) {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', [...args, ...flags], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => child.on('error', reject).on('exit', (code) => resolve(code ?? 1)));
}

/** The npm package with the program alone, of the version with which the tests run. */
function ownNodePackage() {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return `${OWN_NODE_NAME}@${devDependencies.node}`;
}

/** The Node.js that runs Sluice: this one if it is new enough, otherwise one that npm installed; null: there is none. */
function foundNode() {
  if (Number(process.versions.node.split('.')[0]) >= MINIMUM_NODE_MAJOR) return process.execPath;
  const installed = [
    join(NODE_MODULES, '.bin', 'node'),
    join(OWN_NODE, 'node_modules', OWN_NODE_NAME, 'bin', 'node'),
  ];
  return installed.find((each) => spawnSync(each, ['--version'], { stdio: 'ignore' }).status === 0) ?? null;
}

export function nodeBinary() {
  return foundNode() ?? fail(nodeNeed());
}

function nodeNeed() {
  return `Sluice needs Node.js ${MINIMUM_NODE_MAJOR} or newer; this is ${process.versions.node}, and npm installed no newer one.`;
}

/** PATH with the npm binaries first, and therefore the right Node.js. */
export function toolEnvironment() {
  return { ...process.env, PATH: `${join(NODE_MODULES, '.bin')}${delimiter}${process.env.PATH ?? ''}` };
}

/**
 * Installs missing Debian packages if this is Debian and we are root. Otherwise says exactly what to install;
 * `purpose` decides whether that ends the run.
 */
export function ensureDebianPackages(purpose) {
  const missing = NEEDS[purpose].filter((need) => !need.has());
  if (missing.length === 0) return;
  const packages = [...new Set(missing.flatMap((need) => need.packages))];
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  const names = missing.map((need) => need.what).join('; ');
  if (hasCommand('apt-get') && process.getuid?.() === 0) {
    say(`Installing Debian packages (${names})…`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    const quiet = { env, stdio: ['ignore', 'ignore', 'inherit'] };
    run('apt-get', ['update', '-qq'], quiet);
    if (run('apt-get', command.split(' ').slice(1), quiet).status === 0) return;
  }
  if (purpose !== 'start') fail(`The tests need ${names}. On Debian, run as root:\n  ${command}`);
  say(`Missing: ${names}. Sluice starts without them. To get every feature, run as root:\n  ${command}`);
}

/**
 * Builds the jail launcher if there is a compiler; either way, the gateway logs what protects its workers. And the sound
 * server if FFmpeg's headers are there; otherwise audio that becomes AAC takes a worker per camera.
 */
export function ensureJail() {
  if (!hasCommand('cc')) return;
  buildSoundServer();
  if (buildJail()) return;
  say('The jail launcher did not compile. ffmpeg workers run with fewer protections; the log lists them.');
}

function fail(message) {
  say(message);
  process.exit(1);
}

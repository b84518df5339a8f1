/**
 * Builds the jail launcher, and where FFmpeg's headers are installed the sound server: `node native/build.mjs` makes
 * native/build/sluice-jail and native/build/sound-server. Plain JavaScript, because it runs before a current Node.js is
 * installed. Needs a C compiler and the kernel's headers; the launcher needs no other library.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const SELF = fileURLToPath(import.meta.url);
const OUTPUT_FOLDER = join(FOLDER, 'build');
const FLAGS = [
  ...['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror', '-fstack-protector-strong'],
  // A compiler that has its own level for it would warn.
  ...['-U_FORTIFY_SOURCE', '-D_FORTIFY_SOURCE=3', '-Wl,-z,relro,-z,now'],
];
const PROGRAM = ['-fPIE', '-pie'];
const LIBRARY = ['-fPIC', '-shared'];
/** FFmpeg 5.1 was the first with AVChannelLayout. */
const HEADERS_CHECK = `#include <libavcodec/avcodec.h>
#include <libswresample/swresample.h>
#if LIBAVCODEC_VERSION_INT < AV_VERSION_INT(59, 37, 100)
#error too old
#endif
`;

/**
 * Compiles the .c files of `sources` unless the output is newer than all of them and than this file. Returns whether the output exists
 * afterwards.
 */
function build(program, sources, kind = PROGRAM, libraries = ['-ldl']) {
  const output = join(OUTPUT_FOLDER, program);
  const inputs = sources.map((name) => join(FOLDER, name));
  if (
    existsSync(output) &&
    [...inputs, SELF].every((input) => statSync(input).mtimeMs <= statSync(output).mtimeMs)
  ) {
    return true;
  }
  mkdirSync(OUTPUT_FOLDER, { recursive: true });
  const compiler = process.env.CC ?? 'cc';
  const result = spawnSync(
    compiler,
    [...FLAGS, ...kind, '-o', output, ...inputs.filter((name) => name.endsWith('.c')), ...libraries],
    { stdio: 'inherit' },
  );
  return result.status === 0;
}

/** Builds the launcher, and the library that keeps ffmpeg loaded for still images. Returns whether both exist. */
export function buildJail() {
  const hasServer = build('picture-server.so', ['picture-server.c'], LIBRARY);
  const hasJail = build('sluice-jail', [
    ...[
      'sluice-jail.c',
      'spawner.c',
      'landlock.c',
      'seccomp.c',
      'privileges.c',
      'worker-network.c',
      'camera-relay.c',
    ],
    ...['jail.h', 'camera-relay.h', 'seccomp-syscalls.h'],
  ]);
  return hasJail && hasServer;
}

/** Whether the compiler finds the headers that the sound server needs. */
export function hasSoundServerHeaders() {
  const compiler = process.env.CC ?? 'cc';
  const quiet = { input: HEADERS_CHECK, stdio: ['pipe', 'ignore', 'ignore'] };
  return spawnSync(compiler, ['-E', '-x', 'c', '-'], quiet).status === 0;
}

/**
 * Builds the process that encodes the sound of many cameras, if the headers are there. Returns whether it runs here: after
 * an upgrade of the libraries, it is linked again.
 */
export function buildSoundServer() {
  const output = join(OUTPUT_FOLDER, 'sound-server');
  const runs = () => spawnSync(output, ['--check'], { stdio: 'ignore' }).status === 0;
  if (existsSync(output) && !runs()) rmSync(output);
  if (!existsSync(output) && !hasSoundServerHeaders()) return false;
  return (
    build('sound-server', ['sound-server.c'], PROGRAM, ['-lavcodec', '-lavutil', '-lswresample']) && runs()
  );
}

/** Builds the program with which the tests try to break out. Returns whether it exists. */
export function buildJailProbe() {
  return build('jail-probe', ['jail-probe.c']);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = buildJail() ? 0 : 1;
  if (!buildSoundServer()) {
    process.stderr.write(
      'The sound server needs libavcodec-dev and libswresample-dev of FFmpeg 5.1 or newer; not built.\n',
    );
  }
}

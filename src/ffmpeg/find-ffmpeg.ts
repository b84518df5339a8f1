/**
 * Finds the ffmpeg to run: the configured one, or the system's if it is version 5 or newer, or the one in the npm
 * package @ffmpeg-installer/ffmpeg. That one is from 2018, so a gateway that uses it says so in the log.
 */

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { GatewayError } from '../core/errors.ts';
import { FFMPEG_ERRORS } from './errors.ts';
import { findExecutable } from './executable.ts';

/** Below this major version, an ffmpeg counts as outdated: version 4 no longer gets fixes. */
export const OLDEST_CURRENT_MAJOR = 5;

const RUN_TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** libavformat 58 came with ffmpeg 4, 59 with 5 and so on; Git builds state only this version. */
const LIBAVFORMAT_MAJOR_OF_FFMPEG_0 = 54;

export type FfmpegOrigin = 'configured' | 'system' | 'bundled';

export interface FfmpegBinary {
  readonly path: string;
  /** As the program prints it, for example `5.1.9-0+deb12u1`. */
  readonly version: string;
  readonly major: number;
  readonly origin: FfmpegOrigin;
  /** Older than version 5: known bugs are no longer fixed. */
  readonly isOutdated: boolean;
  /** Whether it encodes H.264 with libx264, and AAC. */
  readonly hasX264: boolean;
  readonly hasAac: boolean;
  /** Whether it encodes JPEG. */
  readonly hasJpeg: boolean;
  /** Protocols that it can read from, as it names them: `rtmp`, `srt`. Distributions differ. */
  readonly protocols: ReadonlySet<string>;
}

export interface FindFfmpegOptions {
  /** Used if given, whatever its version. */
  readonly configuredPath?: string | undefined;
  /** Folders with the system's programs, as in PATH. Default: this process's. */
  readonly searchPath?: string;
  /** The npm package's binary; null: there is none for this machine. */
  readonly bundledPath?: () => string | null;
}

/** Fails FFMPEG_NOT_FOUND. A configured path that does not run is an error, not a reason to use another. */
export async function findFfmpeg(options: FindFfmpegOptions = {}): Promise<FfmpegBinary> {
  if (options.configuredPath !== undefined) return examine(options.configuredPath, 'configured');
  const systemPath = await findExecutable('ffmpeg', options.searchPath ?? process.env.PATH ?? '');
  const system = systemPath === null ? null : await examine(systemPath, 'system').catch(() => null);
  if (system !== null && !system.isOutdated && system.hasX264) return system;
  const bundledPath = (options.bundledPath ?? installedByNpm)();
  const bundled = bundledPath === null ? null : await examine(bundledPath, 'bundled').catch(() => null);
  const found = bundled ?? system;
  if (found === null) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_NOT_FOUND);
  return found;
}

/** Parses the output of `ffmpeg -version`; null if ffmpeg did not print it. */
export function parseFfmpegVersion(output: string): { version: string; major: number } | null {
  const version = /^ffmpeg version (\S+)/.exec(output)?.[1];
  const libavformatMajor = /^libavformat\s+(\d+)\./m.exec(output)?.[1];
  if (version === undefined || libavformatMajor === undefined) return null;
  return { version, major: Number(libavformatMajor) - LIBAVFORMAT_MAJOR_OF_FFMPEG_0 };
}

async function examine(path: string, origin: FfmpegOrigin): Promise<FfmpegBinary> {
  const [versionText, encoders, protocols] = await Promise.all([
    run(path, ['-hide_banner', '-version']),
    run(path, ['-hide_banner', '-encoders']),
    run(path, ['-hide_banner', '-protocols']),
  ]);
  const parsed = parseFfmpegVersion(versionText);
  if (parsed === null) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_NOT_FOUND, { path });
  return {
    path,
    origin,
    ...parsed,
    isOutdated: parsed.major < OLDEST_CURRENT_MAJOR,
    hasX264: /^ V\S* libx264 /m.test(encoders),
    hasAac: /^ A\S* aac /m.test(encoders),
    hasJpeg: /^ V\S* mjpeg /m.test(encoders),
    protocols: inputProtocols(protocols),
  };
}

/** One a line between `Input:` and `Output:`. */
function inputProtocols(output: string): Set<string> {
  const names = output.split(/^Input:$/m)[1]?.split(/^Output:$/m)[0] ?? '';
  return new Set(names.split(/\s+/).filter((name) => name !== ''));
}

/** Standard output of a short run. */
function run(path: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: RUN_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, killSignal: 'SIGKILL' } as const;
    execFile(path, args, { ...limits, encoding: 'utf8' }, (error, output) => {
      if (error === null) resolve(output);
      else reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_NOT_FOUND, { path, reason: String(error.code) }));
    });
  });
}

/** The package throws on platforms for which it has no binary, and may be missing from an installation. */
function installedByNpm(): string | null {
  try {
    const installed: unknown = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg');
    if (typeof installed !== 'object' || installed === null || !('path' in installed)) return null;
    return typeof installed.path === 'string' ? installed.path : null;
  } catch {
    return null;
  }
}

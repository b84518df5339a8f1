/**
 * Puts workers into a jail. The launcher `native/sluice-jail` gives all protections that the kernel has; without
 * it, util-linux gives some; without that, there are none. The effective restrictions are determined once at startup, for the
 * log.
 */

import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findExecutable } from './executable.ts';

/** Where `node native/build.mjs` puts the launcher; the picture server is next to it. */
export const LAUNCHER_PATH = fileURLToPath(new URL('../../native/build/sluice-jail', import.meta.url));

/** The user `nobody` on every Linux, for workers if the gateway runs as root. */
const UNPRIVILEGED_ID = 65_534;
const PICTURE_SERVER = 'picture-server.so';
const REPORT_TIMEOUT_MS = 5_000;
const MAX_REPORT_BYTES = 64 * 1024;
/** Address space of a worker, and of one that makes still images: ffmpeg's libraries, and an 8K frame several times. */
const MEMORY_MIB = 3_072;
const PICTURE_SERVER_MEMORY_MIB = 1_536;
const MAX_DESCRIPTORS = 64;
/** As in native/privileges.c. */
const CPU_GRACE_SEC = 10;
/** Options of setpriv(1). */
const UNPRIVILEGED_USER_ARGS = [
  ...['--reuid', String(UNPRIVILEGED_ID), '--regid', String(UNPRIVILEGED_ID)],
  '--clear-groups',
];

export interface JailProtections {
  /** Killed when the gateway ends, however it ends. */
  readonly parentDeath: boolean;
  readonly noNewPrivileges: boolean;
  /** Memory, descriptors, no files written, no core. */
  readonly limits: boolean;
  /** Only a media worker's system calls; no network where none is needed, no exec, no fork. */
  readonly seccomp: boolean;
  /** Reads nothing but system libraries and certificates. */
  readonly landlock: boolean;
  /** Connects to the camera's address only; without this, to the camera's port on any host. */
  readonly networkNamespace: boolean;
  /** Has no capabilities, whatever the gateway has. */
  readonly capabilities: boolean;
  /** Runs as an unprivileged user; false if it runs as the gateway's own user. */
  readonly unprivilegedUser: boolean;
}

export interface JailDescription {
  readonly launcher: 'sluice-jail' | 'util-linux' | 'none';
  readonly protections: JailProtections;
  /** 0: none. */
  readonly landlockAbi: number;
}

export interface JailedCommand {
  readonly command: string;
  readonly args: string[];
}

/** The only place that a worker can connect to. */
export interface WorkerNetwork {
  /** Numeric: the jail cannot resolve names. */
  readonly address: string;
  readonly port: number;
  /** Whether UDP can come from there as well. */
  readonly udp: boolean;
}

export interface WrapOptions {
  /** The camera that the worker pulls; null: no network. */
  readonly network: WorkerNetwork | null;
  /** Descriptors that the worker gets besides 0, 1 and 2. */
  readonly keepFds?: readonly number[];
  /**
   * The program becomes a picture server (native/picture-server.c). Only without network, and only if
   * `hasPictureServer`; otherwise it has no effect.
   */
  readonly isPictureServer?: boolean;
  /** Processor time, in seconds: then SIGXCPU, and SIGKILL soon after. Default: no limit. */
  readonly cpuSec?: number;
}

export interface Jail {
  /** `command` is an absolute path. This process must spawn the result, without a shell. */
  wrap(command: string, args: readonly string[], options: WrapOptions): JailedCommand;
  describe(): JailDescription;
  /** Whether a program can stay loaded between pictures. */
  readonly hasPictureServer: boolean;
  /** The launcher that runs every wrapped command, if it can be a spawner (spawner.ts) too. */
  readonly launcherPath?: string | undefined;
}

export interface CreateJailOptions {
  readonly launcherPath?: string;
  /** Folders with `setpriv` and `prlimit`, as in PATH. Default: this process's. */
  readonly searchPath?: string;
}

const NO_PROTECTIONS: JailProtections = {
  parentDeath: false,
  noNewPrivileges: false,
  limits: false,
  seccomp: false,
  landlock: false,
  networkNamespace: false,
  capabilities: false,
  unprivilegedUser: false,
};

/** Never fails: `describe()` lists missing protections. */
export async function createJail(options: CreateJailOptions = {}): Promise<Jail> {
  const launcherPath = options.launcherPath ?? LAUNCHER_PATH;
  const report = await askLauncher(launcherPath);
  // Without these, the launcher rightly refuses to run anything: then util-linux is better than nothing.
  if (report?.seccomp && report.limits && report.parentDeath && report.capabilities) {
    return new LauncherJail(launcherPath, report, await findPictureServer(launcherPath));
  }
  const searchPath = options.searchPath ?? process.env.PATH ?? '';
  const setpriv = await findExecutable('setpriv', searchPath);
  const prlimit = await findExecutable('prlimit', searchPath);
  return new UtilLinuxJail(setpriv, prlimit, setpriv !== null && (await canChangeUser(setpriv)));
}

async function findPictureServer(launcherPath: string): Promise<string | null> {
  const path = join(dirname(launcherPath), PICTURE_SERVER);
  return access(path, constants.R_OK).then(
    () => path,
    () => null,
  );
}

/** Not every root can: a container may map one user only, or have taken the capability. */
function canChangeUser(setpriv: string): Promise<boolean> {
  if (!isRoot()) return Promise.resolve(false);
  return new Promise((resolve) => {
    const args = [...UNPRIVILEGED_USER_ARGS, '--', setpriv, '--version'];
    execFile(setpriv, args, { timeout: REPORT_TIMEOUT_MS }, (error) => resolve(error === null));
  });
}

interface LauncherReport {
  /** It can be one; false: it was built from older sources. */
  readonly spawner: boolean;
  /** It can limit processor time; false: as above. */
  readonly cpuLimit: boolean;
  readonly landlockAbi: number;
  readonly landlock: boolean;
  readonly seccomp: boolean;
  readonly limits: boolean;
  readonly parentDeath: boolean;
  readonly networkNamespace: boolean;
  readonly capabilities: boolean;
  readonly unprivilegedUser: boolean;
}

class LauncherJail implements Jail {
  readonly #path: string;
  readonly #report: LauncherReport;
  /** null: it was not built. */
  readonly #pictureServerPath: string | null;

  constructor(path: string, report: LauncherReport, pictureServerPath: string | null) {
    this.#path = path;
    this.#report = report;
    this.#pictureServerPath = pictureServerPath;
  }

  get launcherPath(): string | undefined {
    return this.#report.spawner ? this.#path : undefined;
  }

  get hasPictureServer(): boolean {
    return this.#pictureServerPath !== null;
  }

  wrap(command: string, args: readonly string[], options: WrapOptions): JailedCommand {
    const jailArgs = ['--parent', String(process.pid)];
    jailArgs.push(...this.#networkArgs(options.network));
    if (this.#report.unprivilegedUser) jailArgs.push('--uid', String(UNPRIVILEGED_ID));
    const serverPath = options.isPictureServer ? this.#pictureServerPath : null;
    jailArgs.push('--memory-mib', String(serverPath === null ? MEMORY_MIB : PICTURE_SERVER_MEMORY_MIB));
    if (options.cpuSec !== undefined && this.#report.cpuLimit) {
      jailArgs.push('--cpu-sec', String(options.cpuSec));
    }
    if (serverPath !== null) jailArgs.push('--picture-server', serverPath);
    for (const fd of options.keepFds ?? []) jailArgs.push('--keep-fd', String(fd));
    return { command: this.#path, args: [...jailArgs, '--', command, ...args] };
  }

  /** UDP comes from ports that the camera chooses, so a relay cannot carry it. */
  #networkArgs(network: WorkerNetwork | null): string[] {
    if (network === null) return ['--no-network'];
    const args = ['--camera', network.address, String(network.port)];
    if (network.udp) args.push('--udp');
    else if (this.#report.networkNamespace) args.push('--network-namespace');
    return args;
  }

  describe(): JailDescription {
    const { landlockAbi, spawner: _spawner, cpuLimit: _cpuLimit, ...held } = this.#report;
    return {
      launcher: 'sluice-jail',
      landlockAbi,
      protections: { ...held, noNewPrivileges: true },
    };
  }
}

/** `setpriv` and `prlimit` of util-linux, each used if present. */
class UtilLinuxJail implements Jail {
  readonly hasPictureServer = false;
  readonly #setpriv: string | null;
  readonly #prlimit: string | null;
  readonly #changesUser: boolean;

  constructor(setpriv: string | null, prlimit: string | null, changesUser: boolean) {
    this.#setpriv = setpriv;
    this.#prlimit = prlimit;
    this.#changesUser = changesUser;
  }

  wrap(command: string, args: readonly string[], { cpuSec }: Pick<WrapOptions, 'cpuSec'>): JailedCommand {
    const vector: string[] = [];
    if (this.#prlimit !== null) {
      const memoryBytes = MEMORY_MIB * 1024 * 1024;
      vector.push(
        this.#prlimit,
        `--as=${memoryBytes}`,
        `--nofile=${MAX_DESCRIPTORS}`,
        '--fsize=0',
        '--core=0',
        ...(cpuSec === undefined ? [] : [`--cpu=${cpuSec}:${cpuSec + CPU_GRACE_SEC}`]),
        '--',
      );
    }
    if (this.#setpriv !== null) {
      vector.push(
        this.#setpriv,
        '--no-new-privs',
        '--pdeathsig',
        'KILL',
        '--inh-caps=-all',
        '--ambient-caps=-all',
      );
      if (this.#changesUser) vector.push(...UNPRIVILEGED_USER_ARGS);
      vector.push('--');
    }
    vector.push(command, ...args);
    return { command: vector[0]!, args: vector.slice(1) };
  }

  describe(): JailDescription {
    const hasSetpriv = this.#setpriv !== null;
    return {
      launcher: hasSetpriv || this.#prlimit !== null ? 'util-linux' : 'none',
      landlockAbi: 0,
      protections: {
        ...NO_PROTECTIONS,
        parentDeath: hasSetpriv,
        noNewPrivileges: hasSetpriv,
        capabilities: hasSetpriv,
        unprivilegedUser: this.#changesUser,
        limits: this.#prlimit !== null,
      },
    };
  }
}

/** The launcher's report about this kernel; null without a working launcher. */
function askLauncher(path: string): Promise<LauncherReport | null> {
  return new Promise((resolve) => {
    const args = ['--report', '--uid', String(UNPRIVILEGED_ID)];
    const limits = { timeout: REPORT_TIMEOUT_MS, maxBuffer: MAX_REPORT_BYTES, encoding: 'utf8' } as const;
    execFile(path, args, limits, (error, output) => {
      resolve(error === null ? parseReport(output) : null);
    });
  });
}

/** The JSON of `sluice-jail --report`; null if it is anything else. */
export function parseReport(text: string): LauncherReport | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null; // not our launcher
  }
  if (typeof value !== 'object' || value === null) return null;
  const fields = value as Record<string, unknown>;
  const holds = (name: string): boolean => fields[name] === true;
  return {
    spawner: holds('spawner'),
    cpuLimit: holds('cpuLimit'),
    landlockAbi: typeof fields.landlockAbi === 'number' ? fields.landlockAbi : 0,
    landlock: holds('landlock'),
    seccomp: holds('seccomp'),
    limits: holds('limits'),
    parentDeath: holds('parentDeath'),
    networkNamespace: holds('networkNamespace'),
    capabilities: holds('capabilities'),
    unprivilegedUser: holds('unprivilegedUser') && isRoot(),
  };
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

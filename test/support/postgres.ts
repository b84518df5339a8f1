/**
 * The test's own real PostgreSQL server: Debian's programs, a new cluster in a temporary folder, a loopback port.
 * The programs refuse to run as root: then they run as the user that Debian creates for them.
 */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { CredentialUrl } from '../../src/core/secret.ts';
import { Child } from './child.ts';
import { freePort } from './ports.ts';

const run = promisify(execFile);

/** Where Debian keeps each version's programs. */
const DEBIAN_VERSIONS = '/usr/lib/postgresql';
const DEBIAN_USER = 'postgres';
/** With characters that a URL must escape. */
export const POSTGRES_PASSWORD = 'hush/#1 @;%';
const SUPERUSER = 'sluice';

export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #bin: string;
  #child: Child | null = null;
  #databases = 0;

  private constructor(folder: string, bin: string, port: number) {
    this.#folder = folder;
    this.#bin = bin;
    this.port = port;
  }

  static async start(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-postgres-'));
    const server = new PostgresServer(folder, programFolder(), await freePort());
    try {
      await server.#initialise();
      await server.run();
    } catch (error) {
      await server.dispose();
      throw error;
    }
    return server;
  }

  /** The database's URL with its password; by default, that of a database that always exists. */
  url(database = 'postgres'): CredentialUrl {
    const password = encodeURIComponent(POSTGRES_PASSWORD);
    return new CredentialUrl(`postgres://${SUPERUSER}:${password}@127.0.0.1:${this.port}/${database}`);
  }

  /** Where its Unix socket is. */
  get socketFolder(): string {
    return this.#folder;
  }

  /** Makes an empty database. */
  async createDatabase(options = ''): Promise<CredentialUrl> {
    const name = `test_${this.#databases++}`;
    await this.sql(`create database ${name} ${options}`);
    return this.url(name);
  }

  /** Runs statements, by default in the database that always exists; returns the last one's rows. */
  async sql(text: string, url = this.url()): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url.reveal() });
    await client.connect();
    try {
      const result = await client.query(text);
      return [result].flat().at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  /** Starts it again, on the same port, with the data it had. */
  async run(): Promise<void> {
    // Tests crash the server, not the machine: writes need not reach the disk.
    const args = ['-D', this.#data, '-p', String(this.port), '-c', 'fsync=off', '-c', 'full_page_writes=off'];
    this.#child = new Child(...asServerUser(join(this.#bin, 'postgres'), args));
    await this.#child.line(/database system is ready to accept connections/);
  }

  /** SIGQUIT: ends as in a crash, without writing anything more. SIGINT: closes all connections in an orderly way. */
  async stop(signal: 'SIGQUIT' | 'SIGINT' = 'SIGINT'): Promise<void> {
    await this.#child?.end(signal);
  }

  /** All its processes stop where they are: connections stay open, and nothing responds. */
  freeze(): void {
    this.#signalAll('SIGSTOP');
  }

  thaw(): void {
    this.#signalAll('SIGCONT');
  }

  /** The server first: it starts no other process then. Each of its processes has a group of its own. */
  #signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = this.#child!.process.pid!;
    process.kill(pid, signal);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number);
    for (const child of children) if (child > 0) process.kill(child, signal);
  }

  async dispose(): Promise<void> {
    await this.stop('SIGQUIT');
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  async #initialise(): Promise<void> {
    const passwordFile = join(this.#folder, 'password');
    await writeFile(passwordFile, POSTGRES_PASSWORD, { mode: 0o600 });
    const user = await serverUser();
    if (user !== null) for (const path of [this.#folder, passwordFile]) await chown(path, user.uid, user.gid);
    await chmod(this.#folder, 0o700);
    const options = [
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--auth=scram-sha-256',
      `--username=${SUPERUSER}`,
    ];
    const [command, args] = asServerUser(join(this.#bin, 'initdb'), [
      ...['-D', this.#data, `--pwfile=${passwordFile}`, ...options],
    ]);
    await run(command, args);
    // Without statistics for a table that was just filled, lookups are planned badly; autovacuum provides them
    // after a minute.
    const settings = [
      "autovacuum_naptime = '1s'",
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${this.#folder}'`,
    ];
    await writeFile(join(this.#data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  }
}

/** The newest version's programs. */
function programFolder(): string {
  const versions = existsSync(DEBIAN_VERSIONS) ? readdirSync(DEBIAN_VERSIONS) : [];
  const folders = [
    ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN_VERSIONS, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined)
    throw new Error('PostgreSQL is not installed: scripts/setup.mjs names the package');
  return found;
}

function asServerUser(program: string, args: string[]): [string, string[]] {
  if (process.getuid?.() !== 0) return [program, args];
  // The kernel forgets what ends with its parent when it gets another user.
  const end = '--pdeathsig=QUIT';
  const identity = [end, `--reuid=${DEBIAN_USER}`, `--regid=${DEBIAN_USER}`, '--init-groups'];
  return ['setpriv', [...identity, '--', program, ...args]];
}

/** null: this process's own user. */
async function serverUser(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  const users = await readFile('/etc/passwd', 'utf8');
  const [, , uid, gid] =
    users
      .split('\n')
      .find((line) => line.startsWith(`${DEBIAN_USER}:`))
      ?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * A twin of PostgreSQL: the product's repositories over SQLite in memory, one database for all nodes behind the simulation's
 * network. Triggers write the log of changes, and the product's follower reads it through a twin of its client.
 */

import { EventEmitter } from 'node:events';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type pg from 'pg';
import type { Clock } from '../../src/core/clock.ts';
import { GatewayError } from '../../src/core/errors.ts';
import type { Ruuid } from '../../src/core/ruuid.ts';
import { wireErrorOf } from '../../src/core/wire-error.ts';
import { STORE_ERRORS } from '../../src/store/errors.ts';
import type { LogResponse } from '../../src/store/postgres/change-log.ts';
import type { LogClient } from '../../src/store/postgres/change-log-follower.ts';
import { DatabaseConnection } from '../../src/store/sqlite/database-connection.ts';
import { openLocalDatabase } from '../../src/store/sqlite/local-database-fixture.ts';
import type {
  ReplyPort,
  RequestPort,
  WorkerReply,
  WorkerRequest,
} from '../../src/store/sqlite/worker-protocol.ts';
import { type Hold, type Moment, NO_HOLD } from './moment.ts';
import { type Network, Pipe } from './network.ts';
import type { ListedFile } from './recordings.ts';
import { Host, type World } from './world.ts';

/** A request without a reply fails after that. */
const RESPONSE_TIMEOUT_MS = 5_000;
const SERVICE_MS = 1;

/** Logged tables: the nodes of the simulation follow them. */
const LOGGED: readonly (readonly [table: string, entity: string | null, org: string, uuid: string])[] = [
  // The kind of a resource is in its row.
  ['resources', null, 'org_uuid', 'uuid'],
  ['cameras', 'camera', 'org_uuid', 'uuid'],
  ['shares', 'share', 'org_uuid', 'uuid'],
  ['schedules', 'schedule', 'org_uuid', 'uuid'],
  ['locations', 'location', 'org_uuid', 'uuid'],
  ['ended_views', 'endedView', 'org_uuid', 'link_uuid'],
];

export class SimulatedDatabase {
  readonly host = new Host('database');
  readonly #world: World;
  readonly #network: Network;
  readonly #db: DatabaseSync;
  readonly #connection: DatabaseConnection;
  readonly #newest: StatementSync;
  readonly #seen: StatementSync;
  readonly #fresh: StatementSync;
  readonly #recordings: StatementSync;
  readonly #numbers: StatementSync;
  readonly #clients = new Set<SimulatedClient>();
  readonly #waiting = new Map<Host, number>();
  #origin = '';
  #isUp = true;
  #notifiedId = 0;
  /** Number of writes whose commit happens while the reply is lost. */
  lostReplies = 0;

  constructor(world: World, network: Network) {
    this.#world = world;
    this.#network = network;
    this.#db = openLocalDatabase();
    this.#db.exec('pragma trusted_schema = on');
    this.#db.function('unixepoch', () => world.epochMs / 1_000);
    this.#db.function('sim_origin', () => this.#origin);
    this.#db.exec(logDdl());
    this.#newest = this.#db.prepare('select max(id) as id from sim_change_log');
    this.#seen = this.#db.prepare('select id from sim_change_log where id = ?');
    this.#fresh = this.#db.prepare(
      'select * from sim_change_log where id > ? and origin <> ? order by id limit ?',
    );
    this.#recordings = this.#db.prepare('select * from recordings order by camera_uuid, number');
    this.#numbers = this.#db.prepare(
      "select next_media_sequence_number as next from stream_ledger where camera_uuid = ? and rendition = 'main'",
    );
    this.#connection = new DatabaseConnection(this.#db, null, () => undefined);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  stop(): void {
    this.#isUp = false;
    for (const client of this.#clients) client.reset();
    this.#clients.clear();
  }

  start(): void {
    this.#isUp = true;
  }

  close(): void {
    this.#db.close();
  }

  /** Every row of the catalog. */
  recordings(): ListedFile[] {
    return this.#recordings.all().map((row) => ({
      cameraUuid: String(row.camera_uuid) as Ruuid,
      rendition: row.rendition === 'key-frames' ? 'key-frames' : 'main',
      number: Number(row.number),
      endMs: Number(row.end_ms),
      byteLength: Number(row.byte_length),
      segments: String(row.segments_json),
    }));
  }

  /** The first number of the camera's stream that is not reserved; null: none is. */
  reservedUntil(cameraUuid: Ruuid): number | null {
    const row = this.#numbers.get(cameraUuid);
    return row === undefined ? null : Number(row.next);
  }

  /** A process's port for openStore, with kind `sqlite-port`. */
  port(of: Host, clock: Clock, origin: string): RequestPort {
    let respond: (request: WorkerRequest) => void = () => undefined;
    let responded: (reply: WorkerReply) => void = () => undefined;
    const replies: ReplyPort = {
      postMessage: (reply) => responded(structuredClone(reply)),
      on: (_event, listener) => {
        respond = listener;
      },
      once: () => undefined,
      close: () => undefined,
      ref: () => undefined,
      unref: () => undefined,
    };
    this.#connection.connect(replies);
    return new SimulatedPort(this.#network, of, clock, {
      database: this,
      answer: (request, onReply) => {
        this.#origin = origin;
        responded = onReply;
        respond(request);
        this.#notify();
      },
    });
  }

  /** A client for the follower of a process. */
  logClient(of: Host, clock: Clock): (config: pg.ClientConfig) => LogClient {
    return (config) => new SimulatedClient(this, this.#network, of, clock, config) as unknown as LogClient;
  }

  /** Requests of a process that have no reply yet. */
  waitingOf(of: Host): number {
    return this.#waiting.get(of) ?? 0;
  }

  /** It sends a request (1), or has its reply (-1). */
  waits(of: Host, change: 1 | -1): void {
    this.#waiting.set(of, this.waitingOf(of) + change);
  }

  listens(client: SimulatedClient): void {
    this.#clients.add(client);
  }

  gone(client: SimulatedClient): void {
    this.#clients.delete(client);
  }

  serviceMs(): number {
    return this.#world.random.next() * SERVICE_MS;
  }

  /** The query of change-log.ts. */
  readLog(values: readonly unknown[]): LogResponse {
    const [newestId, , origin, limit] = values as [number, string, string, number];
    const newest = this.#newest.get()?.id ?? null;
    const seen = this.#seen.get(newestId);
    const rows = this.#fresh.all(newestId, origin, limit);
    return {
      snapshot: '',
      pruned_id: 0,
      newest_id: newest === null ? null : Number(newest),
      newest_xid: newest === null ? null : String(newest),
      seen_xid: seen === undefined ? null : String(seen.id),
      has_old_rows: false,
      rows: rows.map((row) => ({
        entity: String(row.entity),
        type: String(row.type),
        org_uuid: String(row.org_uuid),
        uuid: String(row.uuid),
        device_uuid: null,
        fields: null,
      })),
    };
  }

  #notify(): void {
    const id = Number(this.#newest.get()?.id ?? 0);
    if (id === this.#notifiedId) return;
    this.#notifiedId = id;
    for (const client of this.#clients) client.notify(this.#origin);
  }
}

function logDdl(): string {
  const triggers = LOGGED.flatMap(([table, entity, org, uuid]) =>
    (['insert', 'update', 'delete'] as const).map((operation) => {
      const row = operation === 'delete' ? 'old' : 'new';
      const type = { insert: 'CREATE', update: 'UPDATE', delete: 'DELETE' }[operation];
      return `create trigger sim_${table}_${operation} after ${operation} on ${table} begin
        insert into sim_change_log (origin, entity, type, org_uuid, uuid)
        values (sim_origin(), ${entity === null ? `${row}.kind` : `'${entity}'`}, '${type}', ${row}.${org}, ${row}.${uuid}); end;`;
    }),
  );
  return `create table sim_change_log (id integer primary key autoincrement, origin text, entity text, type text,
    org_uuid text, uuid text); ${triggers.join('\n')}`;
}

interface PortServer {
  readonly database: SimulatedDatabase;
  answer(request: WorkerRequest, onReply: (reply: WorkerReply) => void): void;
}

/** The requests of one process, one after the other. */
class SimulatedPort extends EventEmitter implements RequestPort {
  readonly #network: Network;
  readonly #of: Host;
  readonly #clock: Clock;
  readonly #server: PortServer;
  #writes: Lane;
  /** The product reads and beats over connections of their own. Without moments, one connection stands for all. */
  #reads: Lane;
  #beats: Lane;

  constructor(network: Network, of: Host, clock: Clock, server: PortServer) {
    super();
    this.#network = network;
    this.#of = of;
    this.#clock = clock;
    this.#server = server;
    this.#writes = this.#lane();
    this.#reads = network.moments === null ? this.#writes : this.#lane();
    this.#beats = network.moments === null ? this.#writes : this.#lane();
  }

  postMessage(request: WorkerRequest): void {
    const { id } = request;
    this.#server.database.waits(this.#of, 1);
    let isSettled = false;
    const settle = (reply: WorkerReply): void => {
      if (isSettled) return;
      isSettled = true;
      this.#server.database.waits(this.#of, -1);
      deadline.cancel();
      this.emit('message', reply);
      if (request.op === 'leave') this.emit('close');
    };
    const fail = (detail: string): void =>
      settle({
        id,
        ok: false,
        failure: wireErrorOf(new GatewayError(STORE_ERRORS.STORE_UNREACHABLE, {}, detail)),
      });
    const hold = this.#network.about(momentOf(request), this.#of, this.#server.database.host.name);
    const lane = this.#laneOf(request, hold);
    const deadline = this.#clock.after(RESPONSE_TIMEOUT_MS, () => {
      this.#replace(lane);
      fail('timeout');
    });
    const { back } = lane;
    lane.to.send(() => {
      const { database } = this.#server;
      if (!database.isUp) {
        back.send(() => fail('refused'));
        return;
      }
      this.#server.answer(request, (reply) => {
        const isWrite = request.op === 'run' && request.access === 'write';
        if (isWrite && database.lostReplies > 0) {
          database.lostReplies--;
          back.send(() => fail('connection lost'));
          return;
        }
        back.send(() => settle(reply), hold.replyMs);
      });
    }, hold.requestMs);
  }

  close(): void {
    this.emit('close');
  }

  ref(): void {}

  unref(): void {}

  #laneOf(request: WorkerRequest, hold: Hold): Lane {
    if (request.op !== 'run') return this.#writes;
    if (request.texts[0]?.startsWith('insert into "cluster_reliances"')) return this.#beats;
    if (request.access === 'write') return this.#writes;
    // A held request keeps one of several connections for reading busy.
    return hold === NO_HOLD ? this.#reads : this.#lane();
  }

  /** Another connection takes its place: what waits on this one may or may not arrive. */
  #replace(lane: Lane): void {
    const next = this.#lane();
    if (lane === this.#reads) this.#reads = next;
    if (lane === this.#beats) this.#beats = next;
    if (lane === this.#writes) this.#writes = next;
  }

  #lane(): Lane {
    const { host } = this.#server.database;
    const to = new Pipe(this.#network, this.#of, host, () => undefined);
    return { to, back: new Pipe(this.#network, host, this.#of, () => undefined) };
  }
}

/** Both directions of a connection. */
interface Lane {
  readonly to: Pipe;
  readonly back: Pipe;
}

/** null: nothing that others rely on. */
function momentOf(request: WorkerRequest): Moment | null {
  if (request.op !== 'run') return null;
  for (const text of request.texts) {
    if (text.includes('"stream_ledger"'))
      return request.access === 'read' ? 'reads numbers' : 'stores numbers';
    if (text.startsWith('insert into "cluster_leases"')) return 'claims a camera';
    if (text.startsWith('update "cluster_leases"')) return 'gives a lease back';
    if (text.startsWith('insert into "ended_views"')) return 'stores the end of a view';
    if (text.includes('"cluster_reliances"') && request.access === 'read') return 'looks for an owner';
  }
  return null;
}

/** The part of a PostgreSQL client that the follower of the log of changes uses. */
class SimulatedClient extends EventEmitter {
  readonly #database: SimulatedDatabase;
  readonly #clock: Clock;
  readonly #config: pg.ClientConfig;
  readonly #to: Pipe;
  readonly #back: Pipe;
  #isOver = false;

  constructor(
    database: SimulatedDatabase,
    network: Network,
    of: Host,
    clock: Clock,
    config: pg.ClientConfig,
  ) {
    super();
    this.#database = database;
    this.#clock = clock;
    this.#config = config;
    this.#to = new Pipe(network, of, database.host, () => this.#broken());
    this.#back = new Pipe(network, database.host, of, () => undefined);
  }

  connect(): Promise<void> {
    return this.#exchange(Number(this.#config.connectionTimeoutMillis ?? 1_500), () => undefined);
  }

  query(query: string | { readonly text: string; readonly values: readonly unknown[] }): Promise<unknown> {
    const timeoutMs = Number(this.#config.query_timeout ?? 800);
    if (typeof query === 'string') return this.#exchange(timeoutMs, () => this.#database.listens(this));
    return this.#exchange(timeoutMs, () => ({ rows: [this.#database.readLog(query.values)] }));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#database.gone(this);
    this.#to.end();
    this.#back.end();
  }

  notify(origin: string): void {
    this.#back.send(() => this.emit('notification', { channel: 'sluice_changes', payload: origin }));
  }

  reset(): void {
    this.#back.send(() => this.#broken());
  }

  #broken(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.emit('error', new Error('Connection terminated unexpectedly'));
  }

  #exchange<T>(timeoutMs: number, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) {
        reject(new Error('Client was closed'));
        return;
      }
      const deadline = this.#clock.after(timeoutMs, () => reject(new Error('Query read timeout')));
      this.#to.send(() => {
        if (!this.#database.isUp) {
          this.#back.send(() => reject(new Error('connect ECONNREFUSED')));
          return;
        }
        const response = work();
        this.#back.send(() => {
          deadline.cancel();
          resolve(response);
        });
      });
    });
  }
}

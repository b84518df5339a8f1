/**
 * Simulated cameras: five frames a second, a key frame every two seconds, to everyone who is connected. The bytes of a frame say
 * which one it is. A camera stops, restarts, falls silent, jumps in its timestamps and changes its parameter sets.
 */

import { FAKE_VIDEO } from '../../src/cmaf/fake-camera.ts';
import type { AccessUnit, H264Track } from '../../src/codec/track.ts';
import { defineErrors, GatewayError } from '../../src/core/errors.ts';
import type { Ruuid } from '../../src/core/ruuid.ts';
import type { Source, SourceInstance } from '../../src/stream/source/source.ts';
import type { SourceSink } from '../../src/stream/source/source-sink.ts';
import type { Network } from './network.ts';
import { ARRIVALS, Host, type HostClock, type World } from './world.ts';

const ERRORS = defineErrors({
  SIMULATED_CAMERA_AWAY: { kind: 'peer-refused', message: 'The simulated camera is away.' },
  SIMULATED_CAMERA_ENDED: { kind: 'peer-protocol', message: 'The simulated camera ended the connection.' },
});

export const FRAME_MS = 200;
const FRAMES_PER_GROUP = 10;
const TICKS_PER_MS = 90;
const CONNECT_MS = 60;
const KEY_BYTES = 240;
const OTHER_BYTES = 60;
/** Before the numbers in a frame. */
const MARK = Buffer.from('SIMF');
const NUMBERS_AT = 9;
const NUMBERS_BYTES = 9;

/** Which frame it is. Frames of one camera are in the order of `boot` and `index`. */
export interface FrameId {
  readonly camera: number;
  readonly boot: number;
  readonly index: number;
}

/** The frames in media, in order. */
export function framesIn(media: Buffer): FrameId[] {
  const frames: FrameId[] = [];
  for (let at = media.indexOf(MARK); at >= 0; at = media.indexOf(MARK, at + 1)) {
    const numbers = at + MARK.length;
    if (numbers + NUMBERS_BYTES > media.length) break;
    frames.push({
      camera: media.readUInt8(numbers),
      boot: media.readUInt32BE(numbers + 1),
      index: media.readUInt32BE(numbers + 5),
    });
  }
  return frames;
}

interface Connection {
  readonly host: Host;
  readonly clock: HostClock;
  readonly sink: SourceSink;
  /** null: it waits for a key frame. */
  firstIndex: number | null;
  /** Start of its timestamps. */
  jumpTicks: number;
  isOpen: boolean;
  trackVersion: number;
  /** When the last frame arrives. */
  arrivesAtMs: number;
}

export class SimulatedCamera {
  readonly uuid: Ruuid;
  readonly number: number;
  readonly host: Host;
  readonly #world: World;
  readonly #network: Network;
  readonly #connections = new Set<Connection>();
  isOnline = true;
  isSilent = false;
  /** Further ones are refused. */
  maxConnections = Number.POSITIVE_INFINITY;
  #boot = 1;
  #index = 0;
  #trackVersion = 0;
  #isTicking = false;
  #bootedAtMs = 0;

  constructor(world: World, network: Network, number: number, uuid: Ruuid) {
    this.#world = world;
    this.#network = network;
    this.number = number;
    this.uuid = uuid;
    this.host = new Host(`camera${number}`);
  }

  /** Processes that are connected. */
  get pullers(): string[] {
    return [...this.#connections].filter(({ host }) => host.isAlive).map(({ host }) => host.name);
  }

  source(host: Host, clock: HostClock): Source {
    return { engine: 'direct', open: (sink) => this.#open(host, clock, sink) };
  }

  stop(): void {
    this.isOnline = false;
    this.#endAll();
  }

  start(): void {
    this.isOnline = true;
    this.#boot++;
    this.#index = 0;
    this.#bootedAtMs = this.#world.nowMs;
  }

  /** Its RTP timestamps jump. */
  jump(): void {
    const ticks = Math.floor(this.#world.random.between(-20_000, 60_000)) * TICKS_PER_MS;
    for (const connection of this.#connections) connection.jumpTicks += ticks;
  }

  /** With the next key frame. */
  changeParameterSets(): void {
    this.#trackVersion++;
  }

  disconnectAll(): void {
    this.#endAll();
  }

  /** Drops the connections of a killed process without notifying it. */
  forget(host: Host): void {
    for (const connection of this.#connections) {
      if (connection.host === host) this.#connections.delete(connection);
    }
  }

  #open(host: Host, clock: HostClock, sink: SourceSink): SourceInstance {
    const connection: Connection = {
      host,
      clock,
      sink,
      firstIndex: null,
      jumpTicks: 0,
      isOpen: true,
      trackVersion: -1,
      arrivesAtMs: 0,
    };
    const connectMs = CONNECT_MS + this.#network.latencyMs(host, this.host);
    this.#world.after(
      connectMs,
      () => {
        if (!connection.isOpen || this.#network.isBlocked(host, this.host)) return;
        if (!this.isOnline || this.#connections.size >= this.maxConnections) {
          sink.onEnded(new GatewayError(ERRORS.SIMULATED_CAMERA_AWAY));
          return;
        }
        this.#connections.add(connection);
        this.#tick();
      },
      ARRIVALS,
      host,
    );
    return {
      close: async () => {
        connection.isOpen = false;
        this.#connections.delete(connection);
        sink.close();
      },
    };
  }

  #endAll(): void {
    for (const { host, sink } of [...this.#connections]) {
      this.#world.after(
        this.#network.latencyMs(this.host, host),
        () => sink.onEnded(new GatewayError(ERRORS.SIMULATED_CAMERA_ENDED)),
        ARRIVALS,
        host,
      );
    }
    this.#connections.clear();
  }

  #tick(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    const passed = Math.floor((this.#world.nowMs - this.#bootedAtMs) / FRAME_MS);
    this.#index = Math.max(this.#index, passed);
    const dueMs = this.#bootedAtMs + (this.#index + 1) * FRAME_MS - this.#world.nowMs;
    this.#world.after(dueMs, () => {
      this.#isTicking = false;
      this.#index++;
      if (this.isOnline && !this.isSilent) this.#send();
      if (this.#connections.size > 0) this.#tick();
    });
  }

  #send(): void {
    const index = this.#index;
    const boot = this.#boot;
    const isKey = index % FRAMES_PER_GROUP === 0;
    for (const connection of this.#connections) {
      const { host } = connection;
      if (this.#network.isBlocked(this.host, host)) continue;
      const { nowMs } = this.#world;
      // One TCP connection carries the frames: a late one holds up those that follow.
      connection.arrivesAtMs = Math.max(
        connection.arrivesAtMs,
        nowMs + this.#network.latencyMs(this.host, host),
      );
      const waitMs = connection.arrivesAtMs - nowMs;
      this.#world.after(waitMs, () => this.#arrive(connection, boot, index, isKey), ARRIVALS, host);
    }
  }

  #arrive(connection: Connection, boot: number, index: number, isKey: boolean): void {
    const { sink, clock } = connection;
    if (!connection.isOpen) return;
    if (isKey && connection.trackVersion !== this.#trackVersion) {
      connection.trackVersion = this.#trackVersion;
      sink.onTracks([this.#track()]);
    }
    if (connection.firstIndex === null) {
      if (!isKey) return;
      connection.firstIndex = index;
    }
    const dtsTicks = (index - connection.firstIndex) * FRAME_MS * TICKS_PER_MS + connection.jumpTicks;
    const unit: AccessUnit = {
      trackIndex: 0,
      dtsTicks,
      ptsTicks: dtsTicks,
      isKey,
      data: this.#frame(boot, index, isKey),
      arrivalMonoMs: clock.monoMs(),
    };
    sink.onAccessUnit(unit);
  }

  #frame(boot: number, index: number, isKey: boolean): Uint8Array {
    const data = Buffer.alloc(isKey ? KEY_BYTES : OTHER_BYTES);
    data.writeUInt32BE(data.length - 4, 0);
    data.writeUInt8(isKey ? 0x65 : 0x41, 4);
    MARK.copy(data, 5);
    data.writeUInt8(this.number, NUMBERS_AT);
    data.writeUInt32BE(boot, NUMBERS_AT + 1);
    data.writeUInt32BE(index, NUMBERS_AT + 5);
    return data;
  }

  #track(): H264Track {
    const version = this.#trackVersion;
    if (version === 0) return FAKE_VIDEO;
    return {
      ...FAKE_VIDEO,
      widthPx: 640 - 16 * (version % 8),
      pps: [Buffer.from([0x68, 0xeb, version & 0xff])],
    };
  }
}

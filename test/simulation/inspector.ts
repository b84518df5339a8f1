/** Checks every node, again and again: its publications, its cameras, its work. And, once all is quiet, everything. */

import { RELIANCE_MS } from '../../src/cluster/nodes/held-lease.ts';
import type { Ruuid } from '../../src/core/ruuid.ts';
import type { CameraRole } from '../../src/stream/numbering/camera-ownership.ts';
import { GENTLE, REDIS_AWAY } from './faults.ts';
import type { SimulatedNode } from './node.ts';
import type { Simulation } from './simulation.ts';
import { partsOf } from './viewer.ts';

const LOOK_MS = 400;
const QUEUES_LOOK_MS = 250;
const NEWEST = { msn: -1, part: -1, skip: false };
/** A node without a word from the database for so long hears of nothing, and a while longer after that. */
const DEAF_SLACK_MS = 3_500;
/**
 * The node keeps an unneeded lease for 5 s, and then gives it back. A mirror ends without delay. Connections take a while
 * to close.
 */
const UNNEEDED_MS: Readonly<Record<CameraRole, number>> = { owner: 7_000, mirror: 2_000 };
/** Within this time after everything works again, each camera that is watched has new parts. */
export const LIVENESS_MS = 30_000;

/** After a fault that a cluster gets over quickly, every viewer has frames within this time. */
const RECOVERY_MS = 7_000;
/**
 * Limit if Redis was unavailable, too, or until it is available again: the time that leases last without it comes first.
 */
const RELIED_RECOVERY_MS = RELIANCE_MS + 6_000;
/** Other faults have no effect any longer. */
const FORGOTTEN_MS = 40_000;

interface Edge {
  readonly msn: number;
  readonly part: number;
}

export class Inspector {
  readonly #simulation: Simulation;
  /** By process and camera: the newest part that was seen. */
  readonly #edges = new Map<string, Edge>();
  /** By node and camera, since when it is closed there and has this role. */
  readonly #idleSince = new Map<string, { readonly role: CameraRole; readonly ms: number }>();
  #isOver = false;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  begin(): void {
    this.#every(LOOK_MS, () => this.#look());
    this.#every(QUEUES_LOOK_MS, () => this.#lookAtQueues());
  }

  end(): void {
    this.#isOver = true;
  }

  #every(ms: number, look: () => void): void {
    this.#simulation.world.after(ms, () => {
      if (this.#isOver) return;
      look();
      this.#every(ms, look);
    });
  }

  /** Checks that every queue stays within its limit. */
  #lookAtQueues(): void {
    const { nodes, invariants } = this.#simulation;
    for (const node of nodes) {
      if (!node.host.isAlive) continue;
      for (const { what, size, limit } of node.queues.now(node, this.#simulation)) {
        if (size >= 0 && size <= limit) continue;
        invariants.fail('queues stay within their limits', `${what} at ${node.name}: ${size} of ${limit}`);
      }
    }
  }

  #look(): void {
    const { nodes, world, rights, network, database } = this.#simulation;
    for (const node of nodes) {
      const { host, running } = node;
      const isDeaf =
        [!database.isUp, host.isFrozen, !host.isAlive, running === null].includes(true) ||
        network.isBlocked(host, database.host) ||
        network.isBlocked(database.host, host) ||
        network.isSlow(host.name) ||
        network.isSlow('database');
      if (isDeaf) rights.deafUntil(node.name, world.nowMs + DEAF_SLACK_MS);
      if (running !== null && host.isAlive && !host.isFrozen) this.#lookAtWindows(node);
    }
    this.#lookAtOwners();
    this.#lookAtViewers();
    this.#checkNeeds();
  }

  /** Another node soon takes over from a killed owner: within the life of a lease, and the time to a key frame. */
  #lookAtViewers(): void {
    const { faults, viewers, world, nodes, rights, invariants } = this.#simulation;
    const isGentle = faults.isCalm(FORGOTTEN_MS, GENTLE);
    if (!isGentle && !faults.isCalm(FORGOTTEN_MS, [...GENTLE, ...REDIS_AWAY])) return;
    if (!faults.isOver(REDIS_AWAY)) return;
    const recoveryMs = isGentle ? RECOVERY_MS : RELIED_RECOVERY_MS;
    const since = world.nowMs - recoveryMs;
    if (Math.max(faults.lastBegin(GENTLE), faults.lastChange(REDIS_AWAY)) > since) return;
    if (!nodes.some(({ isHealthy, startedMs }) => isHealthy && startedMs < since)) return;
    for (const { name, camera, share, password, isGone, beganMs, lastFrameMs } of viewers) {
      if (isGone || beganMs > since || !rights.isAllowed(share.uuid, password, since)) continue;
      if ((lastFrameMs ?? 0) >= since) continue;
      const forMs = Math.round(world.nowMs - (lastFrameMs ?? beganMs));
      invariants.fail(
        'an owner is followed soon',
        `${name} has no frame of camera ${camera} for ${forMs} ms`,
      );
    }
  }

  #lookAtWindows(node: SimulatedNode): void {
    const { cameras, invariants } = this.#simulation;
    for (const { uuid, number } of cameras.values()) {
      const rendition = node.running!.hub.get(uuid)?.rendition('main') ?? null;
      const playlist = rendition?.playlist(NEWEST) ?? null;
      if (rendition === null || playlist === null || typeof playlist === 'string') continue;
      const key = `${node.running!.cluster.node.run.runId} ${uuid}`;
      const edge = this.#edges.get(key) ?? { msn: -1, part: -1 };
      let newest: Edge = { msn: -1, part: -1 };
      for (const { msn, part } of partsOf(playlist.text)) {
        newest = { msn, part };
        if (!isAfter(newest, edge)) continue;
        const media = rendition.part(msn, part);
        if (media === null || typeof media === 'string') continue;
        invariants.published(number, `${msn}.${part}`, media.bytes, node.name);
        media.release();
      }
      if (newest.msn < 0) continue;
      if (isAfter(edge, newest)) {
        const text = `${edge.msn}.${edge.part} to ${newest.msn}.${newest.part}`;
        invariants.wentBack(`camera ${number} at ${node.name}: from ${text}`);
      }
      this.#edges.set(key, newest);
      this.#checkReserved(uuid, number, newest, node);
    }
  }

  /** Numbers are reserved in the store before they are published, and never given back once they are. */
  #checkReserved(uuid: Ruuid, camera: number, { msn }: Edge, { name }: SimulatedNode): void {
    const { database, invariants } = this.#simulation;
    const untilMsn = database.reservedUntil(uuid) ?? 0;
    if (msn < untilMsn) return;
    invariants.fail(
      'published numbers are reserved',
      `segment ${msn} of camera ${camera} at ${name}, numbers below ${untilMsn}`,
    );
  }

  /** By the holders' own clocks, no two leases of a camera hold at a time. */
  #lookAtOwners(): void {
    const { cameras, nodes, invariants } = this.#simulation;
    for (const { uuid, number } of cameras.values()) {
      const owners = nodes.filter(
        ({ host, running }) => host.isAlive && running !== null && publishes(running, uuid),
      );
      if (owners.length < 2) continue;
      const names = owners.map(({ name }) => name).join(' and ');
      invariants.fail('one owner', `camera ${number} is held by ${names}`);
    }
  }

  /** After everything has worked for a while. */
  checkQuiet(): void {
    const { viewers, world, invariants, nodes, rights, cameras } = this.#simulation;
    const watching = viewers.filter(
      ({ isGone, share, password }) => !isGone && rights.isAllowed(share.uuid, password),
    );
    for (const { name, camera, lastFrameMs } of watching) {
      const sinceMs = world.nowMs - (lastFrameMs ?? 0);
      if (sinceMs > 5_000) {
        invariants.fail(
          'a watched camera publishes again',
          `${name} has no frame of camera ${camera} for ${Math.round(sinceMs)} ms`,
        );
      }
    }
    this.#checkCounts(watching.map(({ share }) => share.uuid));
    for (const { uuid, number, pullers } of cameras.values()) {
      const owners = nodes.filter(({ running }) => running?.cluster.roleOf(uuid) === 'owner');
      if (owners.length > 1) invariants.fail('one owner', `camera ${number} has ${owners.length} owners`);
      if (pullers.length > owners.length) {
        invariants.fail('one puller', `camera ${number}: ${pullers.join(', ')} with ${owners.length} owners`);
      }
      this.#checkStates(uuid, number, owners[0] ?? null);
    }
  }

  /** A camera that is closed at a node, and has been for as long as a lease is kept, has no role there. */
  #checkNeeds(): void {
    const { nodes, cameras, invariants, world } = this.#simulation;
    for (const { name, host, running } of nodes) {
      for (const { uuid, number } of cameras.values()) {
        const role = running?.cluster.roleOf(uuid) ?? null;
        const key = `${name} ${uuid}`;
        // A frozen or dead process gives nothing back.
        const isResting = host.isFrozen || !host.isAlive;
        if (role === null || isResting || running?.hub.get(uuid)?.status().state !== 'idle') {
          this.#idleSince.delete(key);
          continue;
        }
        const known = this.#idleSince.get(key);
        const since = known?.role === role ? known : { role, ms: world.nowMs };
        this.#idleSince.set(key, since);
        if (world.nowMs - since.ms < UNNEEDED_MS[role]) continue;
        invariants.fail(
          'no role without need',
          `${name} is ${role} of camera ${number}, which is closed there`,
        );
      }
    }
  }

  #checkCounts(watched: readonly Ruuid[]): void {
    const { nodes, invariants } = this.#simulation;
    for (const node of nodes) {
      for (const share of new Set(watched)) {
        const expected = watched.filter((each) => each === share).length;
        const counted = node.running?.cluster.viewers.count(share) ?? -1;
        if (counted !== expected) {
          invariants.fail(
            'counts are right',
            `${node.name} counts ${counted} viewers of ${share}, not ${expected}`,
          );
        }
      }
    }
  }

  /** Every node shows the state of a camera as its owner sees it. */
  #checkStates(uuid: Ruuid, number: number, owner: SimulatedNode | null): void {
    const { nodes, invariants } = this.#simulation;
    const actual = owner?.running?.hub.get(uuid)?.report().streamState;
    if (actual === undefined) return;
    for (const { running, name } of nodes) {
      const shown = running?.cluster.states.now().cameras.find(({ cameraUuid }) => cameraUuid === uuid);
      const state = shown?.report.streamState;
      if (state === actual) continue;
      invariants.fail(
        'displayed is actual',
        `camera ${number} is ${actual} at its owner, and ${name} shows ${state}`,
      );
    }
  }
}

function publishes(running: NonNullable<SimulatedNode['running']>, uuid: Ruuid): boolean {
  return running.cluster.roleOf(uuid) === 'owner' && running.cluster.node.leases.isHeld(uuid);
}

function isAfter(one: Edge, other: Edge): boolean {
  return one.msn > other.msn || (one.msn === other.msn && one.part > other.part);
}

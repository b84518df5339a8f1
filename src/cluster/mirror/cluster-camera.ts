/**
 * One camera as a node of a cluster has it: this node pulls it, or mirrors the one that does (docs/design/mirrors.md#mirrors). Which of
 * both is found out while someone here needs the camera, and again whenever it changes.
 */

import { type Clock, pause, type TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import type { ProfileName } from '../../stream/media/renditions.ts';
import type {
  CameraOwnership,
  CameraRole,
  RoleEnd,
  RoleListener,
} from '../../stream/numbering/camera-ownership.ts';
import { LINK_ERRORS } from '../links/errors.ts';
import type { LinkTarget, NodeLink } from '../links/node-link.ts';
import type { LocalStream, PreparedEvents } from '../local-stream/local-stream.ts';
import type { Acquisition, RunSilence } from '../nodes/camera-leases.ts';
import { BEAT_MS } from '../nodes/held-lease.ts';
import { MIRROR_ERRORS } from './errors.ts';

/** Between attempts to find out who owns the camera. */
const RETRY_MS = 200;
/** An attempt waits that long for a link to the owner. Then it checks the lease again while the link keeps opening. */
const LINK_WAIT_MS = 500;
/**
 * An owner that has its lease for so long without saying a word to this node lives, and cannot be reached from here. A node that finds
 * no owner in this time, and cannot become it, is cut off.
 */
const UNREACHED_MS = 2_500;
/** How long a link whose end is LINK_SILENT was silent. */
const SILENT_MS = 2_000;
/** How long the camera stays open in parallel with a lease that is expected to end: longer than a lease lasts. */
const PREPARED_MS = 5_000;
/** An owner that relies on the store, and has not beaten for so long, has most likely ended, or loses its lease. */
const MISSED_BEATS_MS = 2 * BEAT_MS;
/** The camera is opened that long before such a lease ends: a key frame comes in that time. */
const PREPARED_BEFORE_MS = 3_000;
/** How long a lease is kept that is not needed here: another node that requested it begins to mirror in this time. */
const UNNEEDED_MS = 5_000;

export interface CameraOwner extends LinkTarget {
  readonly isSelf: boolean;
  /** Silence of an owner that relies on the store; null or none: its lease is in Redis. */
  readonly silence?: RunSilence | null;
}

/** Looks up leases and nodes, and acquires leases. */
export interface CameraPlaces {
  /** The holder of the camera's lease; null: none. Fails while that cannot be known. */
  ownerOf(cameraUuid: Ruuid): Promise<CameraOwner | null>;
  acquire(cameraUuid: Ruuid): Promise<Acquisition>;
  release(cameraUuid: Ruuid): Promise<void>;
  /** Whether the lease holds by the clock of this node, at this moment. Cheap. */
  isHeld(cameraUuid: Ruuid): boolean;
  /** Live nodes that take cameras, the one that should pull this one first. */
  ranked(cameraUuid: Ruuid): readonly CameraOwner[];
  /** The run has most likely ended. */
  suspect(runId: string): void;
  linkTo(target: LinkTarget): Promise<NodeLink>;
}

/** One stream of the camera. */
export interface RoleMember {
  readonly profile: ProfileName;
  /** The engine of the camera itself. */
  readonly engine: string;
  /** The camera itself, if this node owns it. */
  readonly local: LocalStream | null;
  /** The camera itself, opened in parallel with the mirror of another node. It is played if this node becomes the owner. */
  readonly prepared: LocalStream | null;
  prepare(events: PreparedEvents): void;
  endPrepared(): void;
  /**
   * Opens and closes what its role asks for. Called with null before another role, and when there is none. `isReady`: resolves when
   * there are numbers for the published segments.
   */
  play(role: CameraRole | null, link: NodeLink | null, isReady: Promise<unknown>): void;
  /** The owner cannot be reached from this node. */
  fail(error: GatewayError): void;
}

export interface ClusterCameraOptions {
  readonly cameraUuid: Ruuid;
  readonly places: CameraPlaces;
  readonly clock: Clock;
  readonly log: Log;
  /** This node owns it no longer. */
  readonly onGivenUp: () => void;
  /** It has another role, or none. Must not throw. */
  readonly onRole: (role: CameraRole | null) => void;
  /** After everything here has followed it. Must not throw. */
  readonly onSettled?: () => void;
  /** This node owns it, and what it publishes has numbers: what others want of it can begin. Must not throw. */
  readonly onOwned?: () => void;
  /** This node owns it, and has a first key frame of this stream over a connection that it opened as its owner. Must not throw. */
  readonly onBegun?: (profile: ProfileName) => void;
}

export class ClusterCamera implements CameraOwnership {
  readonly #options: ClusterCameraOptions;
  readonly #members = new Set<RoleMember>();
  readonly #listeners = new Set<RoleListener>();
  readonly #cutOffListeners = new Set<() => void>();
  #isCutOff = false;
  /** Without a role: ends the time in which it may still be found. */
  #unfound: TimerHandle | null = null;
  #role: CameraRole | null = null;
  #fence = 0;
  /** To the owner; null: this node is it, or it is not known. */
  #link: NodeLink | null = null;
  /** Everyone has done what the role asks for. */
  #isReady: Promise<unknown> = Promise.resolve();
  #isSearching = false;
  /** When a reachable node last refused to be the owner. */
  #refusedMonoMs = Number.NEGATIVE_INFINITY;
  /** It refused again right after that: the next search waits. */
  #isRefusedAgain = false;
  #unneeded: TimerHandle | null = null;
  /** The run that its owner, now or before, named for when it is lost: it mirrors the most of the camera. */
  #heirRunId: string | null = null;
  /** Nodes that did not do what they should, at this attempt. */
  readonly #avoided = new Set<string>();
  /** The owner without a link to it, and since when. */
  #unreached: { readonly runId: string; readonly sinceMonoMs: number } | null = null;
  /** The camera is open here before its owner's lease has ended; ends that. */
  #prepared: TimerHandle | null = null;
  #isDraining = false;
  /** The lease is on its way to another node. */
  #isYielding = false;

  constructor(options: ClusterCameraOptions) {
    this.#options = options;
  }

  get role(): CameraRole | null {
    return this.#role;
  }

  get fence(): number {
    return this.#fence;
  }

  get members(): Iterable<RoleMember> {
    return this.#members;
  }

  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  onCutOff(listener: () => void): () => void {
    this.#cutOffListeners.add(listener);
    return () => void this.#cutOffListeners.delete(listener);
  }

  onRole(listener: RoleListener): () => void {
    this.#listeners.add(listener);
    this.#look();
    return () => {
      this.#listeners.delete(listener);
      this.#look();
    };
  }

  enter(member: RoleMember): void {
    this.#members.add(member);
    this.#look();
    if (this.#role !== null) member.play(this.#role, this.#link, this.#isReady);
  }

  /** A member reads the camera. */
  begun(profile: ProfileName): void {
    this.#options.onBegun?.(profile);
  }

  leave(member: RoleMember): void {
    this.#members.delete(member);
    this.#look();
  }

  /** Owns the camera for other nodes that mirror it. Fails MIRROR_NOT_OWNER. */
  async own(): Promise<void> {
    if (this.#role === 'owner') return;
    const { cameraUuid, places } = this.#options;
    const mayAcquire = !this.#isDraining && !this.#isYielding;
    const acquired = mayAcquire ? await places.acquire(cameraUuid) : null;
    if (acquired?.kind !== 'acquired') {
      throw new GatewayError(MIRROR_ERRORS.MIRROR_NOT_OWNER, { camera: cameraUuid });
    }
    // Several calls share an attempt.
    if (this.role !== 'owner') void this.#become('owner', null, acquired.fence);
    this.#look();
  }

  /** A member found out that the node behind `link` does not own the camera, or is gone. */
  lost(link: NodeLink): void {
    if (link !== this.#link) return;
    const { runId } = link.peer;
    this.#avoided.add(runId);
    if (link.ended !== null) {
      const silentMs = link.ended.code === LINK_ERRORS.LINK_SILENT.code ? SILENT_MS : 0;
      this.#unreached = { runId, sinceMonoMs: this.#options.clock.monoMs() - silentMs };
      this.#options.places.suspect(runId);
    }
    void this.#become(null, null, 0);
    if (link.ended?.code === LINK_ERRORS.LINK_SILENT.code) this.#awaitRole(UNREACHED_MS - SILENT_MS);
    if (link.ended?.code === LINK_ERRORS.LINK_BROKEN.code) this.#openPrepared(runId, PREPARED_MS);
    if (link.ended === null) this.#refused();
    this.#look();
  }

  /** While a lease is on its way, the node that is taken for the owner refuses each request without delay. */
  #refused(): void {
    const nowMonoMs = this.#options.clock.monoMs();
    this.#isRefusedAgain = nowMonoMs - this.#refusedMonoMs < 2 * RETRY_MS;
    this.#refusedMonoMs = nowMonoMs;
  }

  /** The node behind `link` says who should own the camera after it. */
  heirTold(link: NodeLink, runId: string | null): void {
    if (link === this.#link) this.#heirRunId = runId;
  }

  /** Live nodes, the one that should pull the camera next first. */
  #ranked(): CameraOwner[] {
    const { places, cameraUuid } = this.#options;
    const isHeir = ({ runId }: CameraOwner) => Number(runId === this.#heirRunId);
    return places.ranked(cameraUuid).toSorted((one, other) => isHeir(other) - isHeir(one));
  }

  #isNext(lostRunId: string): boolean {
    const heir = this.#ranked().find(({ runId }) => runId !== lostRunId);
    return heir?.isSelf === true && !this.#isDraining;
  }

  /**
   * The owner's process has most likely ended, and its lease has yet to. The node that will have it reads the camera meanwhile, so that it
   * has a key frame by then. A network that breaks is silent: two nodes do not read a camera because of that.
   */
  #openPrepared(lostRunId: string, forMs: number): void {
    if (!this.#isNext(lostRunId) || this.#prepared !== null) return;
    this.#prepared = this.#options.clock.after(forMs, () => this.#endPrepared());
    for (const member of this.#members) {
      member.prepare({ onKey: () => undefined, onFailed: () => member.endPrepared() });
    }
  }

  #endPrepared(): void {
    if (this.#prepared === null) return;
    this.#prepared.cancel();
    this.#prepared = null;
    for (const member of this.#members) member.endPrepared();
  }

  /** The lease has ended. */
  leaseLost(): void {
    if (this.#role !== 'owner') return;
    void this.#become(null, null, 0, 'lost');
    // The next owner may publish from now on. What this node has is old until that one has been found.
    this.#cutOff();
    this.#options.onGivenUp();
    this.#look();
  }

  mayPublish(): boolean {
    const { places, cameraUuid } = this.#options;
    if (this.#role !== 'owner' || places.isHeld(cameraUuid)) return true;
    // Not now: a part is being published.
    queueMicrotask(() => this.leaseLost());
    return false;
  }

  abandon(): void {
    if (this.#role !== 'owner') return;
    this.#options.log.error({}, 'no more segment numbers: the database does not store them');
    const { places, cameraUuid } = this.#options;
    void this.#giveUp();
    void places.release(cameraUuid).finally(() => this.#look());
  }

  /** Resolves when what this node publishes has numbers. */
  ready(): Promise<unknown> {
    return this.#isReady;
  }

  /** Stops owning, and never does again. Resolves when the exact numbers are stored; the lease is still held. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#role === 'owner') await this.#become(null, null, 0);
  }

  /** After `drain`: another node may have it, or has it. */
  drained(): void {
    this.#options.onGivenUp();
    this.#look();
  }

  /** Stops owning, for another node. `give` moves the lease, once the exact numbers are stored. Rejects like it. */
  async yield(give: () => Promise<unknown>): Promise<void> {
    if (this.#role !== 'owner' || this.#isYielding) return;
    this.#isYielding = true;
    try {
      await this.#become(null, null, 0);
      await give();
    } finally {
      this.#isYielding = false;
      this.#options.onGivenUp();
      this.#look();
    }
  }

  get #isNeeded(): boolean {
    return this.#members.size > 0 || this.#listeners.size > 0;
  }

  #look(): void {
    if (this.#isNeeded) {
      this.#unneeded?.cancel();
      this.#unneeded = null;
      if (this.#role === null && !this.#isSearching && !this.#isYielding) void this.#search();
    } else if (this.#role === 'mirror') void this.#become(null, null, 0);
    else if (this.#role === 'owner') {
      this.#unneeded ??= this.#options.clock.after(UNNEEDED_MS, () => void this.#release());
    }
  }

  async #release(): Promise<void> {
    this.#unneeded = null;
    if (this.#isNeeded || this.#role !== 'owner') return;
    const { places, cameraUuid, log } = this.#options;
    await this.#giveUp();
    await places.release(cameraUuid).catch((thrown) => {
      log.warn({ err: toGatewayError(thrown) }, 'lease of the camera not released, it will end');
    });
    this.#look();
  }

  #giveUp(): Promise<unknown> {
    const saved = this.#become(null, null, 0);
    this.#options.onGivenUp();
    return saved;
  }

  async #search(): Promise<void> {
    const { clock, log } = this.#options;
    this.#isSearching = true;
    this.#awaitRole(UNREACHED_MS);
    if (this.#isRefusedAgain) await pause(clock, RETRY_MS);
    this.#isRefusedAgain = false;
    let failures = 0;
    while (this.#isNeeded && this.#role === null) {
      try {
        await this.#find();
      } catch (thrown) {
        if (failures++ === 0) log.warn({ err: toGatewayError(thrown) }, 'no node has the camera yet');
      }
      if (this.#role === null) await pause(clock, RETRY_MS);
    }
    this.#isSearching = false;
    if (!this.#isNeeded) this.#found();
    // The need may have ended before the owner was found.
    this.#look();
  }

  /** Without a role after that time, milliseconds, this node is cut off. */
  #awaitRole(ms: number): void {
    this.#unfound ??= this.#options.clock.after(ms, () => {
      this.#unfound = null;
      this.#cutOff();
    });
  }

  /** It has a role, or needs none. */
  #found(): void {
    this.#unfound?.cancel();
    this.#unfound = null;
    this.#isCutOff = false;
  }

  #cutOff(): void {
    if (this.#role !== null || this.#isCutOff) return;
    this.#isCutOff = true;
    this.#options.log.warn({}, 'no owner of the camera in reach');
    for (const listener of [...this.#cutOffListeners]) listener();
  }

  /** One attempt. Without a role afterwards, there has to be another one. */
  async #find(): Promise<void> {
    const { cameraUuid, places } = this.#options;
    const owner = await places.ownerOf(cameraUuid);
    if (owner !== null && !owner.isSelf) {
      await this.#mirrorOwner(owner);
      return;
    }
    const ranked = this.#ranked().filter(({ runId }) => !this.#avoided.has(runId));
    const best = ranked[0];
    this.#avoided.clear();
    if (owner === null && best !== undefined && !best.isSelf) {
      await this.#mirror(best);
      return;
    }
    if (this.#isDraining) return;
    const acquired = await places.acquire(cameraUuid);
    if (acquired.kind === 'acquired' && this.#role === null) void this.#become('owner', null, acquired.fence);
  }

  /** Someone who cannot be reached may have ended, or may only be out of reach: its lease shows which. */
  async #mirrorOwner(owner: CameraOwner): Promise<void> {
    const { clock } = this.#options;
    if (this.#unreached?.runId !== owner.runId) {
      this.#unreached = { runId: owner.runId, sinceMonoMs: clock.monoMs() };
    }
    try {
      await this.#mirror(owner, Math.min(LINK_WAIT_MS, owner.silence?.endsInMs ?? LINK_WAIT_MS));
    } finally {
      this.#failUnreached(owner);
    }
  }

  #failUnreached({ nodeId, runId, silence = null }: CameraOwner): void {
    const { clock, cameraUuid } = this.#options;
    if (this.#role !== null || this.#unreached === null) return;
    if (clock.monoMs() - this.#unreached.sinceMonoMs < UNREACHED_MS) return;
    this.#cutOff();
    if (silence !== null && silence.forMs >= MISSED_BEATS_MS) {
      this.#expectEnd(runId, silence.endsInMs);
      return;
    }
    this.#endPrepared();
    const error = new GatewayError(STREAM_ERRORS.STREAM_OUT_OF_REACH, { camera: cameraUuid, nodeId });
    for (const member of [...this.#members]) member.fail(error);
  }

  /** The owner no longer beats. Requests that wait here keep waiting, so that they see its end. */
  #expectEnd(runId: string, inMs: number): void {
    if (inMs <= PREPARED_BEFORE_MS) this.#openPrepared(runId, inMs + PREPARED_MS);
  }

  /** `atMostMs`: how long it may take to reach it. */
  async #mirror(owner: CameraOwner, atMostMs = Number.POSITIVE_INFINITY): Promise<void> {
    const { places, clock } = this.#options;
    let timer: TimerHandle | null = null;
    try {
      const link = await new Promise<NodeLink | null>((resolve, reject) => {
        places.linkTo(owner).then(resolve, reject);
        if (atMostMs < Number.POSITIVE_INFINITY) timer = clock.after(atMostMs, () => resolve(null));
      });
      if (link?.ended === null && this.#role === null) void this.#become('mirror', link, 0);
    } catch (thrown) {
      this.#avoided.add(owner.runId);
      throw thrown;
    } finally {
      (timer as TimerHandle | null)?.cancel();
    }
  }

  /** Resolves when everyone who had something to store for the role before has stored it. */
  #become(
    role: CameraRole | null,
    link: NodeLink | null,
    fence: number,
    end: RoleEnd = 'given-up',
  ): Promise<unknown> {
    const { log, onRole } = this.#options;
    this.#role = role;
    this.#link = link;
    this.#fence = fence;
    if (role !== null) {
      this.#unreached = null;
      this.#heirRunId = null;
      this.#found();
      log.info({ role, owner: link?.peer.nodeId, fence: fence || undefined }, 'camera in the cluster');
    }
    this.#isReady = Promise.all([...this.#listeners].map((listener) => listener(role, end)));
    onRole(role);
    if (role === 'owner') void this.#isReady.then(() => this.#options.onOwned?.()).catch(() => undefined);
    for (const member of [...this.#members]) member.play(role, link, this.#isReady);
    // An owner plays the prepared streams.
    if (role !== null) this.#endPrepared();
    this.#options.onSettled?.();
    return this.#isReady;
  }
}

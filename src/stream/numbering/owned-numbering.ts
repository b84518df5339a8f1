/**
 * The numbering of one open rendition, whichever node numbers it now: it has numbers while its camera is owned here, and none while it
 * is mirrored (docs/design/cluster.md). Without an ownership, it always has them.
 */

import { type Clock, pause } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { RenditionName } from '../media/live-media.ts';
import type { CameraOwnership, CameraRole, RoleEnd } from './camera-ownership.ts';
import { type Numbering, type NumberingStore, RenditionNumbering } from './numbering.ts';

/** Between attempts to read numbers that another node may have used. */
const RETRY_MS = 500;

export interface OwnedNumberingOptions {
  readonly store: NumberingStore;
  readonly cameraUuid: Ruuid;
  readonly rendition: RenditionName;
  readonly clock: Clock;
  readonly log: Log;
  readonly ownership: CameraOwnership | null;
  /** After `open`: the numbers are this node's, from these on; null: not anymore. */
  readonly onOwned: (numbering: Numbering | null) => void;
  /** Called before the numbers are given up, to publish the remaining parts. */
  readonly onEnding: () => void;
}

export class OwnedNumbering {
  readonly #options: OwnedNumberingOptions;
  #numbering: RenditionNumbering | null = null;
  /** Raised by every change of the role: what began before it is in vain. */
  #turn = 0;
  #isClosed = false;
  #endRoles: () => void = () => undefined;
  #saved: Promise<void> = Promise.resolve();

  constructor(options: OwnedNumberingOptions) {
    this.#options = options;
  }

  /** Resolves when it is known whether there are numbers, or it was closed. */
  async open(): Promise<void> {
    const { ownership } = this.#options;
    const role = await this.#firstRole();
    if (role === 'owner') await this.#take(++this.#turn);
    if (ownership === null || this.#isClosed) return;
    this.#endRoles = ownership.onRole((next, end) => this.#change(next, end));
    if (ownership.role !== role) void this.#change(ownership.role, 'lost');
  }

  /** null: another node numbers it. */
  get current(): Numbering | null {
    return this.#numbering?.current ?? null;
  }

  /** See RenditionNumbering. */
  get isContinuation(): boolean {
    return this.#numbering?.isContinuation ?? true;
  }

  /** See RenditionNumbering. */
  advance(to: Numbering): void {
    if (this.#numbering?.advance(to) === false) this.#options.ownership?.abandon();
  }

  /** Resolves when the exact numbers are stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#turn++;
    this.#endRoles();
    await this.#giveUp();
  }

  #firstRole(): Promise<CameraRole> | CameraRole {
    const { ownership } = this.#options;
    if (ownership === null) return 'owner';
    if (ownership.role !== null) return ownership.role;
    return new Promise((resolve) => {
      const end = ownership.onRole((role) => {
        if (role === null) return;
        end();
        resolve(role);
      });
      this.#endRoles = () => {
        end();
        resolve('mirror');
      };
    });
  }

  async #change(role: CameraRole | null, end: RoleEnd): Promise<void> {
    const turn = ++this.#turn;
    if (role !== 'owner') {
      if (end === 'given-up' && this.#numbering !== null) this.#options.onEnding();
      this.#options.onOwned(null);
      await this.#giveUp();
      return;
    }
    await this.#take(turn);
    if (this.#turn === turn && this.#numbering !== null) this.#options.onOwned(this.#numbering.current);
  }

  async #take(turn: number): Promise<void> {
    const { store, cameraUuid, rendition, ownership, clock, log } = this.#options;
    await this.#saved;
    while (this.#turn === turn) {
      try {
        const key = { cameraUuid, rendition, fence: ownership?.fence ?? 0 };
        const numbering = await RenditionNumbering.open(store, key, log);
        if (this.#turn === turn) this.#numbering = numbering;
        else await numbering.close();
        return;
      } catch (thrown) {
        log.warn({ rendition, err: toGatewayError(thrown) }, 'segment numbers not readable, tried again');
        await pause(clock, RETRY_MS);
      }
    }
  }

  #giveUp(): Promise<void> {
    const given = this.#numbering;
    this.#numbering = null;
    if (given !== null) this.#saved = given.close();
    return this.#saved;
  }
}

/**
 * Which shares a change concerns: looked up, not searched for, because there are many. They are evaluated in slices, so that
 * media and other viewers do not wait for the end of one organization's list.
 */

import type { Ruuid } from '../core/ruuid.ts';
import { SlicedWork } from '../core/sliced-work.ts';
import type { Share } from '../store/entities.ts';

/** The fields by which active shares are looked up. */
type Place = Pick<Share, 'cameraUuid' | 'scheduleUuid'>;

export class ConcernedShares {
  readonly #byCamera = new Map<Ruuid, Set<Ruuid>>();
  readonly #bySchedule = new Map<Ruuid, Set<Ruuid>>();
  readonly #passes = new Set<Promise<void>>();

  /** undefined: the share was not in force, or is not anymore. */
  moved(uuid: Ruuid, before: Place | undefined, after: Place | undefined): void {
    move(this.#byCamera, uuid, before?.cameraUuid, after?.cameraUuid);
    move(this.#bySchedule, uuid, before?.scheduleUuid, after?.scheduleUuid);
  }

  ofSchedule(scheduleUuid: Ruuid): Ruuid[] {
    return [...(this.#bySchedule.get(scheduleUuid) ?? [])];
  }

  ofCamera(cameraUuid: Ruuid): Ruuid[] {
    return [...(this.#byCamera.get(cameraUuid) ?? [])];
  }

  /** Evaluates the shares of the concerned cameras. It searches all cameras that have shares, in slices. */
  evaluateOfCameras(isConcerned: (cameraUuid: Ruuid) => boolean, evaluate: (uuid: Ruuid) => void): void {
    this.#begin(async (work) => {
      for (const cameraUuid of [...this.#byCamera.keys()]) {
        if (isConcerned(cameraUuid)) await evaluateAll(work, this.ofCamera(cameraUuid), evaluate);
        if (work.step()) await work.pause();
      }
    });
  }

  /** The first slice is evaluated when this returns: all of a short list. */
  evaluate(uuids: readonly Ruuid[], evaluate: (uuid: Ruuid) => void): void {
    this.#begin((work) => evaluateAll(work, uuids, evaluate));
  }

  /** Resolves when all lists so far are evaluated. */
  async settled(): Promise<void> {
    await Promise.all(this.#passes);
  }

  #begin(pass: (work: SlicedWork) => Promise<void>): void {
    const running = pass(new SlicedWork()).finally(() => this.#passes.delete(running));
    this.#passes.add(running);
  }
}

async function evaluateAll(work: SlicedWork, uuids: readonly Ruuid[], evaluate: (uuid: Ruuid) => void) {
  for (const uuid of uuids) {
    evaluate(uuid);
    if (work.step()) await work.pause();
  }
}

function move(
  index: Map<Ruuid, Set<Ruuid>>,
  uuid: Ruuid,
  before: Ruuid | null | undefined,
  after: Ruuid | null | undefined,
): void {
  if (before === after) return;
  if (before != null) {
    const shares = index.get(before);
    shares?.delete(uuid);
    if (shares?.size === 0) index.delete(before);
  }
  if (after == null) return;
  const known = index.get(after);
  if (known === undefined) index.set(after, new Set([uuid]));
  else known.add(uuid);
}

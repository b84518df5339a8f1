/** What must hold at every moment of a simulation (docs/design/simulation.md#invariants). A breach ends the run. */

import { createHash } from 'node:crypto';
import type { Share } from '../../src/store/entities.ts';
import type { FrameId } from './camera.ts';
import type { SimulatedNode } from './node.ts';
import type { Simulation } from './simulation.ts';
import type { Answer, SimulatedViewer } from './viewer.ts';

/** A breach: which invariant, and what was seen. */
export class Breach extends Error {
  readonly invariant: string;

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

export class Invariants {
  readonly #simulation: Simulation;
  /** By camera and name, what its bytes were and who published them first. */
  readonly #published = new Map<string, { readonly digest: string; readonly by: string }>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  get parts(): number {
    return this.#published.size;
  }

  fail(invariant: string, what: string): void {
    this.#simulation.world.trace.note('BREACH', `${invariant}: ${what}`);
    this.#simulation.world.fail(new Breach(invariant, what));
  }

  /** A name stands for the same bytes, whoever publishes them, forever. */
  published(camera: number, name: string, media: Buffer, by: string): void {
    const digest = createHash('sha1').update(media).digest('base64');
    const key = `${camera}/${name}`;
    const known = this.#published.get(key);
    if (known === undefined) this.#published.set(key, { digest, by });
    else if (known.digest !== digest) {
      this.fail('one name, one content', `${key} of ${by} has other bytes than that of ${known.by}`);
    }
  }

  /** Frames reach a viewer in order, once, and without a gap where nothing failed. `isNext`: no number was left out before. */
  seen(
    viewer: SimulatedViewer,
    node: SimulatedNode,
    before: FrameId | null,
    frame: FrameId,
    isNext: boolean,
  ): void {
    if (frame.camera !== viewer.camera) {
      this.fail('own camera', `${viewer.name} got camera ${frame.camera}`);
      return;
    }
    if (before === null || before.boot !== frame.boot) return;
    const step = frame.index - before.index;
    if (step <= 0) {
      viewer.repeated++;
      if (this.#simulation.faults.isCalm(40_000)) {
        this.fail('each frame once, in order', `${viewer.name} at ${node.name}: frame ${frame.index} after ${before.index}`);
      }
    } else if (step > 1) {
      viewer.missing += step - 1;
      if (isNext && this.#simulation.faults.isCalm(40_000)) {
        this.fail('no frame lost without a fault', `${viewer.name} at ${node.name}: frame ${frame.index} after ${before.index}`);
      }
    }
  }

  opened(viewer: SimulatedViewer, node: SimulatedNode, sentMs: number, answer: Answer): void {
    this.#allowed(viewer.share, node, sentMs, answer, `${viewer.name} opens at ${node.name}`);
  }

  answered(viewer: SimulatedViewer, node: SimulatedNode, sentMs: number, name: string, answer: Answer): void {
    this.#allowed(viewer.share, node, sentMs, answer, `${viewer.name} gets ${name} at ${node.name}`);
  }

  #allowed(share: Share, node: SimulatedNode, sentMs: number, answer: Answer, what: string): void {
    if (answer === null) return;
    const { rights, world } = this.#simulation;
    if (answer.status === 200) {
      const late = rights.deniedForMs(share.uuid, node, sentMs, world.nowMs);
      if (late !== null) this.fail('nobody is served after the bound', `${what}, ${late}`);
    } else if (answer.status === 403 || answer.status === 401) {
      const unjust = rights.allowedForMs(share.uuid, node, sentMs);
      if (unjust !== null) this.fail('nobody allowed is refused', `${what}: ${answer.body.toString()}; ${unjust}`);
    }
  }
}

/**
 * Which node speaks for each camera, and what it says: the one with the newest fence. Its word stands after it has given up
 * the lease, until another node owns the camera, or the node is gone.
 */

import type { Ruuid } from '../../core/ruuid.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';
import type { CameraWord, SaidWord } from './state-messages.ts';

export interface Speaker {
  /** null: this node. */
  readonly run: NodeRun | null;
  readonly word: CameraWord;
}

interface Entry extends Speaker {
  /** The link that it came by; null: this node's own. */
  readonly source: object | null;
}

export interface StateBoardOptions {
  /** Another node speaks for the camera, or sends another word; null: no node speaks for it any longer. Must not throw. */
  readonly onHeard: (cameraUuid: Ruuid, word: CameraWord | null) => void;
}

export class StateBoard {
  readonly #options: StateBoardOptions;
  readonly #entries = new Map<Ruuid, Entry>();

  constructor(options: StateBoardOptions) {
    this.#options = options;
  }

  speakerOf(cameraUuid: Ruuid): Speaker | null {
    return this.#entries.get(cameraUuid) ?? null;
  }

  /** null: this node does not speak for the camera. */
  ownWord(cameraUuid: Ruuid): CameraWord | null {
    const entry = this.#entries.get(cameraUuid);
    return entry?.run === null ? entry.word : null;
  }

  /** Cameras for which this node speaks. */
  own(): Ruuid[] {
    return [...this.#entries].filter(([, { run }]) => run === null).map(([cameraUuid]) => cameraUuid);
  }

  /** False: another node has a newer word. */
  say(cameraUuid: Ruuid, word: CameraWord): boolean {
    const known = this.#entries.get(cameraUuid);
    if (known !== undefined && known.run !== null && known.word.fence > word.fence) return false;
    this.#entries.set(cameraUuid, { run: null, source: null, word });
    return true;
  }

  /** Takes words of another node. `source`: the link. */
  hear(run: NodeRun, source: object, words: readonly SaidWord[]): void {
    for (const [cameraUuid, word] of words) {
      const known = this.#entries.get(cameraUuid);
      if (word === null) {
        if (known?.run?.runId === run.runId) this.#drop(cameraUuid);
      } else if (known === undefined || known.run?.runId === run.runId || known.word.fence <= word.fence) {
        this.#entries.set(cameraUuid, { run, source, word });
        this.#options.onHeard(cameraUuid, word);
      }
    }
  }

  /** All that the node has to say came by `source`: what it said before is over. */
  complete({ runId }: NodeRun, source: object): void {
    this.#dropAll((entry) => entry.run?.runId === runId && entry.source !== source);
  }

  /** The node is gone. */
  forget({ runId }: Pick<NodeRun, 'runId'>): void {
    this.#dropAll(({ run }) => run?.runId === runId);
  }

  /** This node no longer has the camera. */
  remove(cameraUuid: Ruuid): void {
    this.#entries.delete(cameraUuid);
  }

  #dropAll(isOver: (entry: Entry) => boolean): void {
    for (const [cameraUuid, entry] of [...this.#entries]) if (isOver(entry)) this.#drop(cameraUuid);
  }

  #drop(cameraUuid: Ruuid): void {
    this.#entries.delete(cameraUuid);
    this.#options.onHeard(cameraUuid, null);
  }
}

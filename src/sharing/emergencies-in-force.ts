/** The links of open emergencies, as far as their time is not over by either clock. */

import type { Clock, TimerHandle } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { type Emergency, type EmergencyLink, linksOf } from './emergency-link.ts';
import { EmergencyTimes } from './emergency-times.ts';

export interface EmergenciesInForceOptions {
  readonly clock: Clock;
  /** As the store and ends without it have it. */
  readonly find: (uuid: Ruuid) => Emergency | undefined;
  /** A link is there, has changed, or is gone. */
  readonly onLink: (linkUuid: Ruuid) => void;
}

interface InForce {
  readonly emergency: Emergency;
  readonly linkUuids: readonly Ruuid[];
  readonly timer: TimerHandle;
}

export class EmergenciesInForce {
  readonly #options: EmergenciesInForceOptions;
  readonly #times: EmergencyTimes;
  readonly #open = new Map<Ruuid, InForce>();
  readonly #links = new Map<Ruuid, EmergencyLink>();

  constructor(options: EmergenciesInForceOptions) {
    this.#options = options;
    this.#times = new EmergencyTimes(options.clock);
  }

  /** One Map lookup. */
  link(linkUuid: Ruuid): EmergencyLink | undefined {
    return this.#links.get(linkUuid);
  }

  /** Everything was read again. */
  refresh(uuids: Iterable<Ruuid>): void {
    for (const uuid of new Set([...this.#open.keys(), ...uuids])) this.changed(uuid);
  }

  changed(uuid: Ruuid): void {
    const { clock, find, onLink } = this.#options;
    const emergency = find(uuid);
    const before = this.#open.get(uuid);
    if (emergency === undefined) this.#times.forget(uuid);
    const leftMs = emergency === undefined ? 0 : this.#times.leftMs(emergency);
    const isOpen = emergency !== undefined && leftMs > 0;
    if (isOpen && before?.emergency === emergency) return;
    before?.timer.cancel();
    this.#open.delete(uuid);
    for (const linkUuid of before?.linkUuids ?? []) this.#links.delete(linkUuid);
    const links = isOpen ? linksOf(emergency) : [];
    for (const link of links) this.#links.set(link.wallShare.uuid, link);
    const linkUuids = links.map(({ wallShare }) => wallShare.uuid);
    if (isOpen) {
      const timer = clock.after(leftMs, () => this.changed(uuid));
      this.#open.set(uuid, { emergency, linkUuids, timer });
    }
    for (const linkUuid of new Set([...(before?.linkUuids ?? []), ...linkUuids])) onLink(linkUuid);
  }

  close(): void {
    for (const { timer } of this.#open.values()) timer.cancel();
    this.#open.clear();
  }
}

/**
 * Who deals with an alert: people take it, acknowledge it, and undo both. Each step is stored only if the alert is still as it was read, so
 * the first one wins, also between two gateways on one database.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import type { Acknowledgement, StoredEvent, Taking } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import { EVENT_ERRORS } from './errors.ts';

export interface AlertActor {
  readonly uuid: Ruuid;
  readonly name: string;
}

/** What became of alerts that were acknowledged or reopened together; each alert is in one list, in the order of the call. */
export interface HandledAlerts {
  /** Changed by this call. */
  readonly changed: readonly Ruuid[];
  /** Left as they are: someone else acknowledged them. */
  readonly ofOthers: readonly { readonly alertUuid: Ruuid; readonly acknowledgement: Acknowledgement }[];
}

/** If several people change an alert at the same time, the second one reads the first one's change. */
const MAX_ATTEMPTS = 4;

export class AlertHandling {
  readonly #events: Store['events'];
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({
    store,
    clock,
  }: {
    readonly store: Pick<Store, 'events'>;
    readonly clock: Pick<Clock, 'epochMs'>;
  }) {
    this.#events = store.events;
    this.#clock = clock;
  }

  /**
   * Acknowledges an alert. The first acknowledgment holds: resolves with it if someone else was first. Its author can acknowledge again,
   * with another note; `note` null: unchanged. Fails POLICY_ALERT_NOT_FOUND, or STORE_CONTENDED.
   */
  async acknowledge(
    orgUuid: Ruuid,
    uuid: Ruuid,
    { actor, note }: { readonly actor: AlertActor; readonly note: string | null },
  ): Promise<Acknowledgement> {
    return (await this.#acknowledge(orgUuid, uuid, actor, note)).held;
  }

  /** Alerts that do not exist, or no longer, are left out. Fails STORE_CONTENDED. */
  async acknowledgeAll(
    orgUuid: Ruuid,
    uuids: readonly Ruuid[],
    { actor, note }: { readonly actor: AlertActor; readonly note: string | null },
  ): Promise<HandledAlerts> {
    return this.#each(orgUuid, uuids, async (alertUuid) => {
      const { held, isChanged } = await this.#acknowledge(orgUuid, alertUuid, actor, note);
      return isChanged ? 'changed' : held.actorUuid === actor.uuid ? 'unchanged' : held;
    });
  }

  /**
   * Undoes acknowledgments: the caller's own, or anyone's if `isForAll`. Alerts that are open, or do not exist, are left out. Fails
   * STORE_CONTENDED.
   */
  async reopen(
    orgUuid: Ruuid,
    uuids: readonly Ruuid[],
    { actor, isForAll }: { readonly actor: AlertActor; readonly isForAll: boolean },
  ): Promise<HandledAlerts> {
    return this.#each(orgUuid, uuids, (alertUuid) =>
      this.#change(orgUuid, alertUuid, async (alert) => {
        const known = alert.acknowledgement ?? null;
        if (known === null) return 'unchanged';
        if (known.actorUuid !== actor.uuid && !isForAll) return known;
        return (await this.#events.acknowledge(alert, known, null)) ? 'changed' : null;
      }),
    );
  }

  /**
   * Takes an open alert, so that others know who looks after it. Resolves with who has it: the first one. Fails POLICY_ALERT_NOT_FOUND,
   * POLICY_ALERT_ACKNOWLEDGED, or STORE_CONTENDED.
   */
  take(orgUuid: Ruuid, uuid: Ruuid, actor: AlertActor): Promise<Taking> {
    return this.#change(orgUuid, uuid, async (alert) => {
      if (alert.acknowledgement !== undefined) {
        throw new GatewayError(EVENT_ERRORS.POLICY_ALERT_ACKNOWLEDGED, { alert: uuid });
      }
      if (alert.taking !== undefined) return alert.taking;
      const taking = { atMs: this.#clock.epochMs(), actorUuid: actor.uuid, actorName: actor.name };
      return (await this.#events.take(alert, null, taking)) ? taking : null;
    });
  }

  /**
   * Ends that someone has taken the alert: the caller, or anyone if `isForAll`. Does nothing if no one has. Resolves with who still has
   * it. Fails POLICY_ALERT_NOT_FOUND, or STORE_CONTENDED.
   */
  async release(
    orgUuid: Ruuid,
    uuid: Ruuid,
    { actor, isForAll }: { readonly actor: AlertActor; readonly isForAll: boolean },
  ): Promise<Taking | null> {
    const kept = await this.#change<Taking | 'none'>(orgUuid, uuid, async (alert) => {
      const known = alert.taking ?? null;
      if (known === null) return 'none';
      if (known.actorUuid !== actor.uuid && !isForAll) return known;
      return (await this.#events.take(alert, known, null)) ? 'none' : null;
    });
    return kept === 'none' ? null : kept;
  }

  #acknowledge(
    orgUuid: Ruuid,
    uuid: Ruuid,
    actor: AlertActor,
    note: string | null,
  ): Promise<{ readonly held: Acknowledgement; readonly isChanged: boolean }> {
    return this.#change(orgUuid, uuid, async (alert) => {
      const known = alert.acknowledgement ?? null;
      if (known !== null && (known.actorUuid !== actor.uuid || note === null || note === known.note)) {
        return { held: known, isChanged: false };
      }
      const given = {
        atMs: this.#clock.epochMs(),
        actorUuid: actor.uuid,
        actorName: actor.name,
        ...known,
        note: note ?? '',
      };
      const isStored = await this.#events.acknowledge(alert, known, given);
      return isStored ? { held: given, isChanged: true } : null;
    });
  }

  async #each(
    orgUuid: Ruuid,
    uuids: readonly Ruuid[],
    handle: (alertUuid: Ruuid) => Promise<'changed' | 'unchanged' | Acknowledgement>,
  ): Promise<HandledAlerts> {
    const existing = new Set((await this.#events.findAll(orgUuid, 'policyAlert', uuids)).map(({ id }) => id));
    const changed: Ruuid[] = [];
    const ofOthers: { alertUuid: Ruuid; acknowledgement: Acknowledgement }[] = [];
    for (const alertUuid of new Set(uuids)) {
      if (!existing.has(alertUuid)) continue;
      const outcome = await handle(alertUuid);
      if (outcome === 'changed') changed.push(alertUuid);
      else if (outcome !== 'unchanged') ofOthers.push({ alertUuid, acknowledgement: outcome });
    }
    return { changed, ofOthers };
  }

  /** `change` resolves with null if the alert was no longer as it was read. */
  async #change<Result>(
    orgUuid: Ruuid,
    uuid: Ruuid,
    change: (alert: StoredEvent) => Promise<Result | null>,
  ): Promise<Result> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const alert = await this.#events.find(orgUuid, 'policyAlert', uuid);
      if (alert === null) throw new GatewayError(EVENT_ERRORS.POLICY_ALERT_NOT_FOUND, { alert: uuid });
      const result = await change(alert);
      if (result !== null) return result;
    }
    throw new GatewayError(STORE_ERRORS.STORE_CONTENDED, { alert: uuid });
  }
}

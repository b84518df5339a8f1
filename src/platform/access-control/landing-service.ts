/** Elevator landings: reported by the devices that operate them, labeled by callers. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { firstDifference } from '../../core/first-difference.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { type ReportOutcome, reportRecords, type TakenReport } from '../../store/report-records.ts';
import type { ResourcePageQuery, ResourceRepository } from '../../store/resource.ts';
import { type ResourcePage, resourcePage } from '../../store/resource-page.ts';
import type { Store } from '../../store/store.ts';
import type { AccessStateOverride } from './access-state.ts';
import { ACCESS_CONTROL_ERRORS } from './errors.ts';
import {
  LANDINGS,
  type Landing,
  type LandingBody,
  type LandingFields,
  type LandingShadowFields,
} from './landing.ts';

const MAX_LABELS_PER_LANDING = 100;

/** A landing, as reported by its owner device. Absent fields are not changed. */
export interface ReportedLanding extends LandingFields {
  readonly uuid: Ruuid;
  readonly ownerDeviceUuid: Ruuid;
  readonly locationUuid?: Ruuid;
  /** Its state; absent: nothing new. */
  readonly shadow?: LandingShadowFields;
}

export interface LandingServiceOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class LandingService {
  readonly #landings: ResourceRepository<LandingBody>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({ store, clock }: LandingServiceOptions) {
    this.#landings = store.resources.of(LANDINGS);
    this.#clock = clock;
  }

  /** Stores at most 1,000 landings; their labels stay. Resolves with one outcome per report. */
  report(orgUuid: Ruuid, reported: readonly ReportedLanding[]): Promise<ReportOutcome[]> {
    return reportRecords(
      this.#landings,
      orgUuid,
      reported,
      ({ uuid }) => uuid,
      (known, row) => this.#reportedLanding(orgUuid, known, row),
    );
  }

  /** In creation order; `parentUuid`: only those of a location. */
  page(orgUuid: Ruuid, query: ResourcePageQuery): Promise<ResourcePage<LandingBody>> {
    return resourcePage(this.#landings, orgUuid, query);
  }

  list(orgUuid: Ruuid): Promise<Landing[]> {
    return this.#landings.list(orgUuid);
  }

  find(orgUuid: Ruuid, uuid: Ruuid): Promise<Landing | null> {
    return this.#landings.find(orgUuid, uuid);
  }

  /** The labels of each landing that has any, the first added first. */
  async labels(orgUuid: Ruuid): Promise<ReadonlyMap<Ruuid, readonly string[]>> {
    const labelled = (await this.list(orgUuid)).filter(({ body }) => body.labels.length > 0);
    return new Map(labelled.map(({ uuid, body }) => [uuid, body.labels]));
  }

  /**
   * Adding a label again changes nothing. Fails ELEVATOR_LANDING_NOT_FOUND, ELEVATOR_LANDING_LABEL_BLANK,
   * TOO_MANY_ELEVATOR_LANDING_LABELS.
   */
  async addLabel(orgUuid: Ruuid, uuid: Ruuid, given: string): Promise<void> {
    const label = labelOf(given);
    await this.#changeLabels(orgUuid, uuid, (labels) => {
      if (labels.includes(label)) return labels;
      if (labels.length >= MAX_LABELS_PER_LANDING) {
        throw new GatewayError(ACCESS_CONTROL_ERRORS.TOO_MANY_ELEVATOR_LANDING_LABELS, { landing: uuid });
      }
      return [...labels, label];
    });
  }

  /** Fails ELEVATOR_LANDING_NOT_FOUND, ELEVATOR_LANDING_LABEL_BLANK, ELEVATOR_LANDING_LABEL_NOT_FOUND. */
  async removeLabel(orgUuid: Ruuid, uuid: Ruuid, given: string): Promise<void> {
    const label = labelOf(given);
    await this.#changeLabels(orgUuid, uuid, (labels) => {
      if (!labels.includes(label)) {
        throw new GatewayError(ACCESS_CONTROL_ERRORS.ELEVATOR_LANDING_LABEL_NOT_FOUND, { landing: uuid });
      }
      return labels.filter((each) => each !== label);
    });
  }

  /** Overrides the schedule of a landing with a state. Fails ELEVATOR_LANDING_NOT_FOUND. */
  async override(orgUuid: Ruuid, uuid: Ruuid, accessStateOverride: AccessStateOverride): Promise<void> {
    await this.#change(orgUuid, uuid, (body) => ({ ...body, accessStateOverride }));
  }

  async #changeLabels(
    orgUuid: Ruuid,
    uuid: Ruuid,
    change: (labels: readonly string[]) => readonly string[],
  ): Promise<void> {
    await this.#change(orgUuid, uuid, (body) => ({ ...body, labels: change(body.labels) }));
  }

  async #change(orgUuid: Ruuid, uuid: Ruuid, change: (body: LandingBody) => LandingBody): Promise<void> {
    await this.#landings.change(orgUuid, uuid, (landing) => {
      if (landing === null) {
        throw new GatewayError(ACCESS_CONTROL_ERRORS.ELEVATOR_LANDING_NOT_FOUND, { landing: uuid });
      }
      return { ...landing, body: change(landing.body), updatedAtMs: this.#clock.epochMs() };
    });
  }

  #reportedLanding(orgUuid: Ruuid, known: Landing | null, row: ReportedLanding): TakenReport<LandingBody> {
    const { uuid, ownerDeviceUuid, locationUuid, name, shadow, ...given } = row;
    const nowMs = this.#clock.epochMs();
    const before = known?.body.shadow ?? null;
    const shadowNow =
      shadow === undefined
        ? before
        : { ...before, ...shadow, createdAtMs: before?.createdAtMs ?? nowMs, updatedAtMs: nowMs };
    const record = {
      uuid,
      orgUuid,
      name: name ?? known?.name ?? '',
      parentUuid: locationUuid ?? known?.parentUuid ?? null,
      body: {
        ...known?.body,
        ...given,
        ownerDeviceUuid,
        labels: known?.body.labels ?? [],
        shadow: shadowNow,
      },
      secret: null,
      createdAtMs: known?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    const changed = known === null ? null : firstChanged(known, row);
    return { record, isAccepted: known === null, kept: null, changed };
  }
}

function firstChanged({ name, parentUuid, body }: Landing, row: ReportedLanding): string | null {
  const { uuid: _uuid, shadow, ...given } = row;
  const field = firstDifference(given, { ...body, name, locationUuid: parentUuid });
  if (field !== null || shadow === undefined) return field;
  const state = firstDifference(shadow, body.shadow ?? {});
  return state === null ? null : `shadow.${state}`;
}

function labelOf(given: string): string {
  const label = given.trim();
  if (label === '') throw new GatewayError(ACCESS_CONTROL_ERRORS.ELEVATOR_LANDING_LABEL_BLANK);
  return label;
}
